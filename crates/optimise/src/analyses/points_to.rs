//! Points-to analysis for arrays. Where the arrays of a function come from: which statement makes the array that a variable or a part of a value holds, if only one can.
//!
//! Values that flow into each other are one class; a class knows the statements that make its arrays. Structs, alternatives and elements are
//! followed; what a call, a primitive or a node gives is made there.

use std::rc::Rc;

use first_order::{Atom, Block, End, Function, Op, Type, Var};
use rustc_hash::FxHashMap;

use crate::deep;
use crate::rewriting::walk::each_again;

pub struct PointsTo {
    /// The class of each variable.
    vars: Vec<Option<usize>>,
    classes: Vec<Class>,
    /// Is what is given away, or looked at as a whole, counted as made anywhere?
    by_uses: bool,
}

struct Class {
    /// The class that it has become part of; itself otherwise.
    of: usize,
    made: Made,
    /// Its parts come from elsewhere.
    opaque: bool,
    /// Fields, alternatives or elements.
    parts: Vec<Option<usize>>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Made {
    Nowhere,
    By(Var),
    Anywhere,
}

impl Made {
    fn or(self, other: Made) -> Made {
        match (self, other) {
            (Made::Nowhere, one) | (one, Made::Nowhere) => one,
            (a, b) if a == b => a,
            _ => Made::Anywhere,
        }
    }
}

impl PointsTo {
    pub fn of(function: &Function) -> PointsTo {
        PointsTo::found(function, false)
    }

    /// Here an array is made by one statement only if, besides, nothing is done with it than to read its elements one by one, to ask for its length, and to put it
    /// into structs, alternatives and elements of arrays: it could be something else than an array.
    pub fn with_uses(function: &Function) -> PointsTo {
        PointsTo::found(function, true)
    }

    fn found(function: &Function, by_uses: bool) -> PointsTo {
        let mut points_to = PointsTo { vars: vec![None; function.vars.len()], classes: vec![], by_uses };
        function.params.iter().for_each(|param| points_to.gives(*param));
        let result = points_to.fresh();
        if by_uses {
            points_to.give_away(result);
        }
        points_to.block(&function.body, result, &function.vars);
        points_to
    }

    /// The statement that makes whatever array the variable holds.
    pub fn only(&mut self, var: Var) -> Option<Var> {
        let class = self.class(var);
        match self.classes[class].made {
            Made::By(var) => Some(var),
            Made::Nowhere | Made::Anywhere => None,
        }
    }

    /// Does a variable hold an array, or something with an array in it, of which this holds?
    pub fn holds(&mut self, atom: &Atom, is: &dyn Fn(Var) -> bool) -> bool {
        let Atom::Var(var) = atom else { return false };
        let class = self.class(*var);
        self.class_holds(class, is)
    }

    fn class_holds(&mut self, class: usize, is: &dyn Fn(Var) -> bool) -> bool {
        let class = self.root(class);
        let own = matches!(self.classes[class].made, Made::By(var) if is(var));
        own || self.classes[class].parts.clone().into_iter().flatten().any(|part| deep(|| self.class_holds(part, is)))
    }

    /// The type of a variable where the arrays that these statements make have these types instead.
    pub fn retyped(&mut self, var: Var, of: &Type, new: &FxHashMap<Var, Type>) -> Type {
        let class = self.class(var);
        self.retyped_part(class, of, new).unwrap_or_else(|| of.clone())
    }

    /// Nothing if it stays.
    fn retyped_part(&mut self, class: usize, of: &Type, new: &FxHashMap<Var, Type>) -> Option<Type> {
        let class = self.root(class);
        if let Made::By(var) = self.classes[class].made
            && let Some(other) = new.get(&var)
        {
            return Some(other.clone());
        }
        let parts = self.classes[class].parts.clone();
        let mut changed = |parts: &[Option<usize>], types: &[Type]| -> Option<Rc<[Type]>> {
            let each = types.iter().zip(parts.iter().chain(std::iter::repeat(&None)));
            let each: Vec<Option<Type>> =
                each.map(|(of, part)| deep(|| self.retyped_part((*part)?, of, new))).collect();
            let any = each.iter().any(Option::is_some);
            any.then(|| each.into_iter().zip(types).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
        };
        match of {
            Type::Struct(types) => changed(&parts, types).map(Type::Struct),
            Type::Sum(types) => changed(&parts, types).map(Type::Sum),
            Type::Array(element, rank) => {
                let element = changed(&parts, std::slice::from_ref(&**element))?;
                Some(Type::Array(Rc::new(element[0].clone()), *rank))
            }
            _ => None,
        }
    }

    fn fresh(&mut self) -> usize {
        self.classes.push(Class { of: self.classes.len(), made: Made::Nowhere, opaque: false, parts: vec![] });
        self.classes.len() - 1
    }

    fn class(&mut self, var: Var) -> usize {
        let class = match self.vars[var.0 as usize] {
            Some(class) => class,
            None => self.fresh(),
        };
        let class = self.root(class);
        self.vars[var.0 as usize] = Some(class);
        class
    }

    fn root(&mut self, mut class: usize) -> usize {
        while self.classes[class].of != class {
            let next = self.classes[class].of;
            self.classes[class].of = self.classes[next].of;
            class = next;
        }
        class
    }

    fn part(&mut self, class: usize, i: usize) -> usize {
        let class = self.root(class);
        if self.classes[class].parts.len() <= i {
            self.classes[class].parts.resize(i + 1, None);
        }
        let part = match self.classes[class].parts[i] {
            Some(part) => part,
            None => {
                let (part, opaque) = (self.fresh(), self.classes[class].opaque);
                if opaque {
                    (self.classes[part].made, self.classes[part].opaque) = (Made::Anywhere, true);
                }
                part
            }
        };
        let part = self.root(part);
        self.classes[class].parts[i] = Some(part);
        part
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        self.classes[b].of = a;
        if self.classes[b].opaque {
            self.seal(a);
        }
        self.classes[a].made = self.classes[a].made.or(self.classes[b].made);
        let parts = std::mem::take(&mut self.classes[b].parts);
        for (i, part) in parts.into_iter().enumerate() {
            if let Some(part) = part {
                let own = self.part(a, i);
                deep(|| self.join(own, part));
            }
        }
    }

    /// The parts of a class come from elsewhere.
    fn seal(&mut self, class: usize) {
        let class = self.root(class);
        if std::mem::replace(&mut self.classes[class].opaque, true) {
            return;
        }
        for part in self.classes[class].parts.clone().into_iter().flatten() {
            let part = self.root(part);
            self.classes[part].made = Made::Anywhere;
            deep(|| self.seal(part));
        }
    }

    /// Others see what a class holds, its parts too.
    fn give_away(&mut self, class: usize) {
        let class = self.root(class);
        self.classes[class].made = Made::Anywhere;
        self.seal(class);
    }

    fn flows(&mut self, atom: &Atom, class: usize) {
        if let Atom::Var(var) = atom {
            let from = self.class(*var);
            self.join(class, from);
        }
    }

    /// The statement that binds the variable makes what it holds.
    fn makes(&mut self, var: Var) {
        let class = self.class(var);
        self.classes[class].made = self.classes[class].made.or(Made::By(var));
    }

    /// The statement gives what the variable holds, and nothing is known of its parts.
    fn gives(&mut self, var: Var) {
        self.makes(var);
        let class = self.class(var);
        self.seal(class);
    }

    fn block(&mut self, block: &Block, value: usize, vars: &[Type]) {
        for statement in &block.statements {
            self.statement(statement.var, &statement.op, vars);
        }
        if let End::Yield(atom) = &block.end {
            self.flows(atom, value);
        }
    }

    fn statement(&mut self, var: Var, op: &Op, vars: &[Type]) {
        if self.by_uses {
            self.used(op, vars);
        }
        let class = self.class(var);
        match op {
            Op::Atom(atom) => self.flows(atom, class),
            Op::Struct(fields) => {
                for (i, field) in fields.iter().enumerate() {
                    let part = self.part(class, i);
                    self.flows(field, part);
                }
            }
            Op::Field(Atom::Var(of), i) => self.taken(class, *of, *i as usize),
            Op::Inject(tag, content) => {
                let part = self.part(class, *tag as usize);
                self.flows(content, part);
            }
            Op::Switch(on, arms) => {
                for (tag, (bound, _)) in arms.iter().enumerate() {
                    let inside = self.class(*bound);
                    if let Atom::Var(on) = on {
                        self.taken(inside, *on, tag);
                    }
                }
                deep(|| op.blocks(&mut |_, block| self.block(block, class, vars)));
            }
            Op::If(..) => deep(|| op.blocks(&mut |_, block| self.block(block, class, vars))),
            Op::Loop { params, body } => {
                for (param, first) in params {
                    let inside = self.class(*param);
                    self.flows(first, inside);
                }
                deep(|| self.block(body, class, vars));
                each_again(body, &mut |atoms| {
                    for ((param, _), atom) in params.iter().zip(atoms) {
                        let inside = self.class(*param);
                        self.flows(atom, inside);
                    }
                });
            }
            Op::Tabulate { index, body, .. } => {
                self.makes(*index);
                self.makes(var);
                let element = self.part(class, 0);
                let value = self.fresh();
                deep(|| self.block(body, value, vars));
                self.stacked(element, value, &vars[var.0 as usize]);
            }
            Op::Array(elements) => {
                self.makes(var);
                let element = self.part(class, 0);
                for one in elements {
                    let value = self.fresh();
                    self.flows(one, value);
                    self.stacked(element, value, &vars[var.0 as usize]);
                }
            }
            Op::Element(Atom::Var(array), _) => {
                if let Type::Array(..) = vars[var.0 as usize] {
                    self.makes(var);
                    let (array, own) = (self.class(*array), self.part(class, 0));
                    let element = self.part(array, 0);
                    self.join(own, element);
                } else {
                    self.taken(class, *array, 0);
                }
            }
            Op::Flat(Atom::Var(array)) | Op::Shaped(Atom::Var(array), _) => {
                self.makes(var);
                let (array, own) = (self.class(*array), self.part(class, 0));
                let element = self.part(array, 0);
                self.join(own, element);
            }
            Op::Append(array, new) | Op::Replace(array, _, new) => {
                self.makes(var);
                let element = self.part(class, 0);
                if let Atom::Var(array) = array {
                    let array = self.class(*array);
                    let old = self.part(array, 0);
                    self.join(element, old);
                }
                match new {
                    Atom::Var(row) if matches!(vars[row.0 as usize], Type::Array(..)) => {
                        let row = self.class(*row);
                        let new = self.part(row, 0);
                        self.join(element, new);
                    }
                    new => self.flows(new, element),
                }
            }
            Op::Sum { index, body, .. } => {
                self.makes(*index);
                self.makes(var);
                let value = self.fresh();
                deep(|| self.block(body, value, vars));
            }
            Op::Field(..)
            | Op::Element(..)
            | Op::Axis(..)
            | Op::Flat(_)
            | Op::Dense(_)
            | Op::Collected(_)
            | Op::Shaped(..)
            | Op::Text(_)
            | Op::Scalar(..)
            | Op::Box(_)
            | Op::Unbox(_)
            | Op::View(_)
            | Op::Call(..)
            | Op::Len(_)
            | Op::Prim { .. }
            | Op::Quiet(_)
            | Op::Require(..)
            | Op::Fail(_) => self.gives(var),
        }
    }

    /// What an operation does with values other than to look into them.
    fn used(&mut self, op: &Op, vars: &[Type]) {
        let given = |this: &mut Self, atom: &Atom| {
            if let Atom::Var(var) = atom {
                let class = this.class(*var);
                this.give_away(class);
            }
        };
        match op {
            Op::Call(..) | Op::Prim { .. } | Op::Box(_) | Op::View(_) => {
                let mut atoms = vec![];
                op.atoms(&mut |atom| atoms.push(atom));
                atoms.into_iter().for_each(|atom| given(self, atom));
            }
            Op::Flat(array) | Op::Shaped(array, _) | Op::Axis(array, _) | Op::Dense(array) | Op::Collected(array) => {
                self.is_array(array, vars);
            }
            Op::Append(array, _) => self.is_array(array, vars),
            // Rows of an array.
            Op::Element(array @ Atom::Var(of), indices) if !matches!(&vars[of.0 as usize], Type::Array(_, rank) if *rank as usize == indices.len()) =>
            {
                self.is_array(array, vars);
            }
            Op::Replace(array, _, new) => {
                self.is_array(array, vars);
                self.is_array(new, vars);
            }
            Op::Array(elements) => elements.iter().for_each(|element| self.is_array(element, vars)),
            Op::Tabulate { body, .. } => {
                if let End::Yield(value) = &body.end {
                    self.is_array(value, vars);
                }
            }
            _ => {}
        }
    }

    /// If it is an array, it must stay one; what its elements hold needn't stay.
    fn is_array(&mut self, atom: &Atom, vars: &[Type]) {
        if let Atom::Var(var) = atom
            && matches!(vars[var.0 as usize], Type::Array(..))
        {
            let class = self.class(*var);
            self.classes[class].made = Made::Anywhere;
        }
    }

    /// Elements that are arrays make an array of higher rank.
    fn stacked(&mut self, element: usize, value: usize, of: &Type) {
        if matches!(of, Type::Array(_, 1)) {
            self.join(element, value);
        } else {
            let inner = self.part(value, 0);
            self.join(element, inner);
        }
    }

    /// A variable holds a part of another.
    fn taken(&mut self, class: usize, of: Var, i: usize) {
        let whole = self.class(of);
        let part = self.part(whole, i);
        self.join(part, class);
    }
}
