//! One function: every variable is a local, control stays structured. What a branch binds is assigned at the ends of its blocks; what a loop
//! carries, before it and where it goes on.

use base::{Code, Span, codes};
use loops::memory::HEADER;
use loops::{Arm, Atom, Block, End, Function, Leaf, Op, Statement, Var};
use wasm_encoder::{BlockType, InstructionSink, ValType};

use crate::helpers::Helper;
use crate::module::{self, Builder, CTX, DATA, ROOM, SUMS, type_of, word};
use crate::pieces::Cutting;
use crate::{MOST_BYTES, MOST_VARIABLES, Refused, STACK};

/// A loop that is open: at which depth of blocks it began, and the locals that it carries.
pub(crate) struct OpenLoop {
    pub(crate) depth: u32,
    pub(crate) params: Vec<u32>,
}

pub(crate) struct Body<'m, 'p> {
    pub(crate) module: &'m mut Builder<'p>,
    pub(crate) function: &'p Function,
    /// The local of each variable.
    locals: Vec<u32>,
    params: Vec<ValType>,
    /// The types of the locals behind the parameters.
    pub(crate) types: Vec<ValType>,
    pub(crate) bytes: Vec<u8>,
    /// How many blocks are open.
    pub(crate) depth: u32,
    pub(crate) loops: Vec<OpenLoop>,
    pub(crate) cutting: Cutting,
    pub(crate) span: Span,
}

/// The code of a function of the program.
pub(crate) fn function<'p>(
    module: &mut Builder<'p>,
    function: &'p Function,
    recursive: bool,
    cutting: Cutting,
) -> Result<module::Code, Refused> {
    if function.vars.len() > MOST_VARIABLES {
        return Err(Refused::Variables { most: MOST_VARIABLES });
    }
    let of = |vars: &[Leaf]| vars.iter().map(|leaf| type_of(*leaf)).collect::<Vec<ValType>>();
    let params: Vec<Leaf> = function.params.iter().map(|param| function.vars[param.0 as usize]).collect();
    let params = of(&params);
    let all: Vec<Var> = (0..function.vars.len() as u32).map(Var).collect();
    let mut body = Body::new(module, function, &params, function.params.iter().copied(), &all);
    body.cutting = cutting;
    let frame = 8 * (function.vars.len() as i32 + 16);
    if recursive {
        body.take_stack(frame);
    }
    let results: Vec<u32> = function.results.iter().map(|leaf| body.temporary(type_of(*leaf))).collect();
    let returns = body.block(&function.body, &results);
    if recursive {
        body.i().global_get(ROOM).i32_const(frame).i32_add().global_set(ROOM);
    }
    if returns {
        results.iter().for_each(|local| _ = body.i().local_get(*local));
    } else {
        body.i().unreachable();
    }
    body.i().end();
    if body.bytes.len() > MOST_BYTES {
        return Err(Refused::Bytes { most: MOST_BYTES });
    }
    Ok(module::Code { signature: (params, of(&function.results)), locals: body.types, bytes: body.bytes })
}

/// `entry(ctx, args, out)`: reads the parameters' words, calls the entry, and writes the words of its results.
pub(crate) fn entry(module: &mut Builder) -> module::Code {
    let number = module.program.entry.0;
    let function = &module.program.functions[number as usize];
    let [ctx, args, out] = [0, 1, 2];
    let locals: Vec<ValType> = function.results.iter().map(|leaf| type_of(*leaf)).collect();
    let mut bytes = vec![];
    let mut i = module::sink(&mut bytes);
    i.local_get(ctx).global_set(CTX).i32_const(STACK).global_set(ROOM);
    i.global_get(DATA).i32_const(module.sum_room.0 as i32).i32_add().global_set(SUMS);
    for (at, param) in (0..).zip(&function.params) {
        i.local_get(args);
        load(&mut i, function.vars[param.0 as usize], at);
    }
    i.call(module.function(number));
    (0..locals.len() as u32).rev().for_each(|at| _ = i.local_set(3 + at));
    for (at, leaf) in (0..).zip(&function.results) {
        i.local_get(out).local_get(3 + at);
        store(&mut i, *leaf, at);
    }
    i.end();
    module::Code { signature: (vec![ValType::I32; 3], vec![]), locals, bytes }
}

/// Loads word number `at` behind the address on the stack.
pub(crate) fn load(i: &mut InstructionSink, leaf: Leaf, at: u32) {
    match leaf {
        Leaf::Int => i.i64_load(word(at)),
        Leaf::Real => i.f64_load(word(at)),
        Leaf::Bool | Leaf::Ptr | Leaf::Object => i.i32_load(module::half(8 * at as usize)),
    };
}

/// Stores the value on the stack as word number `at` behind the address below it.
pub(crate) fn store(i: &mut InstructionSink, leaf: Leaf, at: u32) {
    match leaf {
        Leaf::Int => i.i64_store(word(at)),
        Leaf::Real => i.f64_store(word(at)),
        Leaf::Bool | Leaf::Ptr | Leaf::Object => i.i64_extend_i32_u().i64_store(word(at)),
    };
}

impl<'m, 'p> Body<'m, 'p> {
    /// Code that isn't written yet, of a function of these parameters, the first of which are variables. It binds some others.
    pub(crate) fn new(
        module: &'m mut Builder<'p>,
        function: &'p Function,
        params: &[ValType],
        first: impl Iterator<Item = Var>,
        bound: &[Var],
    ) -> Body<'m, 'p> {
        let mut locals = vec![u32::MAX; function.vars.len()];
        first.zip(0..).for_each(|(var, local)| locals[var.0 as usize] = local);
        // Locals of one type lie together: they are declared by their number.
        let mut types = vec![];
        for wanted in [ValType::I32, ValType::I64, ValType::F64] {
            for Var(var) in bound {
                let local = &mut locals[*var as usize];
                if *local == u32::MAX && type_of(function.vars[*var as usize]) == wanted {
                    *local = (params.len() + types.len()) as u32;
                    types.push(wanted);
                }
            }
        }
        Body {
            module,
            function,
            locals,
            params: params.to_vec(),
            types,
            bytes: vec![],
            depth: 0,
            loops: vec![],
            cutting: Cutting::None,
            span: function.span,
        }
    }
}

impl Body<'_, '_> {
    pub(crate) fn i(&mut self) -> InstructionSink<'_> {
        module::sink(&mut self.bytes)
    }

    /// A new local.
    pub(crate) fn temporary(&mut self, ty: ValType) -> u32 {
        self.types.push(ty);
        (self.params.len() + self.types.len()) as u32 - 1
    }

    pub(crate) fn type_of_local(&self, local: u32) -> ValType {
        let local = local as usize;
        self.params.get(local).copied().unwrap_or_else(|| self.types[local - self.params.len()])
    }

    pub(crate) fn local(&self, var: Var) -> u32 {
        self.locals[var.0 as usize]
    }

    pub(crate) fn leaf(&self, var: Var) -> Leaf {
        self.function.vars[var.0 as usize]
    }

    pub(crate) fn leaf_of(&self, atom: &Atom) -> Leaf {
        match atom {
            Atom::Var(var) => self.leaf(*var),
            Atom::Bool(_) => Leaf::Bool,
            Atom::Int(_) => Leaf::Int,
            Atom::Real(_) => Leaf::Real,
            Atom::Null | Atom::Tag(_) => Leaf::Ptr,
        }
    }

    /// Puts a value on the stack.
    pub(crate) fn get(&mut self, atom: &Atom) {
        match atom {
            Atom::Var(var) => {
                let local = self.local(*var);
                self.i().local_get(local)
            }
            Atom::Bool(b) => self.i().i32_const(i32::from(*b)),
            Atom::Int(n) => self.i().i64_const(*n),
            Atom::Real(x) => self.i().f64_const((*x).into()),
            Atom::Null => self.i().i32_const(0),
            Atom::Tag(tag) => self.i().i32_const(*tag as i32),
        };
    }

    pub(crate) fn set(&mut self, var: Var) {
        let local = self.local(var);
        self.i().local_set(local);
    }

    pub(crate) fn context(&mut self) {
        self.i().global_get(CTX);
    }

    pub(crate) fn call_runtime(&mut self, name: &str) {
        let number = self.module.runtime(name);
        self.i().call(number);
    }

    pub(crate) fn call_helper(&mut self, helper: Helper) {
        let number = self.module.helper(helper);
        self.i().call(number);
    }

    /// The place of the statement, as three ints.
    pub(crate) fn span_words(&mut self) {
        let Span { file, start, end } = self.span;
        self.i().i64_const(i64::from(file.0)).i64_const(i64::from(start)).i64_const(i64::from(end));
    }

    /// Ends the run.
    fn fail(&mut self, code: Code) {
        let span = self.span;
        self.call_helper(Helper::Fail(code, span));
        self.i().unreachable();
    }

    /// Ends the run if the bool on the stack is true.
    pub(crate) fn fail_if(&mut self, code: Code) {
        self.open_if();
        self.fail(code);
        self.close();
    }

    pub(crate) fn open_block(&mut self) {
        self.depth += 1;
        self.i().block(BlockType::Empty);
    }

    pub(crate) fn open_loop(&mut self) {
        self.depth += 1;
        self.i().loop_(BlockType::Empty);
    }

    pub(crate) fn open_if(&mut self) {
        self.depth += 1;
        self.i().if_(BlockType::Empty);
    }

    pub(crate) fn close(&mut self) {
        self.depth -= 1;
        self.i().end();
    }

    fn take_stack(&mut self, frame: i32) {
        let left = self.temporary(ValType::I32);
        self.i().global_get(ROOM).i32_const(frame).i32_sub().local_tee(left).global_set(ROOM);
        self.i().local_get(left).i32_const(0).i32_lt_s();
        self.fail_if(codes::RECURSION_TOO_DEEP);
    }

    /// Runs a block; what it yields goes to these locals. Does control get behind it?
    pub(crate) fn block(&mut self, block: &Block, to: &[u32]) -> bool {
        base::budget::deep(|| {
            let mut rest = &block.statements[..];
            while let Some((statement, behind)) = rest.split_first() {
                base::budget::spend(1);
                self.span = statement.span;
                if let Some(behind) = self.constants(rest) {
                    rest = behind;
                    continue;
                }
                if !self.statement(statement) {
                    self.i().unreachable();
                    return false;
                }
                rest = behind;
            }
            match &block.end {
                End::Yield(atoms) => {
                    self.assign(atoms, to);
                    true
                }
                End::Again(atoms) => {
                    let open = self.loops.pop().expect("L4 is checked: `again` is in a loop");
                    self.count_turn();
                    self.assign(atoms, &open.params);
                    let depth = self.depth - open.depth;
                    self.i().br(depth);
                    self.loops.push(open);
                    false
                }
                End::Never => {
                    self.i().unreachable();
                    false
                }
            }
        })
    }

    /// Assigns all at once: what is assigned to may be read.
    fn assign(&mut self, atoms: &[Atom], to: &[u32]) {
        atoms.iter().for_each(|atom| self.get(atom));
        to.iter().rev().for_each(|local| _ = self.i().local_set(*local));
    }

    pub(crate) fn all_locals(&self, vars: &[Var]) -> Vec<u32> {
        vars.iter().map(|var| self.local(*var)).collect()
    }

    /// Does control get behind the statement?
    fn statement(&mut self, Statement { vars, op, .. }: &Statement) -> bool {
        match op {
            Op::Scalar(scalar, atoms) => {
                self.scalar(*scalar, atoms, vars[0]);
                return true;
            }
            Op::IndexAdd(a, b) => {
                self.get(a);
                self.get(b);
                self.i().i64_add();
            }
            Op::IndexMul(a, b) => {
                self.get(a);
                self.get(b);
                self.i().i64_mul();
            }
            Op::InRange(a, b) => {
                self.get(a);
                self.get(b);
                self.i().i64_lt_u();
            }
            Op::Call(id, atoms) => {
                atoms.iter().for_each(|atom| self.get(atom));
                let number = self.module.function(id.0);
                self.i().call(number);
            }
            Op::If(condition, yes, no) => {
                let to = self.all_locals(vars);
                self.get(condition);
                self.open_if();
                let after_yes = self.block(yes, &to);
                self.i().else_();
                let after_no = self.block(no, &to);
                self.close();
                return after_yes || after_no;
            }
            Op::Switch(tag, arms) => return self.switch(vars, tag, arms),
            Op::Loop { params, body } => {
                let vars_carried: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                let (carried, first) = (self.all_locals(&vars_carried), params.iter().map(|(_, atom)| *atom));
                self.assign(&first.collect::<Vec<_>>(), &carried);
                if let Some(after) = self.loop_in_pieces(vars, &vars_carried, body) {
                    return after;
                }
                let to = self.all_locals(vars);
                self.open_loop();
                self.loops.push(OpenLoop { depth: self.depth, params: carried });
                let after = self.block(body, &to);
                self.loops.pop();
                self.close();
                return after;
            }
            Op::Sum { count, index, body } => {
                self.sum(count, *index, body);
            }
            Op::Prim(site, atoms) => {
                self.prim(vars, *site, atoms);
                return true;
            }
            Op::OneHot { .. }
            | Op::AddAt { .. }
            | Op::Placed(_)
            | Op::AddPlaced { .. }
            | Op::Plus { .. }
            | Op::Dense(..) => self.collect(op),
            Op::Text(text) => {
                self.context();
                self.i().i64_const(i64::from(*text));
                self.call_runtime("rt_text");
            }
            Op::Quiet(quiet) => {
                self.context();
                self.i().i64_const(if *quiet { 1 } else { -1 });
                self.call_runtime("rt_quiet");
            }
            // A page has one thread.
            Op::IsLarge(..) | Op::Pieces(_) => unreachable!("a module of WebAssembly is made before loops are cut"),
            // Surveys are made of native code.
            Op::Site(_) => {}
            Op::Require(condition, code) => {
                self.get(condition);
                self.i().i32_eqz();
                self.fail_if(*code);
            }
            Op::Fail(code) => {
                self.fail(*code);
                return false;
            }
            Op::Load(_, node, at) => {
                self.get(node);
                let leaf = self.leaf(vars[0]);
                load(&mut self.i(), leaf, HEADER + at);
            }
            Op::Node(..)
            | Op::Open { .. }
            | Op::IsObject(_)
            | Op::TagOf(_)
            | Op::PointerOf(_)
            | Op::Retain(_)
            | Op::Release(_)
            | Op::IsUnique(_) => self.node_op(op),
            Op::LoadElement { .. } | Op::TakeElement { .. } => {
                self.load_element(vars, op);
                return true;
            }
            Op::NewArray(..)
            | Op::StoreElement { .. }
            | Op::Append { .. }
            | Op::Axis(..)
            | Op::Unshare(_)
            | Op::Row { .. }
            | Op::ReplaceRow { .. }
            | Op::StoreRow { .. }
            | Op::Product(_) => self.array_op(op),
        }
        // What the operation has left on the stack.
        vars.iter().rev().for_each(|var| self.set(*var));
        true
    }

    /// Blocks in blocks; the innermost chooses which of them to leave.
    fn switch(&mut self, vars: &[Var], tag: &Atom, arms: &[Arm]) -> bool {
        let Some(last) = arms.len().checked_sub(1) else { return false };
        let to = self.all_locals(vars);
        self.open_block();
        let outside = self.depth;
        arms.iter().for_each(|_| self.open_block());
        self.get(tag);
        self.i().i32_wrap_i64().br_table(0..last as u32, last as u32);
        let mut after = false;
        for arm in arms {
            self.close();
            if self.block(&arm.block, &to) {
                after = true;
                let out = self.depth - outside;
                self.i().br(out);
            }
        }
        self.close();
        after
    }

    /// Writes words as arguments of the runtime, from the module's first word on.
    pub(crate) fn store_scratch(&mut self, atoms: &[Atom]) {
        for (at, atom) in (0..).zip(atoms) {
            self.i().global_get(DATA);
            self.get(atom);
            let leaf = self.leaf_of(atom);
            store(&mut self.i(), leaf, at);
        }
    }

    fn prim(&mut self, vars: &[Var], site: u32, atoms: &[Atom]) {
        self.store_scratch(atoms);
        self.context();
        let out = 8 * atoms.len() as i32;
        self.i().i64_const(i64::from(site)).global_get(DATA).global_get(DATA).i32_const(out).i32_add();
        self.call_runtime("rt_prim");
        for (at, var) in (atoms.len() as u32..).zip(vars) {
            let leaf = self.leaf(*var);
            self.i().global_get(DATA);
            load(&mut self.i(), leaf, at);
            self.set(*var);
        }
    }
}
