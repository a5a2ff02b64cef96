//! Terms as text. Only what the grammar needs is bracketed; the standard layout is the formatter's work.

use crate::term::{At, Block, CAPTURED, Each, Op, Pattern, Place, Statement, Term};

/// How tightly an operator binds.
type Level = u8;
const LOOSEST: Level = 0;
const OR: Level = 2;
const AND: Level = 3;
const NOT: Level = 4;
const COMPARISON: Level = 5;
const RANGE: Level = 6;
const SUM: Level = 7;
const PRODUCT: Level = 8;
const UNARY: Level = 9;
const POWER: Level = 10;
const POSTFIX: Level = 11;

pub fn text(term: &Term) -> String {
    at(term, LOOSEST)
}

/// `fn name(params) = body`, or with a block.
pub fn function(name: &str, params: &[Pattern], body: &Term) -> String {
    let params = params.iter().map(pattern).collect::<Vec<_>>().join(", ");
    match body {
        Term::Block(block) => format!("fn {name}({params}) = {}", braces(block)),
        body => format!("fn {name}({params}) = {}", text(body)),
    }
}

fn at(term: &Term, level: Level) -> String {
    let (own, text) = written(term);
    if own < level { format!("({text})") } else { text }
}

fn written(term: &Term) -> (Level, String) {
    match term {
        Term::Int(i) if *i < 0 => (UNARY, i.to_string()),
        Term::Int(i) => (POSTFIX, i.to_string()),
        Term::Real(x) if *x < 0.0 => (UNARY, real(*x)),
        Term::Real(x) => (POSTFIX, real(*x)),
        Term::Bool(b) => (POSTFIX, b.to_string()),
        Term::Raw(text) => (POSTFIX, text.clone()),
        Term::Name(name) => (POSTFIX, name.clone()),
        Term::Neg(a) => (UNARY, format!("-{}", at(a, UNARY))),
        Term::Not(a) => (NOT, format!("!{}", at(a, NOT))),
        Term::Op(op, a, b) => operator(*op, a, b),
        Term::Call(f, args) => {
            let shown = match (&args[..], &**f) {
                ([Term::Each(each)], _) => generator(each),
                _ => args.iter().map(text).collect::<Vec<_>>().join(", "),
            };
            (POSTFIX, format!("{}({shown})", at(f, POSTFIX)))
        }
        Term::Tuple(parts) => (POSTFIX, format!("({})", parts.iter().map(text).collect::<Vec<_>>().join(", "))),
        Term::Array(parts) => (POSTFIX, format!("[{}]", parts.iter().map(text).collect::<Vec<_>>().join(", "))),
        Term::Record(fields) => {
            let fields = fields.iter().map(|(label, value)| format!("{label}: {}", text(value)));
            (POSTFIX, format!("{{{}}}", fields.collect::<Vec<_>>().join(", ")))
        }
        Term::With(base, updates) => {
            let updates = updates.iter().map(|(place, value)| match place {
                Place::Field(label) => format!("{label}: {}", text(value)),
                Place::At(indices) => format!("[{}]: {}", index(indices), text(value)),
            });
            (POSTFIX, format!("{{{} with {}}}", text(base), updates.collect::<Vec<_>>().join(", ")))
        }
        Term::Field(base, label) => (POSTFIX, format!("{}.{}", at(base, POSTFIX), label.trim_start_matches(CAPTURED))),
        Term::Position(base, place) => (POSTFIX, format!("{}.{place}", at(base, POSTFIX))),
        Term::Index(base, indices) => (POSTFIX, format!("{}[{}]", at(base, POSTFIX), index(indices))),
        Term::Lambda(params, body) => {
            let head = match &params[..] {
                [Pattern::Name(name)] => name.clone(),
                [Pattern::Wild] => "_".to_string(),
                params => format!("({})", params.iter().map(pattern).collect::<Vec<_>>().join(", ")),
            };
            (LOOSEST, format!("{head} => {}", text(body)))
        }
        Term::If(condition, then, otherwise) => {
            let otherwise = match &**otherwise {
                Term::If(..) => text(otherwise),
                Term::Block(block) => braces(block),
                other => format!("{{ {} }}", text(other)),
            };
            (POSTFIX, format!("if {} {} else {otherwise}", text(condition), in_braces(then)))
        }
        Term::Match(of, arms) => {
            let arms = arms.iter().map(|arm| {
                let guard = arm.guard.as_ref().map_or(String::new(), |guard| format!(" if {}", text(guard)));
                format!("{}{guard} => {},\n", pattern(&arm.pattern), text(&arm.body))
            });
            (POSTFIX, format!("match {} {{\n{}}}", text(of), arms.collect::<String>()))
        }
        Term::Block(block) => (POSTFIX, braces(block)),
        Term::Ruled(ruled) => (LOOSEST, ruled.renamed()),
        Term::Each(each) => (POSTFIX, format!("[{}]", generator(each))),
    }
}

fn in_braces(term: &Term) -> String {
    match term {
        Term::Block(block) => braces(block),
        other => format!("{{ {} }}", text(other)),
    }
}

fn braces(block: &Block) -> String {
    let statements = block.statements.iter().map(|statement| match statement {
        Statement::Let(_, Term::Ruled(ruled)) if ruled.is_statement => format!("{}\n", ruled.renamed()),
        Statement::Let(to, value) => format!("let {} = {}\n", pattern(to), text(value)),
        Statement::Fn(name, params, body) => format!("{}\n", function(name, params, body)),
        Statement::Comment(text) => format!("// {text}\n"),
    });
    format!("{{\n{}{}\n}}", statements.collect::<String>(), text(&block.result))
}

fn generator(each: &Each) -> String {
    let clauses = each.clauses.iter().map(|(to, source)| format!("{} in {}", pattern(to), text(source)));
    let filter = each.filter.as_ref().map_or(String::new(), |filter| format!(" if {}", text(filter)));
    format!("{} for {}{filter}", text(&each.body), clauses.collect::<Vec<_>>().join(", "))
}

fn index(indices: &[At]) -> String {
    let bound = |term: &Option<Term>| term.as_ref().map_or(String::new(), |term| at(term, SUM));
    let one = |index: &At| match index {
        At::One(term) => text(term),
        At::Range(from, to) => format!("{}..{}", bound(from), bound(to)),
    };
    indices.iter().map(one).collect::<Vec<_>>().join(", ")
}

pub fn pattern(pattern: &Pattern) -> String {
    let list = |parts: &[Pattern]| parts.iter().map(self::pattern).collect::<Vec<_>>().join(", ");
    match pattern {
        Pattern::Wild => "_".to_string(),
        Pattern::Name(name) => name.clone(),
        Pattern::Literal(text) => text.clone(),
        Pattern::Tuple(parts) => format!("({})", list(parts)),
        Pattern::Array(parts) => format!("[{}]", list(parts)),
        Pattern::Record(fields) => {
            let field = |(label, part): &(String, Pattern)| match part {
                Pattern::Name(name) if name == label => label.clone(),
                part => format!("{label}: {}", self::pattern(part)),
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Pattern::Variant(name, None) => name.clone(),
        Pattern::Variant(name, Some(args)) => format!("{name}({})", list(args)),
    }
}

fn operator(op: Op, a: &Term, b: &Term) -> (Level, String) {
    let (sign, own, left, right) = match op {
        Op::Or => ("||", OR, OR, AND),
        Op::And => ("&&", AND, AND, NOT),
        Op::Equal => ("==", COMPARISON, RANGE, RANGE),
        Op::NotEqual => ("!=", COMPARISON, RANGE, RANGE),
        Op::Less => ("<", COMPARISON, RANGE, RANGE),
        Op::LessEqual => ("<=", COMPARISON, RANGE, RANGE),
        Op::Greater => (">", COMPARISON, RANGE, RANGE),
        Op::GreaterEqual => (">=", COMPARISON, RANGE, RANGE),
        Op::Range => ("..", RANGE, SUM, SUM),
        Op::Add => ("+", SUM, SUM, PRODUCT),
        Op::Subtract => ("-", SUM, SUM, PRODUCT),
        Op::Plus => ("⊕", SUM, SUM, PRODUCT),
        Op::Multiply => ("*", PRODUCT, PRODUCT, UNARY),
        Op::Divide => ("/", PRODUCT, PRODUCT, UNARY),
        Op::Remainder => ("%", PRODUCT, PRODUCT, UNARY),
        Op::MatMul => ("@", PRODUCT, PRODUCT, UNARY),
        Op::Power => ("^", POWER, POSTFIX, UNARY),
        Op::Attach => ("<~", LOOSEST, OR, OR),
        Op::Pipe => ("|>", LOOSEST, OR, OR),
    };
    match sign {
        "^" | ".." => (own, format!("{}{sign}{}", at(a, left), at(b, right))),
        sign => (own, format!("{} {sign} {}", at(a, left), at(b, right))),
    }
}

/// A real that reads back as one.
fn real(x: f64) -> String {
    match x {
        x if x.is_nan() => "nan".to_string(),
        x if x.is_infinite() => if x > 0.0 { "inf" } else { "-inf" }.to_string(),
        x => format!("{x:?}"),
    }
}
