//! The primitives t, what they compute, and the text of their reverse transformations.

use crate::corrections::{Correction, Corrections};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// u: from a number to a number
    Unary(&'static str),
    /// b: from a pair of numbers to a number
    Binary(&'static str),
    /// p: is this list empty?
    IsEmpty,
    /// q: is the first number less than the second?
    Less,
    Zero,
    Plus,
    J,
    JInverse,
    Attach,
    /// With D6 only
    Car,
    Cdr,
    /// With D18 only: a sensitivity in the full shape of its value, for the rules that programs attach
    Fill,
}

impl std::fmt::Display for Primitive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl Primitive {
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Unary(name) | Primitive::Binary(name) => name,
            Primitive::IsEmpty => "EMPTY?",
            Primitive::Less => "<",
            Primitive::Zero => "𝟎",
            Primitive::Plus => "⊕",
            Primitive::J => "J",
            Primitive::JInverse => "J⁻¹",
            Primitive::Attach => "⟵",
            Primitive::Car => "Car",
            Primitive::Cdr => "Cdr",
            Primitive::Fill => "fill",
        }
    }

    pub fn all(corrections: Corrections) -> Vec<Primitive> {
        let mut all = vec![
            Primitive::IsEmpty,
            Primitive::Less,
            Primitive::Zero,
            Primitive::Plus,
            Primitive::J,
            Primitive::JInverse,
            Primitive::Attach,
        ];
        all.extend(UNARY.iter().map(|row| Primitive::Unary(row.name)));
        all.extend(BINARY.iter().map(|row| Primitive::Binary(row.name)));
        if corrections.has(Correction::D6) {
            all.extend([Primitive::Car, Primitive::Cdr]);
        }
        if corrections.has(Correction::D18) {
            all.push(Primitive::Fill);
        }
        all
    }
}

struct Unary {
    name: &'static str,
    compute: fn(f64) -> f64,
    /// 𝒟 u x
    slope: &'static str,
}

const UNARY: &[Unary] = &[
    Unary { name: "sin", compute: f64::sin, slope: "cos x" },
    Unary { name: "cos", compute: f64::cos, slope: "-sin x" },
    Unary { name: "exp", compute: f64::exp, slope: "exp x" },
    Unary { name: "log", compute: f64::ln, slope: "1 ÷ x" },
    Unary { name: "√", compute: f64::sqrt, slope: "1 ÷ (2 × √ x)" },
    Unary { name: "abs", compute: f64::abs, slope: "sign x" },
    Unary { name: "sign", compute: sign, slope: "0" },
    Unary { name: "neg", compute: |x| -x, slope: "-1" },
];

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

struct Binary {
    name: &'static str,
    compute: fn(f64, f64) -> f64,
    /// 𝒟₁ b z and 𝒟₂ b z
    slopes: [&'static str; 2],
}

const BINARY: &[Binary] = &[
    Binary { name: "+", compute: |x, y| x + y, slopes: ["1", "1"] },
    Binary { name: "-", compute: |x, y| x - y, slopes: ["1", "-1"] },
    Binary { name: "×", compute: |x, y| x * y, slopes: ["Cdr z", "Car z"] },
    Binary { name: "÷", compute: |x, y| x / y, slopes: ["1 ÷ Cdr z", "-(Car z ÷ (Cdr z × Cdr z))"] },
];

pub fn unary(name: &str, x: f64) -> Option<f64> {
    UNARY.iter().find(|row| row.name == name).map(|row| (row.compute)(x))
}

pub fn binary(name: &str, x: f64, y: f64) -> Option<f64> {
    BINARY.iter().find(|row| row.name == name).map(|row| (row.compute)(x, y))
}

/// The reverse of t: `λ(J x) e` stands for `λ↼x let x ≜ J⁻¹ ↼x in e`, and `↽y` is a variable that is tagged as a sensitivity.
pub fn reversed(primitive: Primitive, corrections: Corrections) -> String {
    // The printed zeros have the shape of their value; with D18 a zero needs no shape.
    let zero = |of: &str| if corrections.has(Correction::D18) { "∅".to_string() } else { format!("𝟎 ({of})") };
    match primitive {
        Primitive::Unary(name) => {
            let slope = UNARY.iter().find(|row| row.name == name).map_or("", |row| row.slope);
            format!("λ(J x) (J ({name} x), λ↽y ([], ({slope}) × ↽y))")
        }
        Primitive::Binary(name) => {
            let [first, second] = BINARY.iter().find(|row| row.name == name).map_or(["", ""], |row| row.slopes);
            let operation = format!("Car z {name} Cdr z");
            format!("λ(J z) (J ({operation}), λ↽y ([], (({first}) × ↽y, ({second}) × ↽y)))")
        }
        Primitive::IsEmpty => format!("λ(J x) (J (EMPTY? x), λ↽y ([], {}))", zero("x")),
        Primitive::Less => format!("λ(J (x₁, x₂)) (J (x₁ < x₂), λ↽y ([], ({}, {})))", zero("x₁"), zero("x₂")),
        Primitive::Zero => format!("λ(J x) (J (𝟎 x), λ↽y ([], {}))", zero("x")),
        Primitive::Plus => "λ(J (x₁, x₂)) (J (x₁ ⊕ x₂), λ↽y ([], (↽y, ↽y)))".to_string(),
        Primitive::J => "λ(J x) (J (J x), λ↽y ([], J⁻¹ ↽y))".to_string(),
        Primitive::JInverse => "λ(J x) (J (J⁻¹ x), λ↽y ([], J ↽y))".to_string(),
        Primitive::Attach => {
            let sensitivities = if corrections.has(Correction::D11) {
                "(Car ↽y, Car (Cdr ↽y))".to_string()
            } else if corrections.has(Correction::D12) {
                format!("(↽y, {})", zero("x₂"))
            } else {
                "(↽y, J ↽y)".to_string()
            };
            format!("λ(J (x₁, x₂)) (J (x₁ ⟵ x₂), λ↽y ([], {sensitivities}))")
        }
        Primitive::Car => format!("λ(J z) (J (Car z), λ↽y ([], (↽y, {})))", zero("Cdr z")),
        Primitive::Cdr => format!("λ(J z) (J (Cdr z), λ↽y ([], ({}, ↽y)))", zero("Car z")),
        Primitive::Fill => "λ(J (x₁, x₂)) (J (fill (x₁, x₂)), λ↽y ([], (∅, ↽y)))".to_string(),
    }
}

/// With D11: the derivative of `primal ⟵ rev`, over both as captures. Adding **0** primal asks that what the rule says of the captures
/// conforms.
pub fn attached(corrections: Corrections) -> &'static str {
    if corrections.has(Correction::D18) {
        "λx let (y, b) ≜ rev x in (y, λẏ let (d, ẋ) ≜ b (fill (y, ẏ)) in ([𝟎 primal ⊕ d, ∅], ẋ))"
    } else {
        "λx let (y, b) ≜ rev x in (y, λẏ let (d, ẋ) ≜ b ẏ in ([𝟎 primal ⊕ d, 𝟎 rev], ẋ))"
    }
}

/// What every program may use. Pairs are encoded only without D6.
pub fn prelude(corrections: Corrections) -> String {
    let pairs = if corrections.has(Correction::D6) {
        "Cons ≜ λx₁ λx₂ (x₁, x₂)"
    } else {
        "Cons ≜ λx₁ λx₂ λx₃ x₃ x₁ x₂\nCar ≜ λx x (λx₁ λx₂ x₁)\nCdr ≜ λx x (λx₁ λx₂ x₂)"
    };
    let nabla = if corrections.has(Correction::D18) {
        "∇ ≜ λf λx fill (J x, Cdr (Cdr ((J f) (J x)) 1))"
    } else {
        "∇ ≜ λf λx Cdr (Cdr ((J f) (J x)) 1)"
    };
    format!("{pairs}\n{nabla}\nY ≜ λf (λx f (λv x x v)) (λx f (λv x x v))\n")
}
