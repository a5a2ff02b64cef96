//! Where the influence of a number ends: the operations that see it and pass nothing on.

use base::Span;
use calculus::Prim;
use eval::value::Holds;
use eval::watch::What;
use eval::{Value, show};

use super::traces::{Made, Trace, same};

/// So many ends of one number are told.
const MOST: usize = 6;

/// An operation that passes nothing on.
#[derive(Clone, Debug)]
pub struct End {
    pub span: Span,
    /// What it is and why nothing flows through it.
    pub words: String,
    /// The operations on the way from the number to it, in order.
    pub path: Vec<Span>,
    /// How often the run came by.
    pub times: usize,
    /// The function with a rule that it is a call of.
    pub rule: Option<Ruled>,
    /// It passes a value on but says itself that its slope is 0.
    pub says_zero: bool,
}

/// A call of a function with a rule.
#[derive(Clone, Debug)]
pub struct Ruled {
    pub name: Option<String>,
    pub x: Value,
}

/// The ends of what differs between two runs.
pub fn of(here: &Trace, moved: &Trace) -> Vec<End> {
    let common = here.common(moved);
    let mut ends: Vec<End> = vec![];
    let mut readers: Vec<End> = vec![];
    for at in 0..common {
        let (a, b) = (&here.operations[at], &moved.operations[at]);
        let Some((words, strength)) = end(a, b) else { continue };
        let one = End {
            span: a.span,
            words,
            path: path(here, moved, at),
            times: 1,
            rule: a.ruled.clone().map(|name| Ruled { name, x: a.operands[0].clone() }),
            says_zero: strength == Strength::SaysZero,
        };
        let list = if strength == Strength::Reads { &mut readers } else { &mut ends };
        let known = list.iter().position(|known| known.span == one.span);
        match known {
            Some(known) => list[known].times += 1,
            None if list.len() < MOST => list.push(one),
            None => {}
        }
    }
    // That other elements are read says something only if nothing else does.
    if ends.is_empty() { readers } else { ends }
}

#[derive(PartialEq)]
enum Strength {
    Ends,
    /// Only a part was read, or how long it is.
    Reads,
    SaysZero,
}

fn end(a: &Made, b: &Made) -> Option<(String, Strength)> {
    let sees = a.operands.len() == b.operands.len() && a.operands.iter().zip(&b.operands).any(|(a, b)| !same(a, b));
    if !sees {
        return None;
    }
    let passes = !same(&a.value, &b.value);
    let name = a.name();
    match () {
        () if a.ruled.is_some() => {
            let whose = a.ruled.clone().flatten().map_or("this function".to_string(), |name| format!("`{name}`"));
            Some((format!("the rule of {whose} says what flows through it"), Strength::SaysZero))
        }
        () if matches!(&a.what, What::Library(name) if name == "stop_gradient") => {
            Some((format!("`{name}` lets no sensitivity through"), Strength::SaysZero))
        }
        () if matches!(a.what, What::Function | What::Data | What::Backpropagator) => None,
        // What a function that is passed does is seen by itself.
        () if matches!(a.what, What::Library(_))
            && a.operands.iter().any(|value| value.holds().has(Holds::FUNCTION)) =>
        {
            None
        }
        () if a.is(&[Prim::Len, Prim::Shape]) => {
            Some((format!("`{name}` depends on the length only"), Strength::Reads))
        }
        () if !a.value.holds().has(Holds::REAL) && !a.value.holds().has(Holds::FUNCTION) => {
            Some((discrete(a, &name), Strength::Ends))
        }
        () if a.is(&[Prim::Floor, Prim::Ceil, Prim::Round, Prim::Trunc, Prim::Sign]) => {
            Some((flat(a, &name), Strength::Ends))
        }
        () if passes => None,
        () if a.is(&[Prim::Index]) => Some(("another element is read here".to_string(), Strength::Reads)),
        () => Some((flat(a, &name), Strength::Ends)),
    }
}

/// An operation that makes something without a derivative.
fn discrete(made: &Made, name: &str) -> String {
    let comparisons = [Prim::Eq, Prim::Ne, Prim::Lt, Prim::Le, Prim::Gt, Prim::Ge];
    match &made.value {
        Value::Bool(truth) if made.is(&comparisons) => {
            format!("a comparison, {truth} here: it chooses a way, and nothing flows through the choice")
        }
        Value::Bool(_) => format!("`{name}` gives a truth value: nothing flows through it"),
        Value::Int(_) => format!("`{name}` gives an int: ints jump, and carry no derivative"),
        Value::Text(_) => format!("`{name}` gives a text: texts carry no derivative"),
        Value::Array(_) => format!("`{name}` gives an array without reals: nothing flows through it"),
        _ => format!("`{name}` gives something without reals: nothing flows through it"),
    }
}

/// An operation whose value doesn't change with its operands.
fn flat(made: &Made, name: &str) -> String {
    let value = show::short(&made.value);
    match &made.what {
        What::Prim(Prim::Floor | Prim::Ceil | Prim::Round | Prim::Trunc) => {
            format!("`{name}` stays at {value} and jumps elsewhere: its slope is 0")
        }
        What::Prim(Prim::Sign) => format!("`{name}` stays at {value}: its slope is 0"),
        What::Prim(Prim::Maximum | Prim::Minimum) => {
            format!("`{name}` takes the other one, {value}: this one has the slope 0")
        }
        What::Prim(Prim::Mul) if is_zero(&made.value) => "it is multiplied by 0 here".to_string(),
        What::Prim(Prim::Pow) if matches!(made.operands.get(1), Some(Value::Int(0))) => {
            "the power 0 is 1 everywhere: its slope is 0".to_string()
        }
        _ => format!("{} stays at {value} here: it is flat, or too large or small for a change to show", quoted(name)),
    }
}

fn quoted(name: &str) -> String {
    match name {
        "add" | "sub" | "mul" | "divide" | "rem" | "pow" | "neg" => "this operation".to_string(),
        name => format!("`{name}`"),
    }
}

fn is_zero(value: &Value) -> bool {
    matches!(value, Value::Real(x) if *x == 0.0)
}

/// How the change came to an operation: through the operations whose values it was given.
fn path(here: &Trace, moved: &Trace, at: usize) -> Vec<Span> {
    let mut path = vec![];
    let mut at = at;
    // An end is reached within few steps, or telling them all helps nobody.
    while path.len() < 8 {
        let (a, b) = (&here.operations[at], &moved.operations[at]);
        let mut operands = a.operands.iter().zip(&b.operands).filter(|(a, b)| !same(a, b));
        let source = operands.find_map(|(operand, other)| {
            (0..at).rev().find(|earlier| {
                let (a, b) = (&here.operations[*earlier], &moved.operations[*earlier]);
                let made = !matches!(a.what, What::Function | What::Data);
                made && same(&a.value, operand) && same(&b.value, other)
            })
        });
        let Some(source) = source else { break };
        path.push(here.operations[source].span);
        at = source;
    }
    path.reverse();
    path
}
