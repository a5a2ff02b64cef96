//! The rules of named types and shapes.

use base::Span;

use super::types::Types;
use super::violation::{Rule, Violation};
use crate::shape::{Alternative, Head, ShapeId};
use crate::term::{NamedId, Program, Type};

/// What is wrong with types, shapes and the program's border. Functions are checked only if nothing is.
pub(super) fn check(program: &Program, types: &Types) -> Vec<Violation> {
    let mut tables = Tables { program, types, broken: vec![] };
    for (id, definition) in program.types.iter().enumerate() {
        tables.well_formed(&definition.content);
        tables.has_content(NamedId(id as u32));
    }
    for id in 0..program.shapes.0.len() {
        tables.parts(ShapeId(id as u32));
    }
    let border = program.parameters.iter().chain([&program.result]);
    border.for_each(|id| _ = tables.known(*id));
    if tables.broken.is_empty() {
        tables.no_endless_shapes();
    }
    if tables.broken.is_empty() {
        tables.contents();
    }
    let violation = |rule| Violation { function: None, span: Span::default(), rule };
    tables.broken.into_iter().map(violation).collect()
}

struct Tables<'a> {
    program: &'a Program,
    types: &'a Types,
    broken: Vec<Rule>,
}

impl Tables<'_> {
    fn well_formed(&mut self, of: &Type) {
        self.broken.extend(self.types.broken(of));
    }

    /// Following names from a definition leads to something that isn't a name.
    fn has_content(&mut self, id: NamedId) {
        let mut at = id;
        for _ in 0..=self.program.types.len() {
            match self.program.types.get(at.0 as usize).map(|definition| &definition.content) {
                Some(Type::Named(next)) => at = *next,
                _ => return,
            }
        }
        self.broken.push(Rule::EmptyDefinition(id));
    }

    fn known(&mut self, id: ShapeId) -> bool {
        let known = (id.0 as usize) < self.program.shapes.0.len();
        if !known {
            self.broken.push(Rule::UnknownShape(id));
        }
        known
    }

    fn parts(&mut self, id: ShapeId) {
        let shape = self.program.shapes.get(id);
        if let Some(name) = shape.named {
            self.well_formed(&Type::Named(name));
        }
        for Alternative { head, parts } in &shape.alternatives {
            if number_of_parts(head).is_some_and(|expected| expected != parts.len()) {
                self.broken.push(Rule::Parts(id));
            }
            parts.iter().for_each(|part| _ = self.known(*part));
        }
    }

    /// Every cycle that matters for the representation passes through a name.
    fn no_endless_shapes(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum Seen {
            Not,
            Open,
            Done,
        }
        let shapes = &self.program.shapes;
        let mut seen = vec![Seen::Not; shapes.0.len()];
        for start in 0..shapes.0.len() {
            let mut waiting = vec![(start, false)];
            while let Some((at, leave)) = waiting.pop() {
                if leave {
                    seen[at] = Seen::Done;
                    continue;
                }
                match seen[at] {
                    Seen::Done => continue,
                    Seen::Open => {
                        self.broken.push(Rule::Endless(ShapeId(at as u32)));
                        return;
                    }
                    Seen::Not => seen[at] = Seen::Open,
                }
                waiting.push((at, true));
                if shapes.0[at].named.is_some() {
                    continue;
                }
                let followed = shapes.0[at].alternatives.iter().filter(|one| !matches!(one.head, Head::Handle(_)));
                waiting.extend(followed.flat_map(|one| &one.parts).map(|part| (part.0 as usize, false)));
            }
        }
    }

    fn contents(&mut self) {
        let shapes = &self.program.shapes;
        for id in (0..shapes.0.len()).map(|id| ShapeId(id as u32)) {
            let content = shapes.content_of(id);
            self.well_formed(&content);
            if let Some(name) = shapes.get(id).named
                && !self.types.same(&self.program.types[name.0 as usize].content, &content)
            {
                self.broken.push(Rule::Content(id));
            }
        }
    }
}

/// How many parts an alternative with this head has, where the head says.
fn number_of_parts(head: &Head) -> Option<usize> {
    match head {
        Head::Zero | Head::Bool | Head::Int | Head::Real | Head::Text | Head::Prim { .. } => Some(0),
        Head::Tuple | Head::Closure { .. } => None,
        Head::Record(labels) => Some(labels.len()),
        Head::Variant(constructor) => Some(constructor.fields.len()),
        Head::Part(_, positions) => Some(positions.len()),
        Head::Array(_) | Head::Handle(_) => Some(1),
        Head::Frame(rank) => Some(*rank as usize),
        Head::Sealed { .. } => Some(4),
        Head::Full => Some(2),
    }
}
