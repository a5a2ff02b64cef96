//! What code is made of on purpose, for those who test the compiler.
//!
//! `EVERT_TIER` says how much work goes into all code, `EVERT_CPU` which instructions it may use. Both are read when an LLVM is looked for; what
//! they can't mean is a reason why there is none.

use crate::Effort;

/// The levels of the x86-64 architecture that code differs between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// What every such machine has: no fma, two reals at a time.
    Sse2,
    /// With fma, four reals at a time.
    Avx2,
    /// Eight reals at a time.
    Avx512,
}

impl InstructionSet {
    /// All of them, each with what the ones before it have.
    pub const ALL: [InstructionSet; 3] = [InstructionSet::Sse2, InstructionSet::Avx2, InstructionSet::Avx512];

    /// Its name in `EVERT_CPU`.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Sse2 => "sse2",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }

    /// Does this machine have it?
    pub fn is_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return match self {
            InstructionSet::Sse2 => true,
            InstructionSet::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("f16c")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("movbe")
            }
            InstructionSet::Avx512 => {
                InstructionSet::Avx2.is_here()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512cd")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        };
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// LLVM's name for a processor that has this and no more.
    pub(crate) fn processor(self) -> &'static str {
        match self {
            InstructionSet::Sse2 => "x86-64",
            InstructionSet::Avx2 => "x86-64-v3",
            InstructionSet::Avx512 => "x86-64-v4",
        }
    }
}

/// What the environment asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `EVERT_TIER`; otherwise whoever has the code compiled decides.
    pub effort: Option<Effort>,
    /// `EVERT_CPU`; otherwise all that the machine has.
    pub instructions: Option<InstructionSet>,
}

impl Settings {
    /// `Err`: what is wrong with a variable.
    pub fn from_environment() -> Result<Settings, String> {
        let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
        let effort = match set("EVERT_TIER") {
            None => None,
            Some(tier) => {
                let known = Effort::ALL.into_iter().find(|effort| effort.name() == tier);
                Some(known.ok_or_else(|| format!("EVERT_TIER is `{tier}`, not quick, standard or full"))?)
            }
        };
        let instructions = match set("EVERT_CPU").filter(|cpu| cpu != "native") {
            None => None,
            Some(cpu) => {
                let known = InstructionSet::ALL.into_iter().find(|set| set.name() == cpu);
                let known = known.ok_or_else(|| format!("EVERT_CPU is `{cpu}`, not native, sse2, avx2 or avx512"))?;
                if !known.is_here() {
                    return Err(format!("EVERT_CPU is `{cpu}`, which this machine doesn't have"));
                }
                Some(known)
            }
        };
        Ok(Settings { effort, instructions })
    }
}
