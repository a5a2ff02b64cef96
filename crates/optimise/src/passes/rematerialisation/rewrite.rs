//! Makes the arrays and what reads them as their recipes say.

use base::Span;
use base::codes;
use first_order::{Atom, Block, End, Function, Op, Scalar, Statement, Type, Var};
use rustc_hash::FxHashMap;

use super::recipe::Recipe;
use crate::analyses::points_to::PointsTo;
use crate::deep;
use crate::rewriting::copy::Copier;
use crate::rewriting::walk::{blocks_mut, has_blocks};

pub struct Rewrite<'a> {
    vars: &'a mut Vec<Type>,
    /// By the variable that held the array.
    recipes: &'a FxHashMap<Var, Recipe>,
    /// The array that a variable held, and what stands for it there.
    replaced: FxHashMap<Var, Var>,
}

impl Rewrite<'_> {
    /// Rewrites a function, the types of its variables included.
    pub fn of(function: &mut Function, mut origins: PointsTo, recipes: FxHashMap<Var, Recipe>) {
        let Function { vars, body, .. } = function;
        let new: FxHashMap<Var, Type> = recipes.iter().map(|(var, recipe)| (*var, recipe.of_type(vars))).collect();
        let count = vars.len();
        let mut replaced = FxHashMap::default();
        for var in (0..count as u32).map(Var) {
            if let Some(made) = origins.only(var)
                && recipes.contains_key(&made)
            {
                replaced.insert(var, made);
            }
            vars[var.0 as usize] = origins.retyped(var, &vars[var.0 as usize], &new);
        }
        Rewrite { vars, recipes: &recipes, replaced }.block(body);
    }

    fn fresh(&mut self, of: Type) -> Var {
        self.vars.push(of);
        Var(self.vars.len() as u32 - 1)
    }

    fn write(&mut self, of: Type, op: Op, span: Span, out: &mut Vec<Statement>) -> Atom {
        let var = self.fresh(of);
        out.push(Statement { var, op, span });
        Atom::Var(var)
    }

    fn recipe(&self, array: &Atom) -> Option<(&Recipe, Var)> {
        let Atom::Var(var) = array else { return None };
        self.recipes.get(self.replaced.get(var)?).map(|recipe| (recipe, *var))
    }

    fn block(&mut self, block: &mut Block) {
        for mut statement in std::mem::take(&mut block.statements) {
            if has_blocks(&statement.op) {
                deep(|| blocks_mut(&mut statement.op, &mut |block| self.block(block)));
            }
            match &statement.op {
                Op::Tabulate { .. } if self.recipes.contains_key(&statement.var) => {
                    self.made(statement, &mut block.statements);
                }
                Op::Element(array, indices) if self.recipe(array).is_some() => {
                    let (array, index) = (array.clone(), indices[0].clone());
                    self.read(&statement, &array, index, &mut block.statements);
                }
                Op::Len(array) if self.recipe(array).is_some() => {
                    let op = self.length(&array.clone(), statement.span, &mut block.statements);
                    block.statements.push(Statement { op, ..statement });
                }
                _ => block.statements.push(statement),
            }
        }
    }

    /// The `tabulate` stores less, and what stands for its array is put together behind it.
    fn made(&mut self, statement: Statement, out: &mut Vec<Statement>) {
        let Statement { var, op: Op::Tabulate { n, index, mut body }, span } = statement else { return };
        let recipe = &self.recipes[&var];
        let (captured, element) = (recipe.captured.clone(), recipe.element());
        let (stored, is_alone) = (recipe.stored.clone(), recipe.is_alone());
        let value = match &stored[..] {
            [] => Atom::Unit,
            [(atom, _)] if is_alone => atom.clone(),
            _ => {
                let of = element.clone().expect("rematerialisation: something is stored");
                let parts = stored.iter().map(|(atom, _)| atom.clone()).collect();
                self.write(of, Op::Struct(parts), span, &mut body.statements)
            }
        };
        body.end = End::Yield(value);
        let of = Type::Array(element.clone().unwrap_or_else(Type::unit).into(), 1);
        let array = self.write(of, Op::Tabulate { n: n.clone(), index, body }, span, out);
        let first = match element {
            Some(_) => array,
            None => self.write(Type::Int, Op::Len(array), span, out),
        };
        let parts = std::iter::once(first).chain(captured.into_iter().map(Atom::Var)).collect();
        out.push(Statement { var, op: Op::Struct(parts), span });
    }

    /// The first of the parts that stand for an array.
    fn first(&mut self, array: &Atom, span: Span, out: &mut Vec<Statement>) -> Atom {
        let (recipe, _) = self.recipe(array).expect("rematerialisation: an array that is replaced");
        let of = match recipe.element() {
            Some(element) => Type::Array(element.into(), 1),
            None => Type::Int,
        };
        self.write(of, Op::Field(array.clone(), 0), span, out)
    }

    fn length(&mut self, array: &Atom, span: Span, out: &mut Vec<Statement>) -> Op {
        let first = self.first(array, span, out);
        let (recipe, _) = self.recipe(array).expect("rematerialisation: an array that is replaced");
        if recipe.stored.is_empty() { Op::Scalar(Scalar::Length, vec![first]) } else { Op::Len(first) }
    }

    /// `statement` reads an element.
    fn read(&mut self, statement: &Statement, array: &Atom, index: Atom, out: &mut Vec<Statement>) {
        let span = statement.span;
        let first = self.first(array, span, out);
        let (recipe, _) = self.recipe(array).expect("rematerialisation: an array that is replaced");
        let (stored, is_alone, element) = (recipe.stored.clone(), recipe.is_alone(), recipe.element());
        let (slice, value, own) = (recipe.slice.clone(), recipe.value.clone(), recipe.index);
        let captured = recipe.captured.clone();
        let mut map = FxHashMap::from_iter([(own, index.clone())]);
        for (at, var) in (1..).zip(captured) {
            let of = self.vars[var.0 as usize].clone();
            map.insert(var, self.write(of, Op::Field(array.clone(), at), span, out));
        }
        match element {
            None => self.check(first, &index, span, out),
            Some(element) => {
                let read = self.write(element, Op::Element(first, vec![index]), span, out);
                for (at, (atom, of)) in (0..).zip(stored) {
                    let part = match is_alone {
                        true => read.clone(),
                        false => self.write(of, Op::Field(read.clone(), at), span, out),
                    };
                    if let Atom::Var(var) = atom {
                        map.insert(var, part);
                    }
                }
            }
        }
        let mut copier = Copier { map, ..Copier::within(self.vars) };
        out.extend(slice.iter().map(|statement| copier.statement(statement)));
        let value = copier.atom(&value);
        out.push(Statement { var: statement.var, op: Op::Atom(value), span });
    }

    /// Fails as reading an element would.
    fn check(&mut self, length: Atom, index: &Atom, span: Span, out: &mut Vec<Statement>) {
        for (comparison, than) in [(Scalar::IntGe, Atom::Int(0)), (Scalar::IntLt, length)] {
            let holds = self.write(Type::Bool, Op::Scalar(comparison, vec![index.clone(), than]), span, out);
            self.write(Type::unit(), Op::Require(holds, codes::INDEX_OUT_OF_RANGE), span, out);
        }
    }
}
