//! The code of functions, by number.
//!
//! Code is known by the group it was derived from and how: the same group under the same Js has one number, whoever made
//! the derived group.

use std::cell::RefCell;
use std::rc::Rc;

use calculus::{Group, Prim};
use differentiate::links::Links;
use eval::Code;
use first_order::CodeId;
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct Codes {
    all: RefCell<Vec<Rc<Code>>>,
    /// By the address of the group; every group that is a key is kept alive by `kept` or by its code.
    by_group: RefCell<FxHashMap<*const Group, CodeId>>,
    reversed: RefCell<FxHashMap<CodeId, CodeId>>,
    pushed: RefCell<FxHashMap<CodeId, CodeId>>,
    primal: RefCell<FxHashMap<CodeId, Option<CodeId>>>,
    etas: RefCell<FxHashMap<Prim, CodeId>>,
    kept: RefCell<Vec<Rc<Group>>>,
}

impl Codes {
    pub fn get(&self, id: CodeId) -> Rc<Code> {
        self.all.borrow()[id.0 as usize].clone()
    }

    /// The code of a group that elaboration or a derivation made.
    pub fn of_group(&self, group: &Rc<Group>) -> CodeId {
        if let Some(id) = self.by_group.borrow().get(&Rc::as_ptr(group)) {
            return *id;
        }
        self.add(&Code::new(group.clone()))
    }

    /// The number of the evaluator's code: J-images are reached through what they were derived from.
    pub fn of_code(&self, code: &Rc<Code>) -> CodeId {
        if let Some(id) = self.by_group.borrow().get(&Rc::as_ptr(&code.group)) {
            return *id;
        }
        match code.primal() {
            None => self.add(code),
            Some(primal) => {
                let primal = self.of_code(&primal);
                let id = self.reversed(primal);
                self.kept.borrow_mut().push(code.group.clone());
                self.by_group.borrow_mut().insert(Rc::as_ptr(&code.group), id);
                id
            }
        }
    }

    /// The number of the evaluator's code, if it has one.
    fn known(&self, code: &Rc<Code>) -> Option<CodeId> {
        if let Some(id) = self.by_group.borrow().get(&Rc::as_ptr(&code.group)) {
            return Some(*id);
        }
        let primal = self.known(&code.primal()?)?;
        self.reversed.borrow().get(&primal).copied()
    }

    fn add(&self, code: &Rc<Code>) -> CodeId {
        let mut all = self.all.borrow_mut();
        let id = CodeId(all.len() as u32);
        all.push(code.clone());
        self.by_group.borrow_mut().insert(Rc::as_ptr(&code.group), id);
        id
    }

    /// J of the code.
    pub fn reversed(&self, id: CodeId) -> CodeId {
        if let Some(reversed) = self.reversed.borrow().get(&id) {
            return *reversed;
        }
        let reversed = self.add(&self.get(id).reversed());
        self.reversed.borrow_mut().insert(id, reversed);
        self.primal.borrow_mut().insert(reversed, Some(id));
        reversed
    }

    /// T of the code.
    pub fn pushed(&self, id: CodeId) -> CodeId {
        if let Some(pushed) = self.pushed.borrow().get(&id) {
            return *pushed;
        }
        let pushed = self.add(&self.get(id).pushed());
        self.pushed.borrow_mut().insert(id, pushed);
        pushed
    }

    /// The code of `x => p(x)`.
    pub fn eta(&self, prim: Prim) -> CodeId {
        if let Some(id) = self.etas.borrow().get(&prim) {
            return *id;
        }
        let id = self.of_group(&Rc::new(differentiate::eta(prim)));
        self.etas.borrow_mut().insert(prim, id);
        id
    }

    /// What the code is J of.
    pub fn primal(&self, id: CodeId) -> Option<CodeId> {
        if let Some(primal) = self.primal.borrow().get(&id) {
            return *primal;
        }
        let primal = self.get(id).primal().map(|code| self.of_code(&code));
        self.primal.borrow_mut().insert(id, primal);
        primal
    }

    /// The code that this was derived from by Js, and how many.
    pub fn root(&self, id: CodeId) -> (CodeId, u32) {
        let mut at = (id, 0);
        while let Some(primal) = self.primal(at.0) {
            at = (primal, at.1 + 1);
        }
        at
    }
}

impl Links for Codes {
    type Code = CodeId;

    fn reversed(&self, id: &CodeId) -> CodeId {
        Codes::reversed(self, *id)
    }

    fn pushed(&self, id: &CodeId) -> CodeId {
        Codes::pushed(self, *id)
    }

    fn primal(&self, id: &CodeId) -> Option<CodeId> {
        Codes::primal(self, *id)
    }

    fn is_attach(&self, id: &CodeId) -> bool {
        self.get(*id).is_attach()
    }
}

impl first_order::convert::Codes for Codes {
    fn code(&self, id: CodeId) -> Rc<Code> {
        self.get(id)
    }

    fn is(&self, id: CodeId, code: &Rc<Code>) -> bool {
        self.known(code) == Some(id)
    }
}
