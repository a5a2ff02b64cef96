//! Types in words.

use first_order::{Program, Type};

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
