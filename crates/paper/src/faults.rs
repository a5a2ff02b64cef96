//! A program for each fault of the printed text: what it gives with the fault, and what it gives without.

use crate::corrections::{Correction, Corrections};

pub struct Fault {
    pub number: &'static str,
    /// What the text says.
    pub printed: &'static str,
    /// What it must say.
    pub here: &'static str,
    /// Definitions, and the expression that shows the fault.
    pub definitions: &'static str,
    pub expression: &'static str,
    pub kind: Kind,
    pub as_printed: &'static str,
    pub corrected: &'static str,
}

pub enum Kind {
    /// A rule of the calculus: `left_out` is left out to show it; `also` is left out in both runs, because it would hide it.
    Rule { left_out: &'static [Correction], also: &'static [Correction] },
    /// A program of the paper: other definitions and another expression mend it.
    Program { definitions: &'static str, expression: &'static str },
}

impl Fault {
    /// What the interpreter gives, with the fault and without.
    pub fn run(&self) -> [Result<String, String>; 2] {
        match &self.kind {
            Kind::Rule { left_out, also } => {
                let rest = Corrections::ALL.without(also);
                [rest.without(left_out), rest].map(|corrections| last(self.definitions, self.expression, corrections))
            }
            Kind::Program { definitions, expression } => [
                last(self.definitions, self.expression, Corrections::ALL),
                last(definitions, expression, Corrections::ALL),
            ],
        }
    }

    /// Its row in docs/paper.md.
    pub fn row(&self) -> String {
        let Fault { number, printed, here, expression, as_printed, corrected, .. } = self;
        format!("| {number} | {printed} | {here} | `{expression}` | {as_printed} | {corrected} |")
    }
}

/// What the last expression of a program gives.
fn last(definitions: &str, expression: &str, corrections: Corrections) -> Result<String, String> {
    let outcomes = crate::run(&format!("{definitions}\n{expression}"), corrections)?;
    outcomes.first().map(|outcome| outcome.result.clone()).ok_or("nothing to show".to_string())
}

pub const LOG1PEXP: &str = "
LOG1PEXP ≜ λx log (1 + exp x)
let rec LOG1PEXP' ≜ LOG1PEXP ⟵ λx (LOG1PEXP' x, λẏ ([], ẏ × (1 - 1 ÷ (1 + exp x))))
";

pub const FIX: &str = "
let rec FIX ≜ λp λf λx let x' ≜ f x in if p x x' then x else FIX p f x'
let rec FIX' ≜ λp λf FIX p f ⟵ λx
  let x_* ≜ FIX' p f x in (x_*, λẋ_*
  let f' ≜ Cdr ((J f) x_*) in
  let g ≜ λu (ẋ_* ⊕ Cdr (f' u)) in
  let ḟ ≜ Car (f' (FIX' p g ẋ_*)) in
  ([𝟎 p, ḟ], 𝟎 x))
SQRT ≜ λa FIX' (λx λy abs (x - y) < 1e-12) (λx (x + a ÷ x) ÷ 2) a
COSFIX ≜ λa FIX' (λx λy abs (x - y) < 1e-9) (λx cos (a × x)) 0.5
";

/// With section 3.3 before it, as in the paper.
const FIX_AFTER_F: &str = "
f ≜ λx x ÷ (1 + √x)
let rec FIX ≜ λp λf λx let x' ≜ f x in if p x x' then x else FIX p f x'
let rec FIX' ≜ λp λf FIX p f ⟵ λx
  let x_* ≜ FIX' p f x in (x_*, λẋ_*
  let f' ≜ Cdr ((J f) x_*) in
  let g ≜ λu (ẋ_* ⊕ Cdr (f' u)) in
  let ḟ ≜ Car (f' (FIX' p g ẋ_*)) in
  ([𝟎 p, ḟ], 𝟎 x))
SQRT ≜ λa FIX' (λx λy abs (x - y) < 1e-12) (λx (x + a ÷ x) ÷ 2) a
";

/// The adjoint iteration with a stop that doesn't depend on the size of its seed.
const FIX_SCALED: &str = "
let rec FIX ≜ λp λf λx let x' ≜ f x in if p x x' then x else FIX p f x'
let rec FIX' ≜ λp λf FIX p f ⟵ λx
  let x_* ≜ FIX' p f x in (x_*, λẋ_*
  let f' ≜ Cdr ((J f) x_*) in
  let q ≜ λx λy p (x ÷ ẋ_*) (y ÷ ẋ_*) in
  let g ≜ λu (ẋ_* ⊕ Cdr (f' u)) in
  let ḟ ≜ Car (f' (FIX' q g ẋ_*)) in
  ([𝟎 p, ḟ], 𝟎 x))
COSFIX ≜ λa FIX' (λx λy abs (x - y) < 1e-9) (λx cos (a × x)) 0.5
";

pub const MAP: &str = "
let rec MAP ≜ λf λv if EMPTY? v then v else let (x, u) ≜ v in (f x, MAP f u)
let rec MAP' ≜ λf MAP f ⟵ λv
  let u ≜ MAP' (J f) v in
  let v' ≜ MAP' Car u in let w ≜ MAP' Cdr u in
  let rec g ≜ λv̇' if EMPTY? v̇' then ([𝟎 f], []) else
    let (h, w') ≜ w in let (ẏ, v̇'') ≜ v̇' in
    let (ḟ, ẋ) ≜ h ẏ in let (ḟ', v̇''') ≜ g v̇'' in
    ([ḟ] ⊕ ḟ', (ẋ, v̇''')) in
  (v', g)
let rec SUM ≜ λv if EMPTY? v then 0 else let (x, u) ≜ v in x + SUM u
";

/// g takes the list of backpropagators along.
const MAP_ADVANCING: &str = "
let rec MAP ≜ λf λv if EMPTY? v then v else let (x, u) ≜ v in (f x, MAP f u)
let rec MAP' ≜ λf MAP f ⟵ λv
  let u ≜ MAP' (J f) v in
  let v' ≜ MAP' Car u in let w ≜ MAP' Cdr u in
  let rec g ≜ λw λv̇' if EMPTY? v̇' then ([𝟎 f], []) else
    let (h, w') ≜ w in let (ẏ, v̇'') ≜ v̇' in
    let (ḟ, ẋ) ≜ h ẏ in let (ḟ', v̇''') ≜ g w' v̇'' in
    ([ḟ] ⊕ ḟ', (ẋ, v̇''')) in
  (v', g w)
let rec SUM ≜ λv if EMPTY? v then 0 else let (x, u) ≜ v in x + SUM u
";

const LINE: &str = "
LINE ≜ λa let c ≜ a × a in (λx a × x) ⟵ λx (a × x, λẏ ([x × ẏ], c ÷ a × ẏ))
";

/// One correction left out.
const fn only(left_out: &'static [Correction]) -> Kind {
    Kind::Rule { left_out, also: &[] }
}

pub const FAULTS: &[Fault] = &[
    Fault {
        number: "D1",
        printed: "𝓔 σ (e₁, e₂) ≡ 𝓐 (𝓔 σ e₁) (𝓔 σ e₂): the rule of application stands at the pair",
        here: "application applies, a pair is a pair",
        definitions: "",
        expression: "(exp, 0)",
        kind: only(&[Correction::D1]),
        as_printed: "1",
        corrected: "(exp, 0)",
    },
    Fault {
        number: "D2",
        printed: "ρ{xᵢ ≜ xⱼ xₖ} applies the backpropagator of xⱼ",
        here: "that of xᵢ, which the call gave",
        definitions: "",
        expression: "∇ (λx let f ≜ λy y × y in f x + f (2 × x)) 3",
        kind: only(&[Correction::D2]),
        as_printed: "stuck: ‾f is not bound",
        corrected: "30",
    },
    Fault {
        number: "D3",
        printed: "nothing is accumulated into x ∉ {x₀} ∪ B e: not into variables that e binds",
        here: "it is",
        definitions: "",
        expression: "∇ (λx x × x) 3",
        kind: only(&[Correction::D3]),
        as_printed: "0",
        corrected: "6",
    },
    Fault {
        number: "D4",
        printed: "B is defined for parameters in X and for reversed λs, not for the λ of a backpropagator",
        here: "its captures, as of any λ",
        definitions: "",
        expression: "∇ (∇ (λx x × x × x)) 2",
        kind: only(&[Correction::D4]),
        as_printed: "stuck: B is not defined for the parameter ↽t",
        corrected: "12",
    },
    Fault {
        number: "D5",
        printed: "σ⃖ x = σ₀ x for x ∈ (F e⃖) \\ (F e): an operator that e itself mentions is lost",
        here: "operators are constants (D13); else \\ {x⃖ for x ∈ F e}",
        definitions: "",
        expression: "∇ (λx 𝟎 x ⊕ x × x) 3",
        kind: Kind::Rule { left_out: &[Correction::D5], also: &[Correction::D13] },
        as_printed: "stuck: ⊕ is not bound",
        corrected: "6",
    },
    Fault {
        number: "D6",
        printed: "a pair is a closure, whose zero is the list [𝟎 x₁, 𝟎 x₂]; the reverse of b returns a pair",
        here: "pairs are values of their own: J, 𝟎 and ⊕ go into their parts",
        definitions: "",
        expression: "𝟎 (1, 2) ⊕ (3, 4)",
        kind: only(&[Correction::D6]),
        as_printed: "stuck: [0] ⊕ 4: not conformant",
        corrected: "(3, 4)",
    },
    Fault {
        number: "D7",
        printed: "(↽xⱼ, ↽xₖ) ⊕≜ … at once loses a contribution where xⱼ is xₖ",
        here: "one after the other",
        definitions: "",
        expression: "∇ (λa let f ≜ λy a in f f) 3",
        kind: only(&[Correction::D7]),
        as_printed: "0",
        corrected: "1",
    },
    Fault {
        number: "D8",
        printed: "𝓔 σ (λx e) ≡ ⟨σ, λx e⟩ keeps all of σ, but a pair is ⟨{x₁, x₂}, …⟩ and no more",
        here: "a closure keeps its free variables (and λ(J x) e means λx⃖ let x ≜ J⁻¹ x⃖ in e)",
        definitions: "",
        expression: "2 × 3",
        kind: Kind::Rule { left_out: &[Correction::D8], also: &[Correction::D6, Correction::D13] },
        as_printed: "stuck: × ⟨σ, λx₃ …⟩: not a pair",
        corrected: "6",
    },
    Fault {
        number: "D9",
        printed: "J (v₁ ⟵ v₂) ≡ v₂ is applied to a tagged number, which exp and × don't take",
        here: "no tags: J is the identity on numbers",
        definitions: LOG1PEXP,
        expression: "∇ LOG1PEXP' 1000",
        kind: only(&[Correction::D9]),
        as_printed: "stuck: exp ↼1000: not a number",
        corrected: "1",
    },
    Fault {
        number: "D10",
        printed: "J (v₁ ⟵ v₂) ≡ v₂ forgets v₁, so J⁻¹ gives another function",
        here: "a J-image is linked to what it is the image of",
        definitions: "",
        expression: "J⁻¹ (J (sin ⟵ J cos)) 0",
        kind: only(&[Correction::D10]),
        as_printed: "1",
        corrected: "0",
    },
    Fault {
        number: "D11",
        printed: "𝟎 (v₁ ⟵ v₂) ≡ 𝟎 v₁, but J (v₁ ⟵ v₂) has the captures of v₂: the second order takes one list for the other",
        here: "an attached function captures both, and so has two sensitivities",
        definitions: LINE,
        expression: "∇ (λa ∇ (LINE a) 5) 3",
        kind: only(&[Correction::D11]),
        as_printed: "-1",
        corrected: "1",
    },
    Fault {
        number: "D12",
        printed: "the reverse of ⟵ returns (↽y, J ↽y), which counts twice",
        here: "to v₁ what is v₁'s and to v₂ what is v₂'s",
        definitions: "",
        expression: "∇ (λa let f ≜ λx a × x × x in (f ⟵ J f) 2) 3",
        kind: Kind::Rule { left_out: &[Correction::D12], also: &[Correction::D11] },
        as_printed: "8",
        corrected: "4",
    },
    Fault {
        number: "D13",
        printed: "log, exp, + and 1 are free variables of LOG1PEXP, so the sensitivity of its captures isn't []",
        here: "definitions, primitives and numbers are constants",
        definitions: LOG1PEXP,
        expression: "∇ (λx LOG1PEXP' (2 × x)) 500",
        kind: only(&[Correction::D13]),
        as_printed: "stuck: [[], [], [], 0] ⊕ []: not conformant",
        corrected: "2",
    },
    Fault {
        number: "D14",
        printed: "a rule lists captures of another function in the order ≺: with section 3.3 before it, f ≺ p, and [𝟎 p, ḟ] is the wrong list",
        here: "captures have labels, and a clause names its own",
        definitions: FIX_AFTER_F,
        expression: "∇ SQRT 2",
        kind: Kind::Program { definitions: FIX, expression: "∇ SQRT 2" },
        as_printed: "stuck: [0] ⊕ []: not conformant",
        corrected: "0.3535533905932738",
    },
    Fault {
        number: "D15",
        printed: "let rec (SIN', COS') ≜ (…, …) by the Y combinator: Y makes functions, not pairs",
        here: "a definition may mean itself, whatever it is",
        definitions: "let rec (SIN', COS') ≜ (sin ⟵ λx (SIN' x, λẏ ([], ẏ × COS' x)), cos ⟵ λx (COS' x, λẏ ([], ẏ × -SIN' x)))",
        expression: "∇ (∇ SIN') 1",
        kind: only(&[Correction::D15]),
        as_printed: "stuck: Car ⟨σ, λv …⟩: not a pair",
        corrected: "-0.8414709848078965",
    },
    Fault {
        number: "D16",
        printed: "the adjoint iteration of FIX' stops by p, an absolute tolerance: it isn't linear in its seed",
        here: "its stop doesn't depend on the size of the seed",
        definitions: FIX,
        expression: "1e12 × Cdr ((Cdr (J COSFIX 0.8)) 1e-12)",
        kind: Kind::Program { definitions: FIX_SCALED, expression: "1e12 × Cdr ((Cdr (J COSFIX 0.8)) 1e-12)" },
        as_printed: "-0.47933191407554604",
        corrected: "-0.32420503057694516",
    },
    Fault {
        number: "D17",
        printed: "1 - 1 ÷ (1 + exp x) cancels for x ≪ 0",
        here: "the sigmoid",
        definitions: LOG1PEXP,
        expression: "∇ LOG1PEXP' (-40)",
        kind: Kind::Program {
            definitions: "let rec LOG1PEXP' ≜ (λx log (1 + exp x)) ⟵ λx (LOG1PEXP' x, λẏ ([], ẏ × (exp x ÷ (1 + exp x))))",
            expression: "∇ LOG1PEXP' (-40)",
        },
        as_printed: "0",
        corrected: "4.248354255291589e-18",
    },
    Fault {
        number: "D18",
        printed: "every sensitivity begins as 𝟎 (J⁻¹ x⃖), and every backpropagator runs, also at zero",
        here: "zeros are symbolic and absorb",
        definitions: "",
        expression: "∇ (λx let y ≜ √x in x) 0",
        kind: only(&[Correction::D18]),
        as_printed: "NaN",
        corrected: "1",
    },
    Fault {
        number: "D19",
        printed: "g in MAP' takes h from w at every step: it never advances to w'",
        here: "g takes w along",
        definitions: MAP,
        expression: "∇ (λv SUM (MAP' (λx x × x) v)) [1, 2, 3]",
        kind: Kind::Program { definitions: MAP_ADVANCING, expression: "∇ (λv SUM (MAP' (λx x × x) v)) [1, 2, 3]" },
        as_printed: "[2, 2, 2]",
        corrected: "[2, 4, 6]",
    },
    Fault {
        number: "D20",
        printed: "(σ₁ ⊕ σ₂) ⊕ x ≡ (σ₁ x) ⊕ (σ₂ x): the sum of environments is added to x, not applied to it",
        here: "(σ₁ ⊕ σ₂) x; in Evert functions are no sensitivities and have no ⊕",
        definitions: "",
        expression: "let f ≜ λa λx a × x in (f 2 ⊕ f 5) 3",
        kind: only(&[Correction::D20]),
        as_printed: "stuck: no rule for (σ₁ ⊕ σ₂) x",
        corrected: "21",
    },
];
