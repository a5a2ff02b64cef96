//! Values into leaves. In: an L3 function. Out: an L4 function without counts. Structs and injections disappear: the leaves of
//! their parts are known.

use std::rc::Rc;

use base::Span;
use calculus::Prim;
use first_order::ranges::{Sure, sure};
use first_order::{self as l3, Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Tables;
use super::products::is_product;
use super::regions::array_rank;
use super::views::{Lengths, View, Viewing};
use crate::term::{
    Atom, Block, DescriptorId, End, Function, FunctionId, Leaf, Op, Place, Placed, Product, Statement, Var,
};

pub(super) fn function(
    program: &l3::Program,
    id: l3::FunctionId,
    function: &l3::Function,
    tables: &mut Tables,
) -> Function {
    let mut flatten = Flatten {
        program,
        function,
        tables,
        known: vec![None; function.vars.len()],
        opened: vec![false; function.vars.len()],
        added: vec![false; function.vars.len()],
        viewed: vec![true; function.vars.len()],
        turned: vec![false; function.vars.len()],
        unused: vec![],
        lengths: Lengths::default(),
        shaped: FxHashSet::default(),
        sure: sure(function),
        starts: FxHashMap::default(),
        vars: vec![],
        statements: vec![],
        span: function.span,
        place: Place { function: id, var: l3::Var(0) },
    };
    flatten.mark_opened(&function.body);
    let mut params = vec![];
    for param in &function.params {
        let vars = flatten.bind(*param);
        params.extend(vars);
    }
    let body = flatten.block(&function.body);
    let results = flatten.leaves_of(&function.result);
    let (name, span) = (function.name.clone(), function.span);
    Function { name, params, results, vars: flatten.vars, body, span, borrows: false }
}

/// What is known about a variable of L3.
#[derive(Clone, Debug)]
pub(super) enum Known {
    Leaves(Vec<Atom>),
    /// The content of this node, a sum: its one use is a switch, whose arms read what they need.
    Inside(DescriptorId, Atom),
    /// A sensitivity that is zero but for one element: its one use is to be added to another.
    OneHot(OneHot),
    /// A sensitivity that is zero but for a part: its one use is to be added to another.
    Placed(Placed),
    /// Part of an array, only measured and read.
    View(View),
    /// A product of matrices that isn't computed yet: its one use is to be transposed.
    Product(Box<Product>),
}

#[derive(Clone, Debug)]
pub(super) struct OneHot {
    pub(super) lengths: Vec<Atom>,
    pub(super) at: Atom,
    pub(super) value: Atom,
}

pub(super) struct Flatten<'p> {
    pub(super) program: &'p l3::Program,
    function: &'p l3::Function,
    pub(super) tables: &'p mut Tables,
    pub(super) known: Vec<Option<Known>>,
    /// Variables whose one use is to be switched on.
    opened: Vec<bool>,
    /// Variables whose one use is to be added to a sensitivity.
    pub(super) added: Vec<bool>,
    /// Arrays that are only measured and read.
    pub(super) viewed: Vec<bool>,
    /// Products whose one use is to be transposed, in the same block.
    turned: Vec<bool>,
    /// Variables that aren't used, but for what [`Lengths`] knows of them.
    pub(super) unused: Vec<bool>,
    pub(super) lengths: Lengths,
    /// Vectors that were made under the lengths that they get later.
    pub(super) shaped: FxHashSet<l3::Var>,
    /// What surely succeeds.
    pub(super) sure: Sure,
    /// By the fields of a struct, which the function holds on to.
    starts: FxHashMap<*const Type, Rc<[usize]>>,
    vars: Vec<Leaf>,
    /// Of the block that is being made.
    statements: Vec<Statement>,
    pub(super) span: Span,
    /// The statement that is being lowered.
    place: Place,
}

impl<'p> Flatten<'p> {
    fn mark_opened(&mut self, body: &l3::Block) {
        measure(body, &mut self.lengths);
        let mut uses = Uses {
            shapes: &self.program.shapes,
            lengths: &self.lengths,
            count: vec![0; self.function.vars.len()],
            opened: std::mem::take(&mut self.opened),
            added: std::mem::take(&mut self.added),
            turned: std::mem::take(&mut self.turned),
            viewed: std::mem::take(&mut self.viewed),
        };
        uses.block(body);
        let once =
            |marks: Vec<bool>, count: &[u32]| marks.into_iter().zip(count).map(|(mark, n)| mark && *n == 1).collect();
        self.viewed = std::mem::take(&mut uses.viewed);
        self.unused = uses.count.iter().map(|count| *count == 0).collect();
        self.opened = once(uses.opened, &uses.count);
        self.added = once(uses.added, &uses.count);
        self.turned = once(uses.turned, &uses.count);
    }

    pub(super) fn leaves_of(&self, ty: &Type) -> Vec<Leaf> {
        self.tables.layouts.leaves(ty)
    }

    pub(super) fn type_of(&self, atom: &l3::Atom) -> Type {
        match atom {
            l3::Atom::Var(var) => self.type_of_var(*var).clone(),
            l3::Atom::Unit => Type::Struct([].into()),
            l3::Atom::Bool(_) => Type::Bool,
            l3::Atom::Int(_) => Type::Int,
            l3::Atom::Real(_) => Type::Real,
        }
    }

    pub(super) fn type_of_var(&self, var: l3::Var) -> &'p Type {
        &self.function.vars[var.0 as usize]
    }

    pub(super) fn fresh(&mut self, leaf: Leaf) -> Var {
        self.vars.push(leaf);
        Var(self.vars.len() as u32 - 1)
    }

    pub(super) fn fresh_all(&mut self, leaves: &[Leaf]) -> Vec<Var> {
        leaves.iter().map(|leaf| self.fresh(*leaf)).collect()
    }

    /// New leaves for a variable of L3.
    pub(super) fn bind(&mut self, var: l3::Var) -> Vec<Var> {
        let vars = self.fresh_all(&self.leaves_of(self.type_of_var(var)));
        self.know(var, vars.iter().copied().map(Atom::Var).collect());
        vars
    }

    pub(super) fn know(&mut self, var: l3::Var, leaves: Vec<Atom>) {
        self.known[var.0 as usize] = Some(Known::Leaves(leaves));
    }

    pub(super) fn push(&mut self, vars: Vec<Var>, op: Op) {
        if op.makes_objects() {
            self.site();
        }
        self.statements.push(Statement { vars, op, span: self.span });
    }

    /// Says who makes what follows, if somebody asks.
    fn site(&mut self) {
        let Some(places) = &mut self.tables.places else { return };
        if places.last() != Some(&self.place) {
            places.push(self.place);
        }
        let number = places.len() as u32 - 1;
        self.statements.push(Statement { vars: vec![], op: Op::Site(number), span: self.span });
    }

    /// A statement that binds one leaf.
    pub(super) fn let_one(&mut self, leaf: Leaf, op: Op) -> Atom {
        let var = self.fresh(leaf);
        self.push(vec![var], op);
        Atom::Var(var)
    }

    /// A statement that binds several leaves.
    pub(super) fn let_all(&mut self, leaves: &[Leaf], op: Op) -> Vec<Atom> {
        let vars = self.fresh_all(leaves);
        self.push(vars.clone(), op);
        vars.into_iter().map(Atom::Var).collect()
    }

    pub(super) fn known(&mut self, atom: &l3::Atom) -> Known {
        match atom {
            l3::Atom::Var(var) => match &self.known[var.0 as usize] {
                Some(known) => known.clone(),
                None => panic!("lowering: variable {} of `{}` is used before it is bound", var.0, self.function.name),
            },
            l3::Atom::Unit => Known::Leaves(vec![]),
            l3::Atom::Bool(b) => Known::Leaves(vec![Atom::Bool(*b)]),
            l3::Atom::Int(i) => Known::Leaves(vec![Atom::Int(*i)]),
            l3::Atom::Real(x) => Known::Leaves(vec![Atom::Real(*x)]),
        }
    }

    pub(super) fn leaves(&mut self, atom: &l3::Atom) -> Vec<Atom> {
        base::budget::spend(1);
        match self.known(atom) {
            Known::Leaves(leaves) => leaves,
            Known::Inside(..) => unreachable!("lowering: an opened sum is only switched on"),
            Known::Placed(placed) => vec![self.let_one(Leaf::Object, Op::Placed(Box::new(placed)))],
            Known::View(_) => unreachable!("lowering: a view is only measured and read"),
            Known::Product(_) => unreachable!("lowering: such a product is only transposed"),
            Known::OneHot(OneHot { lengths, at, value }) => {
                vec![self.let_one(Leaf::Object, Op::OneHot { lengths, at, value })]
            }
        }
    }

    pub(super) fn leaf(&mut self, atom: &l3::Atom) -> Atom {
        self.leaves(atom)[0]
    }

    pub(super) fn all_leaves(&mut self, atoms: &[l3::Atom]) -> Vec<Atom> {
        atoms.iter().flat_map(|atom| self.leaves(atom)).collect()
    }

    /// A block of L4 out of what `make` pushes; it yields the value of `make`, or ends as that says.
    pub(super) fn block_of(&mut self, make: impl FnOnce(&mut Self) -> End) -> Block {
        let outer = std::mem::take(&mut self.statements);
        let end = make(self);
        Block { statements: std::mem::replace(&mut self.statements, outer), end }
    }

    pub(super) fn block(&mut self, block: &l3::Block) -> Block {
        self.block_of(|this| this.inline(block))
    }

    /// The statements of a block, here.
    pub(super) fn inline(&mut self, block: &l3::Block) -> End {
        base::budget::deep(|| {
            let outer = self.place;
            block.statements.iter().for_each(|statement| self.lower_statement(statement));
            self.place = outer;
            match &block.end {
                l3::End::Yield(atom) => End::Yield(self.leaves(atom)),
                l3::End::Again(atoms) => End::Again(self.all_leaves(atoms)),
                l3::End::Never => End::Never,
            }
        })
    }

    pub(super) fn lower_statement(&mut self, statement: &l3::Statement) {
        self.begin_statement(statement);
        self.statement(statement.var, &statement.op);
        self.span = statement.span;
    }

    /// What is written next belongs to this statement.
    pub(super) fn begin_statement(&mut self, statement: &l3::Statement) {
        (self.span, self.place.var) = (statement.span, statement.var);
    }

    pub(super) fn place_of_statement(&self) -> Place {
        self.place
    }

    /// What is written next belongs to the statement of this place again.
    pub(super) fn end_statement(&mut self, place: Place) {
        self.place = place;
    }

    fn statement(&mut self, var: l3::Var, op: &l3::Op) {
        let leaves = match op {
            l3::Op::Scalar(Scalar::Length, args) => self.leaves(&args[0]),
            l3::Op::Atom(atom) | l3::Op::View(atom) => {
                let known = self.known(atom);
                self.known[var.0 as usize] = Some(known);
                return;
            }
            l3::Op::Unbox(node) => {
                let known = self.unbox(node, self.opened[var.0 as usize]);
                self.known[var.0 as usize] = Some(known);
                return;
            }
            l3::Op::Struct(fields) => self.all_leaves(fields),
            l3::Op::Field(whole, field) => self.field(whole, *field),
            // An array of reals is one way in which a sensitivity is collected.
            l3::Op::Collected(array) => self.leaves(array),
            l3::Op::Inject(tag, content) => self.inject(self.type_of_var(var), *tag, content),
            l3::Op::Box(content) => vec![self.boxed(self.type_of_var(var), content)],
            l3::Op::Switch(sum, arms) => self.switch(var, sum, arms),
            l3::Op::Prim { prim, args, shapes, .. } if self.viewing(var, *prim, args, shapes).is_some() => {
                let viewing = self.viewing(var, *prim, args, shapes).expect("lowering: as was asked");
                let view = self.primitive_view(viewing, args, shapes);
                self.known[var.0 as usize] = Some(Known::View(view));
                return;
            }
            l3::Op::Array(_) if self.unused[var.0 as usize] && matches!(self.type_of_var(var), Type::Array(_, 1)) => {
                return self.bind_nothing(var);
            }
            l3::Op::Tabulate { n, index, body } if self.is_made_for_its_checks(var) => {
                self.repeated(n, *index, body);
                return self.bind_nothing(var);
            }
            l3::Op::Flat(array) => {
                let known = self.flat(var, array);
                self.known[var.0 as usize] = Some(known);
                return;
            }
            l3::Op::Tabulate { n, index, body } if self.is_shaped_later(var) => {
                let view = self.tabulate_shaped(var, n, *index, body);
                self.known[var.0 as usize] = Some(Known::View(view));
                return;
            }
            l3::Op::Element(array, indices) if self.is_view(var, array, indices) => {
                let view = self.row_view(array, indices);
                self.known[var.0 as usize] = Some(Known::View(view));
                return;
            }
            _ => return self.bind_op(var, op),
        };
        self.know(var, leaves);
    }

    fn field(&mut self, whole: &l3::Atom, field: u32) -> Vec<Atom> {
        let starts = self.starts_of_fields(whole);
        let leaves = starts[field as usize]..starts[field as usize + 1];
        match whole {
            l3::Atom::Var(var) if let Some(Known::Leaves(known)) = &self.known[var.0 as usize] => {
                known[leaves].to_vec()
            }
            _ => self.leaves(whole)[leaves].to_vec(),
        }
    }

    /// Where the leaves of each field of a struct begin, and where the last ones end. A struct may have thousands of fields, all of
    /// them read, so this is found out once.
    fn starts_of_fields(&mut self, whole: &l3::Atom) -> Rc<[usize]> {
        let l3::Atom::Var(whole) = whole else { panic!("lowering: a field of a constant") };
        let Type::Struct(fields) = self.type_of_var(*whole) else { panic!("lowering: a field of something else") };
        if let Some(known) = self.starts.get(&fields.as_ptr()) {
            return known.clone();
        }
        let mut starts = vec![0];
        for field in fields.iter() {
            starts.push(starts[starts.len() - 1] + self.leaves_of(field).len());
        }
        let starts: Rc<[usize]> = starts.into();
        self.starts.insert(fields.as_ptr(), starts.clone());
        starts
    }

    /// Operations that bind their leaves by one statement, or by some of arrays.
    fn bind_op(&mut self, var: l3::Var, op: &l3::Op) {
        let made = match op {
            l3::Op::Text(text) => Op::Text(self.tables.text(text)),
            l3::Op::Scalar(scalar, atoms) => self.scalar(var, *scalar, atoms),
            l3::Op::Call(callee, args) => Op::Call(FunctionId(callee.0), self.all_leaves(args)),
            l3::Op::If(condition, yes, no) => {
                Op::If(self.leaf(condition), Box::new(self.block(yes)), Box::new(self.block(no)))
            }
            l3::Op::Loop { params, body } => self.looped(params, body),
            l3::Op::Dense(handle) => match self.type_of_var(var) {
                Type::Array(_, rank) => Op::Dense(self.leaf(handle), *rank),
                other => panic!("lowering: {other:?} has no holes"),
            },
            l3::Op::Prim { prim, args, shapes, result } if self.collects(var, *prim, args, shapes, *result) => return,
            l3::Op::Prim { prim: Prim::Transpose, args, .. } if matches!(self.known(&args[0]), Known::Product(_)) => {
                let Known::Product(product) = self.known(&args[0]) else { unreachable!("lowering: as was asked") };
                let product = self.turned_product(*product);
                return self.know(var, vec![product]);
            }
            l3::Op::Prim { args, .. } if self.turned[var.0 as usize] => {
                let (_, product) = self.operands(&args[0], &args[1]);
                self.known[var.0 as usize] = Some(Known::Product(Box::new(product)));
                return;
            }
            l3::Op::Prim { args, .. } if self.is_matrix_product(op) => {
                let product = if self.unused[var.0 as usize] {
                    self.unused_product(&args[0], &args[1])
                } else {
                    self.product(&args[0], &args[1])
                };
                return self.know(var, vec![product]);
            }
            l3::Op::Prim { prim, args, shapes, result } => {
                let site = self.tables.prim(self.program, *prim, shapes, *result, self.span);
                Op::Prim(site, self.all_leaves(args))
            }
            l3::Op::Quiet(quiet) => {
                self.push(vec![], Op::Quiet(*quiet));
                return self.bind_nothing(var);
            }
            l3::Op::Require(condition, code) => {
                let condition = self.leaf(condition);
                self.push(vec![], Op::Require(condition, *code));
                return self.bind_nothing(var);
            }
            l3::Op::Fail(code) => {
                self.push(vec![], Op::Fail(*code));
                return self.bind_nothing(var);
            }
            l3::Op::Sum { n, index, body } => self.sum(n, *index, body),
            l3::Op::Tabulate { .. }
            | l3::Op::Array(_)
            | l3::Op::Len(_)
            | l3::Op::Axis(..)
            | l3::Op::Shaped(..)
            | l3::Op::Element(..)
            | l3::Op::Replace(..)
            | l3::Op::Append(..) => {
                let leaves = self.array_op(self.type_of_var(var), op);
                return self.know(var, leaves);
            }
            l3::Op::Atom(_)
            | l3::Op::View(_)
            | l3::Op::Struct(_)
            | l3::Op::Field(..)
            | l3::Op::Inject(..)
            | l3::Op::Switch(..)
            | l3::Op::Box(_)
            | l3::Op::Unbox(_)
            | l3::Op::Flat(_)
            | l3::Op::Collected(_) => unreachable!("lowering: handled before"),
        };
        let vars = self.bind(var);
        self.push(vars, made);
    }

    /// What follows a failure may use its variable: it has no value, any will do.
    pub(super) fn bind_nothing(&mut self, var: l3::Var) {
        let leaves = self.leaves_of(self.type_of_var(var)).into_iter().map(Leaf::nothing).collect();
        self.know(var, leaves);
    }

    fn scalar(&mut self, var: l3::Var, scalar: Scalar, atoms: &[l3::Atom]) -> Op {
        let leaves = self.all_leaves(atoms);
        match leaves[..] {
            [from, Atom::Int(step)] if self.tables.differences[self.place.function.0 as usize].contains(&var) => {
                Op::IndexAdd(from, Atom::Int(-step))
            }
            [a, b] if scalar == Scalar::IntAdd && self.sure.succeed.contains(&var) => Op::IndexAdd(a, b),
            [a, Atom::Int(step)] if scalar == Scalar::IntSub && self.sure.succeed.contains(&var) => {
                Op::IndexAdd(a, Atom::Int(step.wrapping_neg()))
            }
            [a, b] if scalar == Scalar::IntMul && self.sure.succeed.contains(&var) => Op::IndexMul(a, b),
            _ => Op::Scalar(scalar, leaves),
        }
    }

    fn looped(&mut self, params: &[(l3::Var, l3::Atom)], body: &l3::Block) -> Op {
        let first: Vec<Atom> = params.iter().flat_map(|(_, atom)| self.leaves(atom)).collect();
        let vars: Vec<Var> = params.iter().flat_map(|(var, _)| self.bind(*var)).collect();
        let body = Box::new(self.block(body));
        Op::Loop { params: vars.into_iter().zip(first).collect(), body }
    }
}

/// Tells `lengths` about all statements.
fn measure(block: &l3::Block, lengths: &mut Lengths) {
    for statement in &block.statements {
        lengths.learn(statement.var, &statement.op);
        base::budget::deep(|| statement.op.blocks(&mut |_, block| measure(block, lengths)));
    }
}

/// How often each variable is used, and whether a use is as what is switched on, or as what is added, or all are readings.
struct Uses<'p> {
    shapes: &'p l3::Shapes,
    lengths: &'p Lengths,
    count: Vec<u32>,
    opened: Vec<bool>,
    added: Vec<bool>,
    turned: Vec<bool>,
    viewed: Vec<bool>,
}

impl Uses<'_> {
    fn used(&mut self, atom: &l3::Atom) {
        self.read(atom);
        if let l3::Atom::Var(var) = atom {
            self.viewed[var.0 as usize] = false;
        }
    }

    /// A use of an array that only looks at it.
    fn read(&mut self, atom: &l3::Atom) {
        if let l3::Atom::Var(var) = atom {
            self.count[var.0 as usize] += 1;
        }
    }

    fn all(&mut self, atoms: &[l3::Atom]) {
        atoms.iter().for_each(|atom| self.used(atom));
    }

    fn block(&mut self, block: &l3::Block) {
        match &block.end {
            l3::End::Yield(atom) => self.used(atom),
            l3::End::Again(atoms) => self.all(atoms),
            l3::End::Never => {}
        }
        // Backwards: what becomes of a part of an array is known before the array is looked at.
        for statement in block.statements.iter().rev() {
            base::budget::deep(|| self.op(statement.var, &statement.op));
        }
        // All uses of what the block binds are known by now.
        self.turns(block);
    }

    /// Marks the products of matrices that are transposed in the block that makes them.
    fn turns(&mut self, block: &l3::Block) {
        let mut products = FxHashSet::default();
        for statement in &block.statements {
            match &statement.op {
                l3::Op::Prim { prim: Prim::MatMul, shapes, result, .. }
                    if is_product(self.shapes, shapes, *result) && array_rank(self.shapes, *result) == Some(2) =>
                {
                    products.insert(statement.var);
                }
                l3::Op::Prim { prim: Prim::Transpose, args, .. } if !self.viewed[statement.var.0 as usize] => {
                    if let l3::Atom::Var(product) = args[0] {
                        self.turned[product.0 as usize] |= products.contains(&product);
                    }
                }
                _ => {}
            }
        }
    }

    fn op(&mut self, var: l3::Var, op: &l3::Op) {
        match op {
            l3::Op::Atom(a)
            | l3::Op::View(a)
            | l3::Op::Field(a, _)
            | l3::Op::Inject(_, a)
            | l3::Op::Box(a)
            | l3::Op::Unbox(a)
            | l3::Op::Dense(a)
            | l3::Op::Collected(a)
            | l3::Op::Require(a, _) => self.used(a),
            l3::Op::Len(a) | l3::Op::Axis(a, _) | l3::Op::Flat(a) => self.read(a),
            l3::Op::Shaped(a, lengths) => {
                self.read(a);
                self.all(lengths);
            }
            l3::Op::Scalar(_, atoms) | l3::Op::Struct(atoms) | l3::Op::Call(_, atoms) | l3::Op::Array(atoms) => {
                self.all(atoms);
            }
            l3::Op::Prim { prim, args, shapes, .. }
                if self.viewed[var.0 as usize]
                    && Viewing::of(self.shapes, self.lengths, *prim, args, shapes).is_some() =>
            {
                self.read(&args[0]);
                if matches!(prim, Prim::Index | Prim::Part) {
                    self.used(&args[1]);
                }
            }
            l3::Op::Prim { prim: Prim::Frame, args, shapes, .. } if array_rank(self.shapes, shapes[0]).is_some() => {
                self.read(&args[0]);
            }
            l3::Op::Prim { prim: Prim::MatMul, args, shapes, result } if is_product(self.shapes, shapes, *result) => {
                args.iter().for_each(|arg| self.read(arg));
            }
            l3::Op::Prim { prim, args, .. } => {
                self.all(args);
                for arg in args {
                    if let (Prim::Plus, l3::Atom::Var(var)) = (prim, arg) {
                        self.added[var.0 as usize] = true;
                    }
                }
            }
            l3::Op::Element(a, indices) => {
                self.read(a);
                self.all(indices);
            }
            l3::Op::Append(a, element) => {
                self.used(a);
                self.used(element);
            }
            l3::Op::Replace(a, indices, value) => {
                self.used(a);
                self.all(indices);
                self.used(value);
            }
            l3::Op::Switch(a, arms) => {
                self.used(a);
                if let l3::Atom::Var(var) = a {
                    self.opened[var.0 as usize] = true;
                }
                arms.iter().for_each(|(_, block)| self.block(block));
            }
            l3::Op::If(a, yes, no) => {
                self.used(a);
                self.block(yes);
                self.block(no);
            }
            l3::Op::Loop { params, body } => {
                params.iter().for_each(|(_, atom)| self.used(atom));
                self.block(body);
            }
            l3::Op::Tabulate { n, body, .. } | l3::Op::Sum { n, body, .. } => {
                self.used(n);
                self.block(body);
            }
            l3::Op::Text(_) | l3::Op::Quiet(_) | l3::Op::Fail(_) => {}
        }
    }
}
