//! What the functions of a module share: types, numbers of functions, words in memory, globals.

use loops::symbols::{SIGNATURES, types_of};
use loops::{Block, Leaf, Op, Program};
use rustc_hash::FxHashMap;
use wasm_encoder::{
    CodeSection, ConstExpr, EntityType, ExportKind, ExportSection, Function, FunctionSection, GlobalSection,
    GlobalType, ImportSection, InstructionSink, MemArg, MemoryType, Module as Encoder, TypeSection, ValType,
};

use crate::helpers::Helper;
use crate::{Host, Module};

/// The global that is imported: where the module's words begin.
pub(crate) const DATA: u32 = 0;
/// The context of the run.
pub(crate) const CTX: u32 = 1;
/// What is left of the stack for functions that call themselves.
pub(crate) const ROOM: u32 = 2;
/// Where the room of the next sum begins.
pub(crate) const SUMS: u32 = 3;

/// Words for the sum of one collection: those that `rt_sum_chunk` asks for, behind the partial sums.
pub(crate) const SUM_WORDS: u32 = numerics::summation::LANES as u32 + 64;
/// How many sums may be under way, one in another.
const MOST_SUMS: u32 = 128;

/// The type of a leaf in a local.
pub(crate) fn type_of(leaf: Leaf) -> ValType {
    match leaf {
        Leaf::Bool | Leaf::Ptr | Leaf::Object => ValType::I32,
        Leaf::Int => ValType::I64,
        Leaf::Real => ValType::F64,
    }
}

/// Word number `at` behind an address.
pub(crate) fn word(at: u32) -> MemArg {
    MemArg { offset: 8 * u64::from(at), align: 3, memory_index: 0 }
}

/// Four bytes at this distance from an address.
pub(crate) fn half(bytes: usize) -> MemArg {
    MemArg { offset: bytes as u64, align: 2, memory_index: 0 }
}

/// The signature of a function.
type Signature = (Vec<ValType>, Vec<ValType>);

/// A function's code: its signature, its locals beside the parameters, its instructions.
pub(crate) struct Code {
    pub(crate) signature: Signature,
    pub(crate) locals: Vec<ValType>,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) struct Builder<'p> {
    pub(crate) program: &'p Program,
    pub(crate) host: Host,
    types: FxHashMap<Signature, u32>,
    type_section: TypeSection,
    imports: ImportSection,
    /// The numbers of the runtime's functions.
    runtime: FxHashMap<&'static str, u32>,
    functions: FunctionSection,
    code: CodeSection,
    written: u32,
    helpers: FxHashMap<Helper, u32>,
    /// In the order of their numbers; those from `helpers_written` on aren't written yet.
    pub(crate) helper_order: Vec<Helper>,
    /// Loops that are functions of their own, until they are written.
    pieces: Vec<Option<Code>>,
    data: Vec<u64>,
    /// Where the descriptors begin, in bytes.
    descriptors: Vec<u32>,
    tables: FxHashMap<Vec<i64>, u32>,
    /// Where the room for sums begins and ends, in bytes from the module's words on; before it is that for arguments of the runtime's functions.
    pub(crate) sum_room: (u32, u32),
}

impl<'p> Builder<'p> {
    pub(crate) fn new(program: &'p Program, host: Host) -> Builder<'p> {
        let needs = Needs::of(program);
        let sum_words = if needs.sums { SUM_WORDS * MOST_SUMS } else { 0 };
        let mut builder = Builder {
            program,
            host,
            types: FxHashMap::default(),
            type_section: TypeSection::new(),
            imports: ImportSection::new(),
            runtime: FxHashMap::default(),
            functions: FunctionSection::new(),
            code: CodeSection::new(),
            written: 0,
            helpers: FxHashMap::default(),
            helper_order: vec![],
            pieces: vec![],
            data: vec![0; needs.scratch + sum_words as usize],
            descriptors: vec![],
            tables: FxHashMap::default(),
            sum_room: (8 * needs.scratch as u32, 8 * (needs.scratch as u32 + sum_words)),
        };
        for (name, signature) in imported() {
            let ty = builder.type_number(parsed(signature));
            builder.imports.import("runtime", name, EntityType::Function(ty));
            builder.runtime.insert(name, builder.runtime.len() as u32);
        }
        for descriptor in &program.descriptors {
            let kind = u64::from(descriptor.kind.number());
            let at = builder.add_words([kind, u64::from(descriptor.words), descriptor.pointers.len() as u64]);
            builder.add_words(descriptor.pointers.iter().map(|at| u64::from(*at)));
            builder.descriptors.push(at);
        }
        builder
    }

    /// The number of a function of the runtime.
    pub(crate) fn runtime(&self, name: &str) -> u32 {
        self.runtime[name]
    }

    /// The number of a function of the program.
    pub(crate) fn function(&self, number: u32) -> u32 {
        self.runtime.len() as u32 + number
    }

    /// The number of a function that every module may have; it will.
    pub(crate) fn helper(&mut self, helper: Helper) -> u32 {
        let entry = 1;
        let first = self.function(self.program.functions.len() as u32) + entry;
        let next = first + self.helper_order.len() as u32;
        *self.helpers.entry(helper).or_insert_with_key(|helper| {
            self.helper_order.push(helper.clone());
            next
        })
    }

    /// Keeps the code of a piece; its number.
    pub(crate) fn add_piece(&mut self, code: Code) -> u32 {
        self.pieces.push(Some(code));
        self.pieces.len() as u32 - 1
    }

    /// The code of a piece, once.
    pub(crate) fn take_piece(&mut self, number: u32) -> Code {
        self.pieces[number as usize].take().expect("wasm: a piece is written once")
    }

    /// Where a descriptor is, in bytes from the module's words on.
    pub(crate) fn descriptor(&self, number: u32) -> u32 {
        self.descriptors[number as usize]
    }

    /// Where a table of constants is.
    pub(crate) fn table(&mut self, table: &[i64]) -> u32 {
        if let Some(known) = self.tables.get(table) {
            return *known;
        }
        let at = self.add_words(table.iter().map(|entry| *entry as u64));
        self.tables.insert(table.to_vec(), at);
        at
    }

    fn add_words(&mut self, words: impl IntoIterator<Item = u64>) -> u32 {
        let at = 8 * self.data.len() as u32;
        self.data.extend(words);
        at
    }

    fn type_number(&mut self, signature: Signature) -> u32 {
        let next = self.types.len() as u32;
        let section = &mut self.type_section;
        *self.types.entry(signature).or_insert_with_key(|(params, results)| {
            section.ty().function(params.iter().copied(), results.iter().copied());
            next
        })
    }

    /// Adds a function; they come in the order of their numbers.
    pub(crate) fn push(&mut self, Code { signature, locals, bytes }: Code) {
        let ty = self.type_number(signature);
        self.functions.function(ty);
        let mut function = Function::new_with_locals_types(locals);
        function.raw(bytes);
        self.code.function(&function);
        self.written += 1;
    }

    pub(crate) fn finish(mut self) -> Module {
        let global = |mutable| GlobalType { val_type: ValType::I32, mutable, shared: false };
        self.imports.import("runtime", "data", EntityType::Global(global(false)));
        let memory = MemoryType { minimum: 0, maximum: None, memory64: false, shared: false, page_size_log2: None };
        self.imports.import("runtime", "memory", EntityType::Memory(memory));
        let mut globals = GlobalSection::new();
        for _ in [CTX, ROOM, SUMS] {
            globals.global(global(true), &ConstExpr::i32_const(0));
        }
        let mut exports = ExportSection::new();
        exports.export("entry", ExportKind::Func, self.function(self.program.functions.len() as u32));
        let mut module = Encoder::new();
        module.section(&self.type_section).section(&self.imports).section(&self.functions).section(&globals);
        module.section(&exports).section(&self.code);
        Module { bytes: module.finish(), data: self.data }
    }
}

/// What the functions of a program need in memory.
#[derive(Default)]
struct Needs {
    /// Words for arguments and results of the runtime's functions.
    scratch: usize,
    sums: bool,
}

impl Needs {
    fn of(program: &Program) -> Needs {
        let mut needs = Needs { scratch: 16, sums: false };
        let mut todo: Vec<&Block> = program.functions.iter().map(|function| &function.body).collect();
        while let Some(block) = todo.pop() {
            for statement in &block.statements {
                let words = match &statement.op {
                    Op::Prim(_, atoms) => atoms.len() + statement.vars.len(),
                    Op::NewArray(_, lengths) | Op::OneHot { lengths, .. } | Op::AddAt { lengths, .. } => lengths.len(),
                    Op::Placed(placed) | Op::AddPlaced { placed, .. } => placed.lengths.len() + placed.index.len() + 1,
                    Op::If(_, yes, no) => {
                        todo.extend([&**yes, &**no]);
                        0
                    }
                    Op::Switch(_, arms) => {
                        todo.extend(arms.iter().map(|arm| &arm.block));
                        0
                    }
                    Op::Loop { body, .. } => {
                        todo.push(body);
                        0
                    }
                    Op::Sum { body, .. } => {
                        todo.push(body);
                        needs.sums = true;
                        0
                    }
                    _ => 0,
                };
                needs.scratch = needs.scratch.max(words);
            }
        }
        needs
    }
}

/// The functions of the runtime that every module imports, in this order, with their signatures.
pub fn imported() -> impl Iterator<Item = (&'static str, &'static str)> {
    SIGNATURES.iter().copied().filter(|(name, _)| is_used(name))
}

/// Functions for checked builds, and what WebAssembly has instructions for, aren't imported.
fn is_used(name: &str) -> bool {
    name == "fmod"
        || name == "fma"
        || name.starts_with("rt_") && !name.starts_with("rt_check") && name != "rt_give_back"
}

/// A signature of `loops::symbols`.
fn parsed(text: &str) -> Signature {
    let ty = |name: &str| match name {
        "ptr" | "i32" => Some(ValType::I32),
        "i64" => Some(ValType::I64),
        "double" => Some(ValType::F64),
        "void" => None,
        other => unreachable!("wasm: the runtime has no type {other}"),
    };
    let (result, params) = types_of(text);
    (params.into_iter().filter_map(ty).collect(), ty(result).into_iter().collect())
}

/// The instructions of a function that are being written.
pub(crate) fn sink(bytes: &mut Vec<u8>) -> InstructionSink<'_> {
    InstructionSink::new(bytes)
}
