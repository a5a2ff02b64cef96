//! What stands for the native engine and LLVM where there is neither, as in a browser: types without values, so that the code that would use them
//! is the same and never runs. Steps are interpreted, on L3 or by the reference evaluator.

pub mod native {
    pub mod emit {
        /// What code verifies.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub enum Checks {
            #[default]
            Language,
            Memory,
        }
    }

    pub mod run {
        use base::{Code, Span};

        /// Does code run once more?
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Again {
            Yes,
            No,
        }

        /// Why code stopped.
        #[derive(Clone, Debug)]
        pub enum Stop {
            Error { code: Code, span: Span, printed: usize },
            Mismatch { text: String, printed: usize },
            Memory { code: Code, printed: usize },
            Violation { text: String, span: Option<Span>, printed: usize },
        }

        /// What the last run took.
        pub struct Usage {
            pub peak_bytes: usize,
            pub allocated_bytes: usize,
            pub live_after: i64,
        }
    }

    pub mod engine {
        use std::convert::Infallible;
        use std::time::Duration;

        use eval::Value;
        use first_order::Program;

        use super::super::llvm::{Cache, Effort, Llvm, SelfTest};
        use super::emit::Checks;
        use super::run::{Again, Stop, Usage};
        use super::runtime::survey::{Found, Place};

        pub struct Engine(Infallible);
        pub struct Looking(Infallible);

        pub struct Compiled {
            pub stats: Stats,
            pub loops: Vec<loops::parallel::Found>,
            pub places: Option<Vec<Place>>,
            _none: Infallible,
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

        const WHY: &str = "this build has no native engine";

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
                Err(WHY)
            }

            pub fn with(llvm: Llvm, _: Cache) -> Result<Engine, &'static str> {
                match llvm.0 {}
            }

            pub fn rest(&mut self) {}

            pub fn compile_with(&self, _: &Program, _: Effort, _: Checks) -> Result<Compiled, &'static str> {
                match self.0 {}
            }

            pub fn compile_surveyed(&self, _: &Program, _: Effort) -> Result<Compiled, &'static str> {
                match self.0 {}
            }

            pub fn run(
                &mut self,
                _: &Compiled,
                _: &dyn first_order::Codes,
                _: &[Value],
                _: &mut dyn FnMut(&str),
            ) -> Result<Value, Stop> {
                match self.0 {}
            }

            pub fn repeat(
                &mut self,
                _: &Compiled,
                _: &dyn first_order::Codes,
                _: &[Value],
                _: &mut dyn FnMut(&str),
                _: &mut dyn FnMut(Duration) -> Again,
            ) -> Result<Value, Stop> {
                match self.0 {}
            }

            pub fn usage(&self) -> Usage {
                match self.0 {}
            }

            pub fn found(&self) -> Option<&Found> {
                match self.0 {}
            }

            pub fn effort(&self) -> Option<Effort> {
                match self.0 {}
            }
        }
    }

    pub mod host {
        use std::convert::Infallible;

        use eval::Value;

        use super::engine::Compiled;

        /// Code that any thread may run.
        pub struct Portable(Infallible);

        impl Portable {
            pub fn new(code: Compiled, _: Option<usize>, _: &[Value]) -> Result<Portable, Box<Compiled>> {
                Err(Box::new(code))
            }
        }
    }

    pub mod runtime {
        pub mod survey {
            use std::collections::BTreeMap;

            pub const MARK: &str = "<the heap is surveyed here>";

            /// A statement that makes objects.
            pub enum Place {}

            #[derive(Clone, PartialEq, Eq, Debug, Default)]
            pub struct Found {
                pub objects: BTreeMap<Option<u32>, Objects>,
                pub result: Objects,
                pub live_bytes: usize,
            }

            #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
            pub struct Objects {
                pub count: usize,
                pub bytes: usize,
                pub elements: usize,
                pub room: usize,
                pub handles: usize,
            }
        }
    }
}

pub mod llvm {
    use std::convert::Infallible;

    /// How much work goes into code.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Effort {
        Quick,
        Standard,
        Full,
    }

    pub struct Llvm(pub(super) Infallible);

    impl Llvm {
        /// There is none.
        pub fn never(self) -> ! {
            match self.0 {}
        }
    }

    pub struct Cache(Infallible);
    pub struct SelfTest;

    impl SelfTest {
        pub fn this_program() -> SelfTest {
            SelfTest
        }
    }
}
