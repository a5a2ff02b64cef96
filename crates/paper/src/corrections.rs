//! The corrections of the printed text, each of which can be left out.

/// The numbers are those of docs/paper.md. D14, D16, D17 and D19 concern programs, not rules, and need no switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// The rule printed for 𝓔 σ (e₁, e₂) is that of application; a pair is a pair.
    D1,
    /// ρ{xᵢ ≜ xⱼ xₖ} uses the backpropagator of xᵢ, not that of xⱼ.
    D2,
    /// Sensitivities of variables that the body binds are accumulated too.
    D3,
    /// B is defined for parameters that are sensitivities.
    D4,
    /// σ̃ keeps a runtime operator that the body mentions itself.
    D5,
    /// Pairs are values of their own.
    D6,
    /// xⱼ and xₖ get their contributions one after the other, also when they are one variable.
    D7,
    /// A closure holds its free variables and no others.
    D8,
    /// J is the identity on numbers and []: there are no tags on values.
    D9,
    /// J of an attached function is linked to it, so that J⁻¹ finds it again.
    D10,
    /// An attached function captures both its parts; so its sensitivity has two.
    D11,
    /// Attaching hands the sensitivity on once.
    D12,
    /// Definitions, primitives and numbers are constants: no closure holds them, and they have no sensitivity.
    D13,
    /// A definition may refer to itself whatever it is, not only if it is a λ.
    D15,
    /// Zeros are symbolic and absorb.
    D18,
    /// (σ₁ ⊕ σ₂) x ≡ (σ₁ x) ⊕ (σ₂ x); printed is (σ₁ ⊕ σ₂) ⊕ x.
    D20,
}

impl Correction {
    pub const ALL: [Correction; 16] = {
        use Correction::*;
        [D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12, D13, D15, D18, D20]
    };

    /// The correction called `D3`.
    pub fn named(name: &str) -> Option<Correction> {
        Correction::ALL.into_iter().find(|correction| format!("{correction:?}") == name)
    }
}

/// Which of the corrections hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrections(u32);

impl Corrections {
    /// The text as printed.
    pub const NONE: Corrections = Corrections(0);
    pub const ALL: Corrections = Corrections(u32::MAX);

    pub fn without(self, left_out: &[Correction]) -> Corrections {
        Corrections(left_out.iter().fold(self.0, |bits, correction| bits & !(1 << *correction as u32)))
    }

    pub fn has(self, correction: Correction) -> bool {
        self.0 & (1 << correction as u32) != 0
    }
}
