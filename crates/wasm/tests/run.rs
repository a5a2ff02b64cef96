//! Modules run in an interpreter: scalars, loops, sums and nodes give the bits that L3's interpreter gives, and every random program is a valid
//! module. The runtime is that of a page (`crates/web/tests/suite.mjs` runs the suite on both); here is what needs little of it.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
#[path = "../../first_order/tests/generate/mod.rs"]
mod generate;

use common::{program, run_on};
use eval::Value;
use first_order::build::FunctionBuilder;
use first_order::{Atom, End, FunctionId, Op, Scalar, ShapeId, Stop, Type};
use loops::Leaf;
use loops::check::scalar_signature;
use loops::symbols::Offsets;
use wasm::{Host, Module, emit, imported};
use wasmi::{Caller, Engine, Error, Extern, FuncType, Global, Linker, Memory, MemoryType, Mutability, Store, Val};

const HOST: Host = Host { offsets: Offsets { bump: 0, bump_end: 4, live: 8, free: 16 }, fused: false, turns: 3 };
const CONTEXT: u32 = 8 << 10;
const WORDS: u32 = 16 << 10;
const DATA: u32 = 1 << 20;
const HEAP: u32 = 3 << 20;
const HEAP_END: u32 = 4 << 20;

/// The code of the error in which a run ended.
#[derive(Default)]
struct State {
    failed: Option<u16>,
}

/// What a module asks of the runtime here: failures, and functions of numbers.
fn runtime(caller: &mut Caller<State>, name: &str, args: &[Val], results: &mut [Val]) -> Result<(), Error> {
    let real = |at: usize| args[at].f64().map(f64::from).unwrap_or(0.0);
    let int = |at: usize| args[at].i64().unwrap_or(0);
    let result = match name {
        "rt_fail" => {
            caller.data_mut().failed = Some(int(1) as u16);
            return Err(Error::new("the run failed"));
        }
        "fma" => real(0).mul_add(real(1), real(2)),
        "fmod" => real(0) % real(1),
        "rt_power_slope" => {
            let (a, b, k) = (real(0), real(1), int(2));
            let factor = (0..k).fold(1.0, |factor, j| factor * (b - j as f64));
            if factor == 0.0 { 0.0 } else { factor * numerics::pow(a, b - k as f64) }
        }
        "rt_power_log" if real(0) == 0.0 && real(1) > 0.0 => 0.0,
        "rt_power_log" => (0..int(2)).fold(numerics::pow(real(0), real(1)), |power, _| power * numerics::log(real(0))),
        other => return Err(Error::new(format!("the runtime has no {other} here"))),
    };
    results[0] = Val::F64(result.into());
    Ok(())
}

/// A module, ready to be called.
struct Ready {
    store: Store<State>,
    memory: Memory,
    entry: wasmi::TypedFunc<(u32, u32, u32), ()>,
}

impl Ready {
    fn new(Module { bytes, data }: &Module) -> Ready {
        // As deep as a browser's stack.
        let mut config = wasmi::Config::default();
        config.set_max_recursion_depth(100_000).set_max_stack_height(64 << 20);
        let engine = Engine::new(&config);
        let module = wasmi::Module::new(&engine, bytes).unwrap_or_else(|error| panic!("no module: {error}"));
        let mut store = Store::new(&engine, State::default());
        let mut linker = Linker::new(&engine);
        let types: Vec<FuncType> = module.imports().filter_map(|import| import.ty().func().cloned()).collect();
        for ((name, _), ty) in imported().zip(types) {
            let call = move |mut caller: Caller<State>, args: &[Val], results: &mut [Val]| {
                runtime(&mut caller, name, args, results)
            };
            linker.func_new("runtime", name, ty, call).expect("a new name");
        }
        let memory = Memory::new(&mut store, MemoryType::new(64, None)).expect("memory");
        linker.define("runtime", "memory", memory).expect("a new name");
        let global = Global::new(&mut store, Val::I32(DATA as i32), Mutability::Const);
        linker.define("runtime", "data", Extern::Global(global)).expect("a new name");
        let instance = linker.instantiate_and_start(&mut store, &module).unwrap_or_else(|error| panic!("{error}"));
        let entry = instance.get_typed_func(&store, "entry").expect("an entry");
        let mut ready = Ready { store, memory, entry };
        ready.write(DATA, data);
        ready.memory.write(&mut ready.store, CONTEXT as usize, &HEAP.to_le_bytes()).expect("inside");
        ready.memory.write(&mut ready.store, CONTEXT as usize + 4, &HEAP_END.to_le_bytes()).expect("inside");
        ready
    }

    fn write(&mut self, at: u32, words: &[u64]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.write(&mut self.store, at as usize, &bytes).expect("inside");
    }

    /// The word that it gives, or the code of its error.
    fn call(&mut self, args: &[u64]) -> Result<u64, u16> {
        self.write(WORDS, args);
        let out = WORDS + 8 * args.len() as u32;
        match self.entry.call(&mut self.store, (CONTEXT, WORDS, out)) {
            Ok(()) => {
                let mut bytes = [0; 8];
                self.memory.read(&self.store, out as usize, &mut bytes).expect("inside");
                Ok(u64::from_le_bytes(bytes))
            }
            Err(error) => {
                let failed = self.store.data_mut().failed.take();
                Err(failed.unwrap_or_else(|| panic!("a trap: {error}")))
            }
        }
    }
}

fn module_of(program: &first_order::Program) -> Module {
    let lowered = loops::lower(program);
    emit(&lowered, HOST).unwrap_or_else(|why| panic!("{why}"))
}

fn word(value: &Value) -> u64 {
    match value {
        Value::Bool(b) => u64::from(*b),
        Value::Int(i) => *i as u64,
        Value::Real(x) => x.to_bits(),
        other => panic!("{other:?} is more than a word"),
    }
}

/// Both give the same bits, or errors of the same code; any nan is as good as another.
fn agree(program: &first_order::Program, inputs: &[Vec<Value>], what: &str) {
    let mut ready = Ready::new(&module_of(program));
    for args in inputs {
        let words: Vec<u64> = args.iter().map(word).collect();
        let found = ready.call(&words);
        match run_on(program, args.clone()) {
            Ok(Value::Real(x)) if x.is_nan() => {
                assert!(found.is_ok_and(|word| f64::from_bits(word).is_nan()), "{what} at {args:?}: {found:?}");
            }
            Ok(value) => assert_eq!(found, Ok(word(&value)), "{what} at {args:?}, where {value:?} is right"),
            Err(Stop::Error { code, .. }) => assert_eq!(found, Err(code.0), "{what} at {args:?}"),
            Err(other) => panic!("{what} at {args:?}: {other:?}"),
        }
    }
}

const REALS: &[f64] =
    &[0.0, -0.0, 1.0, -1.5, 2.5, 0.5, -7.25, 3.0, 1e19, -9.3e18, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324];
const INTS: &[i64] = &[0, 1, -1, 2, -3, 7, 62, 1 << 31, -(1 << 31), 1 << 32, i64::MAX, i64::MIN, i64::MIN + 1];

fn shape(leaf: Leaf) -> (ShapeId, Type) {
    match leaf {
        Leaf::Bool => (common::BOOL, Type::Bool),
        Leaf::Int => (common::INT, Type::Int),
        Leaf::Real => (common::REAL, Type::Real),
        Leaf::Ptr | Leaf::Object => unreachable!("a scalar"),
    }
}

fn inputs(leaves: &[Leaf]) -> Vec<Vec<Value>> {
    let of = |at: usize, leaf: Leaf| -> Vec<Value> {
        match leaf {
            Leaf::Bool => vec![Value::Bool(false), Value::Bool(true)],
            // Orders stay small.
            Leaf::Int if at == 2 => (0..4).map(Value::Int).collect(),
            Leaf::Int => INTS.iter().copied().map(Value::Int).collect(),
            _ => REALS.iter().copied().map(Value::Real).collect(),
        }
    };
    leaves.iter().enumerate().fold(vec![vec![]], |all, (at, leaf)| {
        let choices = of(at, *leaf);
        all.iter()
            .flat_map(|some| choices.iter().map(|value| [&some[..], std::slice::from_ref(value)].concat()))
            .collect()
    })
}

fn of_scalar(scalar: Scalar) -> (first_order::Program, Vec<Leaf>) {
    let (leaves, result) = scalar_signature(scalar);
    let leaves = match scalar {
        Scalar::Function(number) => vec![Leaf::Real; numerics::FUNCTIONS[usize::from(number)].arity],
        _ => leaves.to_vec(),
    };
    let mut f = FunctionBuilder::new("f", shape(result).1);
    let args: Vec<Atom> = leaves.iter().map(|leaf| f.param(shape(*leaf).1)).collect();
    let value = f.bind(shape(result).1, Op::Scalar(scalar, args));
    let shapes: Vec<ShapeId> = leaves.iter().map(|leaf| shape(*leaf).0).collect();
    (program(vec![f.finish(End::Yield(value))], &shapes, shape(result).0), leaves)
}

#[test]
fn scalar_operations_agree_with_the_interpreter() {
    for scalar in Scalar::all().filter(|scalar| !matches!(scalar, Scalar::Function(_) | Scalar::IntPow)) {
        let (program, leaves) = of_scalar(scalar);
        agree(&program, &inputs(&leaves), &format!("{scalar:?}"));
    }
}

#[test]
fn transcendentals_have_the_bits_of_the_library() {
    for (number, function) in numerics::FUNCTIONS.iter().enumerate() {
        let (program, leaves) = of_scalar(Scalar::Function(number as u16));
        let mut all = inputs(&leaves);
        let mut state = 1_u64;
        for _ in 0..300 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let size = f64::from_bits((1023 - 40 + (state >> 40) % 52) << 52);
                Value::Real(
                    size * (1.0 + (state >> 11) as f64 / (1_u64 << 53) as f64)
                        * if state & 64 == 0 { -1.0 } else { 1.0 },
                )
            };
            all.push(leaves.iter().map(|_| next()).collect());
        }
        agree(&program, &all, function.name);
    }
}

#[test]
fn a_recursion_that_is_too_deep_fails_in_time() {
    let mut f = FunctionBuilder::new("down", Type::Int);
    let n = f.param(Type::Int);
    let done = f.scalar(Type::Bool, Scalar::IntLe, [n.clone(), Atom::Int(0)]);
    let value = f.choose(
        Type::Int,
        done,
        |_| End::Yield(Atom::Int(0)),
        |b| {
            let less = b.scalar(Type::Int, Scalar::IntSub, [n.clone(), Atom::Int(1)]);
            let rest = b.bind(Type::Int, Op::Call(FunctionId(0), vec![less]));
            End::Yield(b.scalar(Type::Int, Scalar::IntAdd, [rest, Atom::Int(1)]))
        },
    );
    let program = program(vec![f.finish(End::Yield(value))], &[common::INT], common::INT);
    let mut ready = Ready::new(&module_of(&program));
    assert_eq!(ready.call(&[100]), Ok(100));
    assert_eq!(ready.call(&[1 << 40]), Err(base::codes::RECURSION_TOO_DEEP.0));
    assert_eq!(ready.call(&[101]), Ok(101));
}

#[test]
fn random_programs_are_valid_modules_of_either_host() {
    let engine = Engine::default();
    for seed in 0..400 {
        let lowered = loops::lower(&generate::program(seed));
        let module = emit(&lowered, HOST).unwrap_or_else(|why| panic!("{seed}: {why}"));
        wasmi::Module::new(&engine, &module.bytes).unwrap_or_else(|error| panic!("{seed}: {error}\n{lowered}"));
        assert!(emit(&lowered, Host { fused: true, ..HOST }).is_ok());
    }
}
