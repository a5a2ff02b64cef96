//! The parts that named types are made of, as a forest: structs and sums have parts, the rest are leaves.

use calculus::Prim;
use first_order::{Alternative, Atom, Op, Program, ShapeId, Type};

use crate::rewriting::walk::each_op;

/// A type of more parts than this is left as it is.
const MAX_PARTS: usize = 10_000;

#[derive(Default)]
pub struct Parts {
    pub nodes: Vec<Node>,
    /// The content of each named type; none where it has to stay as it is.
    pub named: Vec<Option<usize>>,
}

pub struct Node {
    pub of: Type,
    /// None for a leaf.
    pub parts: Option<Vec<usize>>,
}

impl Parts {
    pub fn of(program: &Program) -> Parts {
        let fixed = fixed(program);
        let mut parts = Parts::default();
        for (definition, fixed) in program.types.iter().zip(&fixed) {
            let root = if *fixed { None } else { parts.root(&definition.content) };
            parts.named.push(root);
        }
        parts
    }

    fn root(&mut self, of: &Type) -> Option<usize> {
        let small = count(of, MAX_PARTS) < MAX_PARTS;
        (matches!(of, Type::Struct(_) | Type::Sum(_)) && small).then(|| self.node(of))
    }

    fn node(&mut self, of: &Type) -> usize {
        let parts = match of {
            Type::Struct(parts) | Type::Sum(parts) => Some(parts.iter().map(|part| self.node(part)).collect()),
            _ => None,
        };
        self.nodes.push(Node { of: of.clone(), parts });
        self.nodes.len() - 1
    }

    /// Visits the leaves below a node.
    pub fn leaves(&self, node: usize, visit: &mut dyn FnMut(usize)) {
        match &self.nodes[node].parts {
            Some(parts) => parts.iter().for_each(|part| self.leaves(*part, visit)),
            None => visit(node),
        }
    }
}

fn count(of: &Type, limit: usize) -> usize {
    match of {
        Type::Struct(parts) | Type::Sum(parts) => {
            parts.iter().fold(1, |sum, part| if sum >= limit { sum } else { sum + count(part, limit - sum) })
        }
        _ => 1,
    }
}

/// The array and the index if a primitive is a reading of an array by an int: `.part`, which surely succeeds.
pub fn reading<'a>(op: &'a Op, vars: &[Type]) -> Option<(&'a Atom, &'a Atom)> {
    let Op::Prim { prim: Prim::Part, args, .. } = op else { return None };
    let [array @ Atom::Var(var), index] = &args[..] else { return None };
    let of_int = match index {
        Atom::Int(_) => true,
        Atom::Var(index) => vars[index.0 as usize] == Type::Int,
        _ => false,
    };
    (of_int && matches!(vars[var.0 as usize], Type::Array(..))).then_some((array, index))
}

/// Which shapes primitives and the border of the program mention, directly or inside others.
pub fn used_shapes(program: &Program) -> Vec<bool> {
    let mut used = vec![false; program.shapes.0.len()];
    let mut waiting: Vec<ShapeId> = program.parameters.clone();
    waiting.push(program.result);
    for function in &program.functions {
        each_op(&function.body, &mut |_, op| {
            if let Op::Prim { shapes, result, .. } = op
                && reading(op, &function.vars).is_none()
            {
                waiting.extend(shapes);
                waiting.push(*result);
            }
        });
    }
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut used[id.0 as usize], true) {
            for Alternative { parts, .. } in &program.shapes.get(id).alternatives {
                waiting.extend(parts);
            }
        }
    }
    used
}

/// Which named types are represented as something else expects them: shapes that are used, and changes of view.
pub fn fixed(program: &Program) -> Vec<bool> {
    let mut fixed = vec![false; program.types.len()];
    for (shape, used) in program.shapes.0.iter().zip(used_shapes(program)) {
        if let (Some(name), true) = (shape.named, used) {
            fixed[name.0 as usize] = true;
        }
    }
    let mut viewed = vec![];
    for function in &program.functions {
        each_op(&function.body, &mut |var, op| {
            if let Op::View(atom) = op {
                viewed.push(&function.vars[var.0 as usize]);
                if let first_order::Atom::Var(from) = atom {
                    viewed.push(&function.vars[from.0 as usize]);
                }
            }
        });
    }
    let mut seen = vec![false; program.types.len()];
    while let Some(of) = viewed.pop() {
        match of {
            Type::Struct(parts) | Type::Sum(parts) => viewed.extend(parts.iter()),
            Type::Array(element, _) => viewed.push(element),
            Type::Named(id) if !std::mem::replace(&mut seen[id.0 as usize], true) => {
                fixed[id.0 as usize] = true;
                viewed.push(&program.types[id.0 as usize].content);
            }
            _ => {}
        }
    }
    fixed
}
