//! The primitives: functions that the calculus takes as given.
//!
//! Each has a name, the number of its arguments and a line of documentation. What they compute is the
//! evaluator's business; how they differentiate is written in the language itself (`library/derivatives.ev`),
//! and a test walks this table so that none is forgotten. Names that begin with `.` can't be written in a
//! program: derived code and the library's derivative rules use them.

use std::fmt;

macro_rules! primitives {
    ($($variant:ident $name:literal $arity:literal $doc:literal)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Prim { $(#[doc = $doc] $variant),* }

        impl Prim {
            pub const ALL: &[Prim] = &[$(Prim::$variant),*];

            pub fn name(self) -> &'static str {
                match self { $(Prim::$variant => $name),* }
            }

            /// How many arguments it takes; several come as one tuple.
            pub fn arity(self) -> usize {
                match self { $(Prim::$variant => $arity),* }
            }

            pub fn doc(self) -> &'static str {
                match self { $(Prim::$variant => $doc),* }
            }
        }
    };
}

primitives! {
    // Arithmetic, elementwise on arrays whose shapes fit and with scalars
    Add "add" 2 "`a + b`"
    Sub "sub" 2 "`a - b`"
    Mul "mul" 2 "`a * b`"
    Div "divide" 2 "`a / b`, always real"
    Rem "rem" 2 "`a % b`, with the sign of `b`"
    Pow "pow" 2 "`a ^ b`; an int to an int power is an int"
    Neg "neg" 1 "`-a`"
    IntDiv "div" 2 "the quotient of two ints, rounded towards minus infinity"
    IntMod "mod" 2 "the remainder of two ints, with the sign of the divisor"
    Abs "abs" 1 "the absolute value; its derivative at 0 is 0"
    Sign "sign" 1 "-1, 0 or 1 with the sign of the argument"
    Minimum "minimum" 2 "the smaller of two; a tie goes to the first"
    Maximum "maximum" 2 "the larger of two; a tie goes to the first"
    // Comparison
    Eq "eq" 2 "`a == b`, structural, IEEE on reals"
    Ne "ne" 2 "`a != b`"
    Lt "lt" 2 "`a < b`"
    Le "le" 2 "`a <= b`"
    Gt "gt" 2 "`a > b`"
    Ge "ge" 2 "`a >= b`"
    Not "not" 1 "`!a`"
    // Real functions, elementwise on arrays
    Sqrt "sqrt" 1 "the square root"
    Cbrt "cbrt" 1 "the cube root"
    Exp "exp" 1 "e to the power of the argument"
    Expm1 "expm1" 1 "`exp(x) - 1`, exact near 0"
    Log "log" 1 "the natural logarithm"
    Log1p "log1p" 1 "`log(1 + x)`, exact near 0"
    Log2 "log2" 1 "the logarithm to base 2"
    Log10 "log10" 1 "the logarithm to base 10"
    Sin "sin" 1 "the sine"
    Cos "cos" 1 "the cosine"
    Tan "tan" 1 "the tangent"
    Asin "asin" 1 "the inverse sine"
    Acos "acos" 1 "the inverse cosine"
    Atan "atan" 1 "the inverse tangent"
    Atan2 "atan2" 2 "the angle of the point (x, y), called as `atan2(y, x)`"
    Sinh "sinh" 1 "the hyperbolic sine"
    Cosh "cosh" 1 "the hyperbolic cosine"
    Tanh "tanh" 1 "the hyperbolic tangent"
    Asinh "asinh" 1 "the inverse hyperbolic sine"
    Acosh "acosh" 1 "the inverse hyperbolic cosine"
    Atanh "atanh" 1 "the inverse hyperbolic tangent"
    Erf "erf" 1 "the error function"
    Erfc "erfc" 1 "`1 - erf(x)`, exact for large arguments"
    Lgamma "lgamma" 1 "the logarithm of the absolute value of the gamma function"
    Digamma "digamma" 1 "the derivative of `lgamma`"
    Floor "floor" 1 "the largest whole number that is not larger"
    Ceil "ceil" 1 "the smallest whole number that is not smaller"
    Round "round" 1 "the nearest whole number, halves to even"
    Trunc "trunc" 1 "the whole part"
    // Kinds and conversions
    Real "real" 1 "an int as a real, true as 1.0 and false as 0.0"
    Int "int" 1 "the whole part of a real as an int, true as 1 and false as 0"
    IsNan "is_nan" 1 "is it not a number?"
    IsFinite "is_finite" 1 "is it neither infinite nor NaN?"
    IsInt "is_int" 1 "is the value an int?"
    IsReal "is_real" 1 "is the value a real?"
    IsArray "is_array" 1 "is the value an array?"
    IsTuple "is_tuple" 1 "is the value a tuple?"
    IsFunction "is_function" 1 "is the value a function?"
    // Arrays
    Len "len" 1 "the number of elements along the first axis"
    Shape "shape" 1 "the lengths of all axes, as an array of ints"
    Iota "iota" 1 "the array `[0, 1, …, n-1]` of ints"
    Tabulate "tabulate" 2 "the array `[f(0), f(1), …, f(n-1)]`, called as `tabulate(n, f)`"
    Index "index" 2 "`a[i]`; several axes as a tuple of ints, ranges `(from, to)` and `()` for all"
    Update "update" 3 "`{a with [i]: v}`"
    Reshape "reshape" 2 "the same elements in another shape, called as `reshape(a, shape)`"
    Transpose "transpose" 1 "the matrix with rows and columns exchanged; of higher rank, the first two axes"
    Concat "concat" 2 "two arrays, one after the other along the first axis"
    Reversed "reversed" 1 "the array with its first axis reversed"
    Sum "sum" 1 "the sum of all elements of an array"
    ArgMin "argmin" 1 "the index of the smallest element, the first of equals"
    ArgMax "argmax" 1 "the index of the largest element, the first of equals"
    ArgSort "argsort" 1 "the indices that sort an array, equal elements in order"
    Where "where" 1 "the indices at which an array of booleans holds"
    ScatterAdd "scatter_add" 3 "`a` with `v[k]` added at index `i[k]` for each k, called as `scatter_add(a, i, v)`"
    MatMul "matmul" 2 "`a @ b`: matrix with matrix, matrix with vector, vector with matrix or vector"
    Cholesky "cholesky" 1 "the lower triangular L with `L @ transpose(L)` equal to the matrix, of which only the symmetric part counts"
    Solve "solve" 2 "the x with `a @ x = b`"
    SolveLower "solve_lower" 2 "the x with `l @ x = b` for a lower triangular l; what is above the diagonal is not read"
    Det "det" 1 "the determinant"
    Inv "inv" 1 "the inverse matrix"
    Eigh "eigh" 1 "eigenvalues, ascending, and eigenvectors (columns) of the symmetric part of a matrix"
    // Text and effects
    Show "show" 1 "the value as text"
    Join "join" 2 "two texts, one after the other; an array of texts with another between them: `join(texts, \", \")`"
    Trim "trim" 1 "a text without the spaces and line breaks around it"
    Find "find" 2 "where a text contains another first, counted in characters from 0; -1 if it doesn't"
    Replace "replace" 3 "a text with another in place of each occurrence of a part, called as `replace(text, part, other)`"
    ToUpper "to_upper" 1 "a text in capital letters"
    ToLower "to_lower" 1 "a text in small letters"
    ParseReal "parse_real" 1 "the real that a text says, for each text of an array"
    ParseInt "parse_int" 1 "the int that a text says, for each text of an array"
    Print "print" 1 "prints the value on a line; differentiates as if absent"
    Error "error" 1 "ends the program with a message"
    Assert "assert" 1 "ends the program unless the argument holds"
    // Randomness: keys are ints, nothing is hidden
    Key "key" 1 "the random key of a seed"
    Split "split" 1 "two independent keys from one; a text cut at each occurrence of another: `split(text, \",\")`"
    FoldIn "fold_in" 2 "an independent key for each int, called as `fold_in(key, n)`"
    Uniform "uniform" 2 "n reals, uniform in [0, 1), called as `uniform(key, n)`"
    Normal "normal" 2 "n standard normal reals, called as `normal(key, n)`"
    // Differentiation
    J "J" 1 "reverse mode: `J(f)(J(x))` is `(y, dy => (df, dx))`; homomorphic on data"
    JInv "J_inv" 1 "the inverse of J"
    Zero "zero" 1 "the zero sensitivity of a value"
    Plus "plus" 2 "`a ⊕ b`: the sum of two sensitivities"
    Perturbed "perturbed" 1 "does the value hold anything that can carry a sensitivity?"
    // Only for derived code and the derivative rules
    Frame ".frame" 1 "what a rule remembers of an operand whose elements it doesn't need: the zero of its shape"
    Place ".place" 3 "the sensitivity of `a` that is `d` at an index and 0 elsewhere: `.place(a, i, d)`"
    Part ".part" 2 "the sensitivity of `a[i]` in a sensitivity of `a`: `.part(d, i)`"
    Erase ".erase" 2 "a sensitivity of an array with 0 at an index: `.erase(d, i)`"
    Spread ".spread" 2 "the sensitivity of an array of length n as an array of its elements' sensitivities"
    Unspread ".unspread" 1 "the inverse of `.spread`"
    Accumulate ".accumulate" 2 "`f(0) ⊕ f(1) ⊕ … ⊕ f(n-1)`: `.accumulate(n, f)`"
    Fill ".fill" 2 "an array shaped like `a`, every element `d`: `.fill(a, d)`"
    Scale ".scale" 2 "a sensitivity times a factor, elementwise: `.scale(d, g)`; zero stays zero whatever the factor"
    AtMost ".at_most" 2 "1 where `a <= b`, 0 elsewhere, elementwise"
    Keep ".keep" 2 "a sensitivity where a mask is not 0, zero elsewhere: `.keep(mask, d)`"
    PowerSlope ".power_slope" 3 "the k-th derivative of `a^b` by a: `.power_slope(a, b, k)`, 0 where its factor is 0"
    PowerLog ".power_log" 3 "`a^b * log(a)^k`, 0 where a is 0 and b positive: `.power_log(a, b, k)`"
    DetSlope ".det_slope" 2 "the derivative of the determinant's gradient in some directions: `.det_slope(a, [d1, d2])`"
    Broadcast ".broadcast" 2 "an operand repeated to the shape that an elementwise operation with another has: `.broadcast(a, b)`"
    TallQr ".tall_qr" 1 "the factors of a matrix with at least as many rows as columns: `(q, r)`, nothing on the diagonal of r negative"
    ThinSvd ".thin_svd" 1 "the singular value decomposition of a matrix: `(u, values, vt)`"
    Fourier ".fourier" 2 "the discrete Fourier transform of a vector of real and one of imaginary parts: `.fourier(re, im)`"
    Unbroadcast ".unbroadcast" 2 "the sensitivity of an operand from that of an elementwise result: `.unbroadcast(a, d)`"
    Materialise ".materialise" 2 "a sensitivity in the full shape of a value: `.materialise(v, d)`"
    Bare ".bare" 2 "a sensitivity with the symbolic zero wherever the value is discrete, never `()`: `.bare(v, d)`"
    Answer ".answer" 1 "a derivative as a program keeps it: its reals are numbers, none is the symbolic zero"
    Accept ".accept" 2 "a tangent that a program gives for a value, checked, and raw: `.accept(x, dx)`"
    RulePair ".rule_pair" 2 "what a reverse rule returned, checked to be a pair: `.rule_pair(f, r)`"
    RuleResult ".rule_result" 3 "what a rule's backpropagator returned, checked (C2, C3): `.rule_result(f, x, q)`"
    RuleTangent ".rule_tangent" 3 "the tangent that a forward rule gave, checked: `.rule_tangent(f, x, (y, dy))` is dy"
    IsData ".is_data" 1 "is the value a tuple, record or variant with fields?"
    Children ".children" 1 "the fields of a tuple, record or variant, each boxed as `{v: field}`"
    Parts ".parts" 1 "the fields of a tuple, record or variant as pairs: `(first, (second, ()))`. What each is shows in the form of the pairs"
    OfParts ".of_parts" 2 "a value of the same form with the fields in these pairs: `.of_parts(v, pairs)`"
    Aligned ".aligned" 2 "a value with its fields in the order of another of the same form: `.aligned(like, v)`"
    Rebuild ".rebuild" 2 "a value of the same form with these boxed fields: `.rebuild(v, boxes)`"
    Largest ".largest" 1 "the largest absolute value of the reals in a value"
    Close ".close" 3 "do two values agree to a relative 1e-9 or an absolute 1e-12, or to the third argument, if it isn't `()`?"
    Times ".times" 2 "a value with all its reals multiplied: `.times(v, k)`"
    HoldsFunction ".holds_function" 1 "is there a function in the value?"
    RandomLike ".random_like" 2 "a random sensitivity of a value: `.random_like(v, seed)`"
    // Only for `check_rule`
    RelativeLike ".relative_like" 2 "a random sensitivity of a value, each part of it as large as that of the value: `.relative_like(v, seed)`"
    Moved ".moved" 3 "a value moved by h times a sensitivity, captures of functions included: `.moved(v, d, h)`"
    Directions ".directions" 2 "for each capture of a function, its name and a random sensitivity of the function in that capture alone"
    Inner ".inner" 2 "the sum of the products of all reals in two sensitivities"
    Difference ".difference" 2 "the difference of two values as a sensitivity"
    IsApproximate ".is_approximate" 1 "does the function have a rule that is marked approximate?"
    HasRule ".has_rule" 2 "does the function have a rule of this kind? `.has_rule(f, \"forward\")`"
    FunctionName ".function_name" 1 "the name of a function"
    RuleError ".rule_error" 1 "ends the program because a rule is wrong"
    Differentiable ".differentiable" 1 "the value itself, if there is a real in it"
    Seed ".seed" 1 "the sensitivity 1 of a scalar result"
    Expected ".expected" 2 "ends the program because a value is of another kind: `.expected(\"an array for `map`\", v)`"
    Format ".format" 2 "a value as text in a given layout: `.format(v, \">8.3\")`"
    Quietly ".quietly" 2 "`f(x)` without its prints: for recomputation"
    Foreign ".foreign" 2 "what a function of the host gives: `.foreign(number, x)`"
}

/// How a primitive carries a tangent: `dy` from `x` and `dx`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Push {
    /// The result carries no derivative: dy = 0.
    Nothing,
    /// The value itself, as far as tangents go: dy = dx.
    Same,
    /// Linear in its only argument: dy = p(dx).
    Linear,
    /// Elementwise in its only argument. The derivative is a diagonal matrix, its own transpose, so the reverse rule
    /// serves forward mode too: dy = reverse_p(x).1(dx).1.
    Diagonal,
    /// By its rule `forward_p` in `library/tangents.ev`.
    Rule,
}

impl Prim {
    pub fn push(self) -> Push {
        use Prim::*;
        match self {
            Sign | IntDiv | IntMod | Eq | Ne | Lt | Le | Gt | Ge | Not | Floor | Ceil | Round | Trunc | Int | IsNan
            | IsFinite | IsInt | IsReal | IsArray | IsTuple | IsFunction | Len | Shape | Iota | ArgMin | ArgMax
            | ArgSort | Where | Show | Join | Trim | Find | Replace | ToUpper | ToLower | ParseReal | ParseInt
            | Format | Expected | Print | Error | Assert | Key | Split | FoldIn | Uniform | Normal | Zero
            | Perturbed | Frame | AtMost | IsData | Largest | Close | HoldsFunction | RandomLike | RelativeLike
            | Seed | IsApproximate | HasRule | FunctionName | RuleError => Push::Nothing,
            J | JInv | Real | Differentiable | Answer => Push::Same,
            Neg | Transpose | Reversed | Sum | Unspread => Push::Linear,
            Abs | Sqrt | Cbrt | Exp | Expm1 | Log | Log1p | Log2 | Log10 | Sin | Cos | Tan | Asin | Acos | Atan
            | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Erfc | Lgamma | Digamma => Push::Diagonal,
            Add | Sub | Mul | Div | Rem | Pow | Minimum | Maximum | Atan2 | PowerSlope | PowerLog | Tabulate
            | Index | Update | Reshape | Concat | ScatterAdd | MatMul | Cholesky | Solve | SolveLower | Det | Inv
            | Eigh | DetSlope | Plus | Place | Part | Erase | Spread | Accumulate | Fill | Scale | Keep | Broadcast
            | TallQr | ThinSvd | Fourier | Unbroadcast | Materialise | Bare | Accept | RulePair | RuleResult
            | RuleTangent | Children | Rebuild | Parts | OfParts | Aligned | Times | Quietly | Moved | Directions
            | Inner | Difference | Foreign => Push::Rule,
        }
    }

    /// The primitive of this name, internal ones included.
    pub fn by_name(name: &str) -> Option<Prim> {
        Prim::ALL.iter().copied().find(|prim| prim.name() == name)
    }

    /// May a program mention it?
    pub fn is_public(self) -> bool {
        !self.name().starts_with('.')
    }
}

impl fmt::Display for Prim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
