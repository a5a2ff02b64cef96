//! What objects hold, in words.

use calculus::{Lambda, Role};
use evert::Session;
use first_order::{Alternative, Head, Program, ShapeId, Type};
use specialise::Specialised;

use crate::report;

/// A line for each thing that an object of this type may be.
pub fn holds(session: &Session, specialised: &Specialised, ty: &Type) -> Vec<String> {
    let program = &specialised.program;
    let Type::Named(id) = ty else { return vec![] };
    let content = &program.types[id.0 as usize].content;
    let shape = (0..program.shapes.0.len() as u32)
        .map(ShapeId)
        .find(|shape| program.shapes.get(*shape).named == Some(*id) && program.shapes.content_of(*shape) == *content);
    match shape {
        Some(shape) => {
            let alternatives = program.shapes.get(shape).alternatives.iter();
            alternatives.map(|alternative| described(session, specialised, alternative)).collect()
        }
        // Optimisation has taken parts away, so the shape no longer tells.
        None => vec![format!("holds {}", type_name(program, content))],
    }
}

fn described(session: &Session, specialised: &Specialised, alternative: &Alternative) -> String {
    let program = &specialised.program;
    let part = |shape: &ShapeId| type_name(program, &program.shapes.type_of(*shape));
    let unlabelled = || alternative.parts.iter().map(part).collect::<Vec<_>>().join(", ");
    let labelled = |labels: &mut dyn Iterator<Item = String>| {
        let parts = labels.zip(&alternative.parts).map(|(label, shape)| format!("{label}: {}", part(shape)));
        parts.collect::<Vec<_>>().join(", ")
    };
    match &alternative.head {
        Head::Closure { code, member } => {
            let code = specialised.codes.get(*code);
            let captures = labelled(&mut code.group.captures.iter().map(ToString::to_string));
            with(&function(session, code.lambda(*member), code.group.order), &captures)
        }
        Head::Variant(constructor) => {
            let fields = labelled(&mut constructor.fields.iter().map(ToString::to_string));
            with(constructor.name.as_str(), &fields)
        }
        Head::Record(names) => with("a record", &labelled(&mut names.iter().map(ToString::to_string))),
        Head::Part(Some(constructor), positions) => {
            let labels = &mut positions.iter().map(|at| constructor.fields[*at as usize].to_string());
            with(&format!("a sensitivity of {}", constructor.name), &labelled(labels))
        }
        Head::Part(None, _) => with("a sensitivity of a tuple", &unlabelled()),
        Head::Zero => "the symbolic zero".to_string(),
        Head::Tuple => with("a tuple", &unlabelled()),
        Head::Sealed { .. } => with("a backpropagator as a program sees it", &unlabelled()),
        Head::Full => with("a sensitivity, not yet unfolded", &unlabelled()),
        _ => with("a value", &unlabelled()),
    }
}

fn with(what: &str, parts: &str) -> String {
    if parts.is_empty() { what.to_string() } else { format!("{what}, with {parts}") }
}

fn function(session: &Session, lambda: &Lambda, order: u32) -> String {
    let name = lambda.name.map_or("a function".to_string(), |name| format!("`{name}`"));
    let place = report::place(&session.sources, lambda.span);
    match lambda.role {
        Role::Backpropagator => format!("the backpropagator of {name}, {place}"),
        _ if order == 0 => format!("{name}, {place}"),
        _ => format!("J of {name}, {place}"),
    }
}

/// A type as people write it: what has no size is left out, structs in structs are one.
pub fn type_name(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_string(),
        Type::Int => "int".to_string(),
        Type::Real => "real".to_string(),
        Type::Text => "text".to_string(),
        Type::Handle => "the sensitivity of an array".to_string(),
        Type::Struct(_) => {
            let mut fields = vec![];
            add_fields(program, ty, &mut fields);
            match &fields[..] {
                [] => "nothing".to_string(),
                [one] => one.clone(),
                several => format!("({})", several.join(", ")),
            }
        }
        Type::Sum(alternatives) => {
            let all: Vec<String> = alternatives.iter().map(|one| type_name(program, one)).collect();
            all.join(" or ")
        }
        Type::Array(element, 1) => format!("array of {}", type_name(program, element)),
        Type::Array(element, rank) => format!("array of rank {rank} of {}", type_name(program, element)),
        Type::Named(id) => program.types[id.0 as usize].name.to_string(),
    }
}

fn add_fields(program: &Program, ty: &Type, fields: &mut Vec<String>) {
    match ty {
        Type::Struct(parts) => parts.iter().for_each(|part| add_fields(program, part, fields)),
        Type::Sum(_) => fields.push(format!("({})", type_name(program, ty))),
        _ => fields.push(type_name(program, ty)),
    }
}
