//! Objects: nodes, arrays, counts of owners. What an operation binds is left on the stack.

use loops::memory::{COUNT, DESCRIPTOR, HEADER, LAST_TAG, LENGTHS, SMALL_WORDS};
use loops::{Atom, Leaf, Matrix, Op, Product, Statement, Var};
use wasm_encoder::ValType;

use crate::body::{Body, load, store};
use crate::helpers::Helper;
use crate::module::{DATA, word};

/// So many constants at once are copied.
const ENOUGH: usize = 16;

impl Body<'_, '_> {
    pub(crate) fn node_op(&mut self, op: &Op) {
        match op {
            Op::Node(descriptor, atoms) => self.node(descriptor.0, atoms),
            Op::Open { descriptor, node, taken } => self.open(descriptor.0, node, taken),
            Op::IsObject(a) => {
                self.get(a);
                self.i().i32_const(LAST_TAG as i32).i32_gt_u();
            }
            Op::TagOf(a) => {
                self.get(a);
                self.i().i64_extend_i32_u();
            }
            Op::PointerOf(a) => {
                self.get(a);
                self.i().i32_wrap_i64();
            }
            Op::Retain(a) => self.retain(a),
            Op::Release(a) => self.release(a),
            Op::IsUnique(a) => {
                self.get(a);
                self.i().i64_load(word(COUNT)).i64_const(1).i64_eq();
            }
            other => unreachable!("wasm: {other:?} is no operation on nodes"),
        }
    }

    fn node(&mut self, descriptor: u32, atoms: &[Atom]) {
        let node = self.temporary(ValType::I32);
        self.call_helper(Helper::New(HEADER + atoms.len() as u32));
        let at = self.module.descriptor(descriptor) as i32;
        self.i().local_tee(node).i64_const(1).i64_store(word(COUNT));
        self.i()
            .local_get(node)
            .global_get(DATA)
            .i32_const(at)
            .i32_add()
            .i64_extend_i32_u()
            .i64_store(word(DESCRIPTOR));
        self.store_all(node, HEADER, atoms);
        self.i().local_get(node);
    }

    /// Stores leaves behind the address in a local.
    fn store_all(&mut self, address: u32, first: u32, atoms: &[Atom]) {
        for (at, atom) in (first..).zip(atoms) {
            self.i().local_get(address);
            self.get(atom);
            let leaf = self.leaf_of(atom);
            store(&mut self.i(), leaf, at);
        }
    }

    /// If nobody else sees the node, its room is free, and what wasn't taken of it is released; otherwise what was taken is
    /// retained.
    fn open(&mut self, descriptor: u32, node: &Atom, taken: &[(Var, u32)]) {
        let count = self.temporary(ValType::I64);
        self.get(node);
        self.i().i64_load(word(COUNT)).local_tee(count).i64_const(1).i64_eq();
        self.open_if();
        self.free_node(descriptor, node, taken);
        self.i().else_();
        self.get(node);
        self.i().local_get(count).i64_const(1).i64_sub().i64_store(word(COUNT));
        taken.iter().for_each(|(var, _)| self.retain(&Atom::Var(*var)));
        self.close();
    }

    fn free_node(&mut self, descriptor: u32, node: &Atom, taken: &[(Var, u32)]) {
        let program = self.module.program;
        let descriptor = &program.descriptors[descriptor as usize];
        let words = HEADER + descriptor.words;
        if words >= SMALL_WORDS {
            // The runtime releases the pointers with the node.
            taken.iter().for_each(|(var, _)| self.retain(&Atom::Var(*var)));
            self.context();
            self.get(node);
            return self.call_runtime("rt_free");
        }
        for at in descriptor.pointers.iter().filter(|at| taken.iter().all(|(_, place)| place != *at)) {
            self.get(node);
            load(&mut self.i(), Leaf::Ptr, HEADER + at);
            self.call_helper(Helper::Release);
        }
        self.get(node);
        self.call_helper(Helper::Free(words));
    }

    fn retain(&mut self, atom: &Atom) {
        if self.leaf_of(atom) == Leaf::Ptr {
            self.get(atom);
            return self.call_helper(Helper::Retain);
        }
        self.get(atom);
        self.get(atom);
        self.i().i64_load(word(COUNT)).i64_const(1).i64_add().i64_store(word(COUNT));
    }

    fn release(&mut self, atom: &Atom) {
        self.get(atom);
        self.call_helper(if self.leaf_of(atom) == Leaf::Ptr { Helper::Release } else { Helper::ReleaseObject });
    }

    /// Writes constants into an array at once if the next statements do that one by one, enough of them. What is behind them.
    pub(crate) fn constants<'s>(&mut self, statements: &'s [Statement]) -> Option<&'s [Statement]> {
        let Op::StoreElement { array, rank, at: Atom::Int(first), .. } = &statements.first()?.op else { return None };
        let words: Vec<i64> =
            (*first..).zip(statements).map_while(|(at, next)| constant(&next.op, array, at)).collect();
        if words.len() < ENOUGH {
            return None;
        }
        let from = self.module.table(&words) as i32;
        self.element(array, 1, &Atom::Int(*first));
        let header = 8 * (LENGTHS + rank) as i32;
        self.i().i32_const(header).i32_add().global_get(DATA).i32_const(from).i32_add();
        self.i().i32_const(8 * words.len() as i32).memory_copy(0, 0);
        Some(&statements[words.len()..])
    }

    /// The address of an element, less the words before the first one.
    fn element(&mut self, array: &Atom, words: u32, at: &Atom) {
        self.get(array);
        match at {
            Atom::Int(0) => {}
            Atom::Int(at) => _ = self.i().i32_const((*at as i32).wrapping_mul(8 * words as i32)).i32_add(),
            at => {
                self.get(at);
                self.i().i32_wrap_i64();
                match words {
                    1 => _ = self.i().i32_const(3).i32_shl(),
                    words => _ = self.i().i32_const(8 * words as i32).i32_mul(),
                }
                self.i().i32_add();
            }
        }
    }

    /// In an array of columns: the address of the first word of an element, less the words before the first one, and the bytes from one of
    /// its words to the next.
    fn column(&mut self, array: &Atom, rank: u32, at: &Atom) -> (u32, u32) {
        let [first, step] = [self.temporary(ValType::I32), self.temporary(ValType::I32)];
        self.element(array, 1, at);
        self.i().local_set(first).i32_const(8);
        for axis in 0..rank {
            self.get(array);
            load(&mut self.i(), Leaf::Bool, LENGTHS + axis);
            self.i().i32_mul();
        }
        self.i().local_set(step);
        (first, step)
    }

    pub(crate) fn load_element(&mut self, vars: &[Var], op: &Op) {
        let (Op::LoadElement { array, rank, words, at, columns } | Op::TakeElement { array, rank, words, at, columns }) =
            op
        else {
            unreachable!("wasm: {op:?} reads no element");
        };
        let header = LENGTHS + rank;
        if vars.is_empty() {
            return;
        }
        if *columns {
            let (address, step) = self.column(array, *rank, at);
            for (number, var) in vars.iter().enumerate() {
                if number > 0 {
                    self.i().local_get(address).local_get(step).i32_add().local_set(address);
                }
                self.load_into(*var, address, header);
            }
            return;
        }
        self.element(array, *words, at);
        if let [var] = vars {
            let leaf = self.leaf(*var);
            load(&mut self.i(), leaf, header);
            return self.set(*var);
        }
        let address = self.temporary(ValType::I32);
        self.i().local_set(address);
        for (at, var) in (header..).zip(vars) {
            self.load_into(*var, address, at);
        }
    }

    fn load_into(&mut self, var: Var, address: u32, at: u32) {
        let leaf = self.leaf(var);
        self.i().local_get(address);
        load(&mut self.i(), leaf, at);
        self.set(var);
    }

    fn store_element(&mut self, array: &Atom, rank: u32, at: &Atom, leaves: &[Atom], columns: bool) {
        let header = LENGTHS + rank;
        if leaves.is_empty() {
            return;
        }
        if columns {
            let (address, step) = self.column(array, rank, at);
            for (number, leaf) in leaves.iter().enumerate() {
                if number > 0 {
                    self.i().local_get(address).local_get(step).i32_add().local_set(address);
                }
                self.store_all(address, header, std::slice::from_ref(leaf));
            }
            return;
        }
        self.element(array, leaves.len() as u32, at);
        if let [leaf] = leaves {
            self.get(leaf);
            let kind = self.leaf_of(leaf);
            return store(&mut self.i(), kind, header);
        }
        let address = self.temporary(ValType::I32);
        self.i().local_set(address);
        self.store_all(address, header, leaves);
    }

    pub(crate) fn array_op(&mut self, op: &Op) {
        match op {
            Op::NewArray(descriptor, lengths) => {
                self.store_scratch(lengths);
                self.context();
                let at = self.module.descriptor(descriptor.0) as i32;
                self.i().global_get(DATA).i32_const(at).i32_add();
                self.i().i64_const(lengths.len() as i64).global_get(DATA);
                self.span_words();
                self.call_runtime("rt_array");
            }
            Op::StoreElement { array, rank, at, leaves, columns } => {
                self.store_element(array, *rank, at, leaves, *columns);
            }
            Op::Append { array, leaves } => self.append(array, leaves),
            Op::Axis(array, axis) => {
                self.get(array);
                self.i().i64_load(word(LENGTHS + axis));
            }
            Op::Unshare(array) => {
                self.get(array);
                self.call_helper(Helper::Unshare);
            }
            Op::Row { array, dropped, at } => {
                self.context();
                self.get(array);
                self.i().i64_const(i64::from(*dropped));
                self.get(at);
                self.call_runtime("rt_row");
            }
            Op::ReplaceRow { array, row, dropped, at } => {
                self.context();
                self.get(array);
                self.get(row);
                self.i().i64_const(i64::from(*dropped));
                self.get(at);
                self.span_words();
                self.call_runtime("rt_replace_row");
            }
            Op::StoreRow { array, row, at, count } => {
                self.context();
                [array, row, at, count].into_iter().for_each(|atom| self.get(atom));
                self.span_words();
                self.call_runtime("rt_store_row");
            }
            Op::Product(product) => self.product(product),
            other => unreachable!("wasm: {other:?} is no operation on arrays"),
        }
    }

    fn append(&mut self, array: &Atom, leaves: &[Atom]) {
        let longer = self.temporary(ValType::I32);
        self.get(array);
        self.span_words();
        self.call_helper(Helper::Grow);
        self.i().local_set(longer);
        if !leaves.is_empty() {
            let address = self.temporary(ValType::I32);
            let bytes = 8 * leaves.len() as i32;
            self.i().local_get(longer).i32_load(crate::module::half(8 * LENGTHS as usize));
            self.i().i32_const(bytes).i32_mul().local_get(longer).i32_add().i32_const(bytes).i32_sub();
            self.i().local_set(address);
            self.store_all(address, LENGTHS + 1, leaves);
        }
        self.i().local_get(longer);
    }

    fn product(&mut self, Product { lengths: [m, k, n], left, right, out }: &Product) {
        if let Some((out, rank, at)) = out {
            self.first_of(out, *rank, at);
        }
        for Matrix { array, rank, at, row, column } in [left, right] {
            self.first_of(array, *rank, at);
            self.get(row);
            self.get(column);
        }
        match out {
            Some(_) => {
                [m, k, n].into_iter().for_each(|length| self.get(length));
                self.call_runtime("rt_products");
            }
            None => {
                self.get(k);
                self.call_runtime("rt_product");
            }
        }
    }

    /// The address of an element of one word.
    fn first_of(&mut self, array: &Atom, rank: u32, at: &Atom) {
        self.element(array, 1, at);
        self.i().i32_const(8 * (LENGTHS + rank) as i32).i32_add();
    }
}

/// The word that a statement writes, if it writes a constant as this element of this array.
fn constant(op: &Op, to: &Atom, element: i64) -> Option<i64> {
    match op {
        Op::StoreElement { array, at: Atom::Int(at), leaves, columns: false, .. } if array == to && *at == element => {
            match leaves[..] {
                [Atom::Real(x)] => Some(x.to_bits() as i64),
                [Atom::Int(i)] => Some(i),
                _ => None,
            }
        }
        _ => None,
    }
}
