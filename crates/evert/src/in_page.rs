//! The engine that compiles where there is no operating system but a host that runs WebAssembly, as a page does.
//!
//! In: L3 programs. Out: modules that the host makes callable, run by the runtime that native code has too (crate `native`). The host lends the
//! functions `evert.compile`, `evert.forget`, `evert.fused`, and those of `native::stack`. What it refuses to compile is interpreted.

pub use super::without_native::llvm;

pub mod native {
    pub use ::native::run;

    pub use crate::without_native::native::emit;

    pub mod host {
        use std::convert::Infallible;

        use eval::Value;

        use super::engine::Compiled;

        /// Code that any thread may run: there is one.
        pub struct Portable(Infallible);

        impl Portable {
            pub fn new(code: Compiled, _: Option<usize>, _: &[Value]) -> Result<Portable, Box<Compiled>> {
                Err(Box::new(code))
            }
        }
    }

    pub mod runtime {
        pub mod survey {
            pub use ::native::runtime::survey::{Found, MARK, Objects, Place};
        }
    }

    pub mod engine {
        use std::convert::Infallible;
        use std::time::Duration;

        use ::native::run::{Again, Runner, Stop, Tables, Usage, tables};
        use ::native::runtime::OFFSETS;
        use ::native::runtime::survey::Found;
        use ::native::runtime::symbols::symbols;
        use ::native::stack::Entry;
        use base::budget::{self, Stage};
        use eval::Value;
        use first_order::Program;

        use super::super::llvm::{Cache, Effort, Llvm, SelfTest};
        use super::emit::Checks;

        /// Compiles programs and runs them, one at a time.
        pub struct Engine {
            runner: Runner,
            host: wasm::Host,
            /// The runtime's functions, in the order in which modules import them.
            runtime: Vec<*const ()>,
        }

        pub struct Looking(Infallible);

        /// A program ready to run.
        pub struct Compiled {
            entry: Entry,
            tables: Tables,
            pub stats: Stats,
            /// A page has one thread: no loop runs in pieces.
            pub loops: Vec<loops::parallel::Found>,
            pub places: Option<Vec<loops::Place>>,
            /// The module reads and writes these words as long as it runs.
            _data: Box<[u64]>,
        }

        #[derive(Clone, Debug, Default)]
        pub struct Stats {
            pub ir_bytes: usize,
            pub object_bytes: usize,
            pub cache_hit: bool,
            pub not_kept: Option<String>,
            pub compiling: Duration,
            pub linking: Duration,
        }

        #[link(wasm_import_module = "evert")]
        unsafe extern "C" {
            /// Makes a module of so many bytes callable, whose words and whose functions of the runtime are there: its `entry`, or nothing.
            #[link_name = "compile"]
            fn host_compile(
                bytes: *const u8,
                length: usize,
                data: *const u64,
                runtime: *const *const (),
            ) -> Option<Entry>;
            /// It won't be called any more.
            #[link_name = "forget"]
            fn host_forget(entry: Entry);
            /// Does `f64x2.relaxed_madd` round once? 0 or 1.
            #[link_name = "fused"]
            fn host_fused() -> u32;
        }

        impl Drop for Compiled {
            fn drop(&mut self) {
                // SAFETY: the entry is one that the host gave.
                unsafe { host_forget(self.entry) };
            }
        }

        impl Looking {
            pub fn start(_: SelfTest) -> Option<Looking> {
                None
            }

            pub fn engine(self) -> Result<Engine, &'static str> {
                match self.0 {}
            }
        }

        impl Engine {
            pub fn new(_: SelfTest) -> Result<Engine, &'static str> {
                let runner = Runner::new().ok_or("there is no memory")?;
                // SAFETY: a question without conditions.
                let fused = unsafe { host_fused() } != 0;
                let symbols = symbols();
                let address = |name| symbols.iter().find(|known| known.name == name).map(|known| known.address);
                let runtime: Option<Vec<_>> = wasm::imported().map(|(name, _)| address(name)).collect();
                let runtime = runtime.ok_or("the runtime lacks a function")?;
                Ok(Engine { runner, host: wasm::Host { offsets: OFFSETS, fused }, runtime })
            }

            pub fn with(llvm: Llvm, _: Cache) -> Result<Engine, &'static str> {
                llvm.never()
            }

            pub fn rest(&mut self) {}

            /// Makes a program ready to run.
            pub fn compile_with(&self, program: &Program, _: Effort, _: Checks) -> Result<Compiled, String> {
                budget::begin(Stage::Lowering);
                let lowered = loops::lower(program);
                budget::begin(Stage::Emission);
                let wasm::Module { bytes, data } = wasm::emit(&lowered, self.host).map_err(|why| why.to_string())?;
                let data = data.into_boxed_slice();
                // SAFETY: the bytes and the functions are there during the call, the words as long as the code.
                let entry = unsafe { host_compile(bytes.as_ptr(), bytes.len(), data.as_ptr(), self.runtime.as_ptr()) };
                let entry = entry.ok_or("the host doesn't take the module")?;
                let stats = Stats { object_bytes: bytes.len(), ..Stats::default() };
                Ok(Compiled {
                    entry,
                    tables: tables(program, &lowered),
                    stats,
                    loops: vec![],
                    places: None,
                    _data: data,
                })
            }

            pub fn compile_surveyed(&self, _: &Program, _: Effort) -> Result<Compiled, &'static str> {
                Err("surveys are made of native code")
            }

            /// Runs a program on values of its parameters' shapes.
            pub fn run(
                &mut self,
                program: &Compiled,
                codes: &dyn first_order::Codes,
                args: &[Value],
                output: &mut dyn FnMut(&str),
            ) -> Result<Value, Stop> {
                // SAFETY: the entry was made for these tables, and the host has it as long as `program` lives.
                unsafe { self.runner.run(program.entry, &program.tables, codes, args, output) }
            }

            pub fn repeat(
                &mut self,
                program: &Compiled,
                codes: &dyn first_order::Codes,
                args: &[Value],
                output: &mut dyn FnMut(&str),
                again: &mut dyn FnMut(Duration) -> Again,
            ) -> Result<Value, Stop> {
                // SAFETY: as for `run`.
                unsafe { self.runner.repeat(program.entry, &program.tables, codes, args, output, again) }
            }

            pub fn usage(&self) -> Usage {
                self.runner.usage()
            }

            pub fn found(&self) -> Option<&Found> {
                None
            }

            pub fn effort(&self) -> Option<Effort> {
                None
            }
        }
    }
}
