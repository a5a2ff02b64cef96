//! Sums and named types: injecting, switching, boxing and unboxing.

use first_order::{self as l3, NamedId, Type};

use super::flatten::{Flatten, Known};
use crate::layout::places;
use crate::term::{Arm, Atom, Block, DescriptorId, End, Leaf, Op, Statement, Var};

impl Flatten<'_> {
    pub(super) fn inject(&mut self, sum: &Type, tag: u32, content: &l3::Atom) -> Vec<Atom> {
        let leaves = self.leaves_of(sum);
        let content_leaves = self.leaves_of(&alternatives(sum)[tag as usize]);
        let mut all: Vec<Atom> = leaves.iter().map(|leaf| leaf.nothing()).collect();
        all[0] = Atom::Int(i64::from(tag));
        let content = self.leaves(content);
        places(&content_leaves, &leaves).into_iter().zip(content).for_each(|(place, atom)| all[place] = atom);
        all
    }

    /// A node that holds the content, unless the content is an alternative without leaves.
    pub(super) fn boxed(&mut self, named: &Type, content: &l3::Atom) -> Atom {
        let Type::Named(name) = named else { panic!("lowering: a box of no name") };
        let node = self.tables.layouts.node_of(*name);
        let leaves = self.leaves(content);
        let empty = self.empty_alternatives(*name);
        match leaves.first() {
            Some(Atom::Int(tag)) if empty.get(*tag as usize) == Some(&true) => Atom::Tag(*tag as u32),
            Some(tag @ Atom::Var(_)) if empty.contains(&true) => {
                self.boxed_by_tag(*tag, &empty, node_op(node, leaves.clone()))
            }
            _ => self.let_one(if empty.is_empty() { Leaf::Object } else { Leaf::Ptr }, Op::Node(node, leaves)),
        }
    }

    fn boxed_by_tag(&mut self, tag: Atom, empty: &[bool], node: (Op, Vec<Var>)) -> Atom {
        let (node, pointers) = node;
        let arms = empty.iter().map(|empty| arm(vec![], yielding(vec![], Atom::Int(i64::from(*empty))))).collect();
        let is_empty = self.let_one(Leaf::Int, Op::Switch(tag, arms));
        let full = self.block_of(|this| End::Yield(vec![this.let_one(Leaf::Ptr, node)]));
        let bare = self.block_of(|this| End::Yield(vec![this.let_one(Leaf::Ptr, Op::PointerOf(tag))]));
        self.let_one(Leaf::Ptr, Op::Switch(is_empty, vec![arm(vec![], full), arm(pointers, bare)]))
    }

    /// For each alternative of a named sum: has it no leaves? Nothing for other named types.
    fn empty_alternatives(&self, name: NamedId) -> Vec<bool> {
        match self.tables.layouts.content(name) {
            Type::Sum(alternatives) => alternatives.iter().map(|one| self.leaves_of(one).is_empty()).collect(),
            _ => vec![],
        }
    }

    pub(super) fn unbox(&mut self, node: &l3::Atom, only_switched_on: bool) -> Known {
        let Type::Named(name) = self.type_of(node) else { panic!("lowering: unbox of no name") };
        let pointer = self.leaf(node);
        let descriptor = self.tables.layouts.node_of(name);
        let content = self.tables.layouts.content(name).clone();
        let leaves = self.leaves_of(&content);
        if only_switched_on && matches!(content, Type::Sum(_)) {
            return Known::Inside(descriptor, pointer);
        }
        if !self.empty_alternatives(name).contains(&true) {
            return Known::Leaves(self.load_all(descriptor, pointer, &leaves));
        }
        let is_object = self.let_one(Leaf::Bool, Op::IsObject(pointer));
        let full = self.block_of(|this| End::Yield(this.load_all(descriptor, pointer, &leaves)));
        let bare = self.block_of(|this| {
            let mut all: Vec<Atom> = leaves.iter().map(|leaf| leaf.nothing()).collect();
            all[0] = this.let_one(Leaf::Int, Op::TagOf(pointer));
            End::Yield(all)
        });
        Known::Leaves(self.let_all(&leaves, Op::If(is_object, Box::new(full), Box::new(bare))))
    }

    fn load_all(&mut self, descriptor: DescriptorId, node: Atom, leaves: &[Leaf]) -> Vec<Atom> {
        (0..).zip(leaves).map(|(at, leaf)| self.let_one(*leaf, Op::Load(descriptor, node, at))).collect()
    }

    pub(super) fn switch(&mut self, var: l3::Var, sum: &l3::Atom, arms: &[(l3::Var, l3::Block)]) -> Vec<Atom> {
        let sum_type = self.type_of(sum);
        match self.known(sum) {
            Known::Inside(descriptor, node) => {
                let results = self.leaves_of(self.type_of_var(var));
                let op = self.switch_on_node((descriptor, node), &sum_type, &results, arms);
                let vars = self.bind(var);
                self.push(vars.clone(), op);
                vars.into_iter().map(Atom::Var).collect()
            }
            Known::OneHot(_) | Known::Placed(_) | Known::View(_) | Known::Product(_) => {
                unreachable!("lowering: a sensitivity of an array is no sum")
            }
            Known::Leaves(leaves) => match leaves[0] {
                Atom::Int(tag) => self.known_arm(var, &sum_type, &leaves, tag as usize, arms),
                tag => {
                    let arms = (0..).zip(arms).map(|(number, arm)| self.arm(&sum_type, &leaves, number, arm)).collect();
                    let vars = self.bind(var);
                    self.push(vars.clone(), Op::Switch(tag, arms));
                    vars.into_iter().map(Atom::Var).collect()
                }
            },
        }
    }

    /// The alternative is known: its arm runs in place.
    fn known_arm(
        &mut self,
        var: l3::Var,
        sum: &Type,
        leaves: &[Atom],
        tag: usize,
        arms: &[(l3::Var, l3::Block)],
    ) -> Vec<Atom> {
        let (content, body) = &arms[tag];
        let content_leaves = self.leaves_of(&alternatives(sum)[tag]);
        let places = places(&content_leaves, &self.leaves_of(sum));
        self.know(*content, places.into_iter().map(|place| leaves[place]).collect());
        if let l3::End::Yield(_) = body.end {
            let End::Yield(result) = self.inline(body) else { unreachable!("lowering: the block yields") };
            return result;
        }
        let block = self.block(body);
        let vars = self.bind(var);
        let never = Block { statements: vec![], end: End::Never };
        self.push(vars.clone(), Op::If(Atom::Bool(true), Box::new(block), Box::new(never)));
        vars.into_iter().map(Atom::Var).collect()
    }

    fn arm(&mut self, sum: &Type, leaves: &[Atom], tag: usize, (content, body): &(l3::Var, l3::Block)) -> Arm {
        let content_leaves = self.leaves_of(&alternatives(sum)[tag]);
        let sum_leaves = self.leaves_of(sum);
        let places = places(&content_leaves, &sum_leaves);
        let unused = (0..leaves.len()).filter(|place| sum_leaves[*place].is_pointer() && !places.contains(place));
        let nulls = unused.filter_map(|place| variable(&leaves[place])).collect();
        self.know(*content, places.into_iter().map(|place| leaves[place]).collect());
        arm(nulls, self.block(body))
    }

    /// Arms that read their content out of the node, if it is one. Alternatives without leaves are none.
    fn switch_on_node(
        &mut self,
        (descriptor, node): (DescriptorId, Atom),
        sum: &Type,
        results: &[Leaf],
        arms: &[(l3::Var, l3::Block)],
    ) -> Op {
        let sum_leaves = self.leaves_of(sum);
        let contents: Vec<Vec<Leaf>> = alternatives(sum).iter().map(|one| self.leaves_of(one)).collect();
        let is_full = |number: &usize| !contents[*number].is_empty();
        let (full, bare): (Vec<usize>, Vec<usize>) = (0..arms.len()).partition(is_full);
        let mut blocks: Vec<Option<Block>> = vec![];
        for ((content, body), leaves) in arms.iter().zip(&contents) {
            let block = self.block_of(|this| {
                let places = places(leaves, &sum_leaves);
                let atoms = places.into_iter().zip(leaves);
                let atoms =
                    atoms.map(|(place, leaf)| this.let_one(*leaf, Op::Load(descriptor, node, place as u32))).collect();
                this.know(*content, atoms);
                this.inline(body)
            });
            blocks.push(Some(block));
        }
        if bare.is_empty() {
            return self.choose(&full, &mut blocks, |this| this.let_one(Leaf::Int, Op::Load(descriptor, node, 0)));
        }
        if full.is_empty() {
            return self.choose(&bare, &mut blocks, |this| this.let_one(Leaf::Int, Op::TagOf(node)));
        }
        let is_object = self.let_one(Leaf::Bool, Op::IsObject(node));
        let full =
            self.chosen(results, &full, &mut blocks, |this| this.let_one(Leaf::Int, Op::Load(descriptor, node, 0)));
        let bare = self.chosen(results, &bare, &mut blocks, |this| this.let_one(Leaf::Int, Op::TagOf(node)));
        Op::If(is_object, Box::new(full), Box::new(bare))
    }

    /// A switch between some of the blocks; the others can't happen.
    fn choose(&mut self, numbers: &[usize], blocks: &mut [Option<Block>], tag: impl FnOnce(&mut Self) -> Atom) -> Op {
        let tag = tag(self);
        let never = || Block { statements: vec![], end: End::Never };
        let last = numbers.last().map_or(0, |last| last + 1);
        let arms = (0..last).map(|number| {
            let block = if numbers.contains(&number) { blocks[number].take() } else { None };
            arm(vec![], block.unwrap_or_else(never))
        });
        Op::Switch(tag, arms.collect())
    }

    /// The same as a block.
    fn chosen(
        &mut self,
        results: &[Leaf],
        numbers: &[usize],
        blocks: &mut [Option<Block>],
        tag: impl FnOnce(&mut Self) -> Atom,
    ) -> Block {
        if let [one] = numbers {
            return blocks[*one].take().expect("each block goes to one place");
        }
        self.block_of(|this| {
            let op = this.choose(numbers, blocks, tag);
            End::Yield(this.let_all(results, op))
        })
    }
}

fn alternatives(sum: &Type) -> &[Type] {
    match sum {
        Type::Sum(alternatives) => alternatives,
        other => panic!("lowering: a sum was expected, found {other:?}"),
    }
}

fn node_op(node: DescriptorId, leaves: Vec<Atom>) -> (Op, Vec<Var>) {
    let variables = leaves.iter().filter_map(variable).collect();
    (Op::Node(node, leaves), variables)
}

fn variable(atom: &Atom) -> Option<Var> {
    match atom {
        Atom::Var(var) => Some(*var),
        _ => None,
    }
}

fn arm(nulls: Vec<Var>, block: Block) -> Arm {
    Arm { nulls, block }
}

fn yielding(statements: Vec<Statement>, atom: Atom) -> Block {
    Block { statements, end: End::Yield(vec![atom]) }
}
