//! L3 → L4. Values become leaves, data becomes nodes, array operations become loops and accesses (`flatten`), and then every
//! pointer gets its counts (`counts`).

mod arrays;
mod collected;
mod counts;
mod flatten;
mod naturals;
mod products;
mod regions;
mod rows;
mod sums;
mod views;

use std::rc::Rc;

use base::Span;
use calculus::Prim;
use first_order::ShapeId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::check;
use crate::layout::{Grown, Layouts};
use crate::parallel;
use crate::term::{Descriptor, FunctionId, Place, PrimSite, Program};
use crate::unshared;

/// Where `base::checks` are on the result is checked.
pub fn lower(program: &first_order::Program) -> Program {
    lower_with(program, None)
}

/// The same program, with the loops whose turns may run at once in pieces, unless they surely are small ([`parallel::run`]); and what became of its loops.
pub fn lower_in_pieces(program: &first_order::Program, least: f64) -> (Program, Vec<parallel::Found>) {
    let mut lowered = lower(program);
    let found = parallel::run(&mut lowered, least);
    (lowered, found)
}

/// The same program, which also says by which statement of L3 each object is made.
pub fn lower_surveyed(program: &first_order::Program) -> Program {
    lower_with(program, Some(vec![]))
}

fn lower_with(program: &first_order::Program, places: Option<Vec<Place>>) -> Program {
    let mut tables = Tables::new(program, places);
    let functions = (0..).zip(&program.functions).map(|(id, function)| {
        let mut flat = flatten::function(program, first_order::FunctionId(id), function, &mut tables);
        counts::insert(&mut flat);
        flat
    });
    let functions = functions.collect();
    let Tables { descriptors, layouts, prims, texts, places, .. } = tables;
    let entry = FunctionId(program.entry.0);
    let mut lowered = Program { functions, entry, descriptors, layouts, prims, texts, places };
    unshared::run(&mut lowered);
    if base::checks::are_on()
        && let Err(error) = check(&lowered)
    {
        panic!("lowering made a wrong program: {error}\n{lowered}");
    }
    lowered
}

/// What the functions of a program share.
struct Tables {
    descriptors: Vec<Descriptor>,
    layouts: Layouts,
    grown: Grown,
    /// By function of L3, the ints that surely are ints.
    differences: Vec<FxHashSet<first_order::Var>>,
    prims: Vec<PrimSite>,
    texts: Vec<Rc<str>>,
    text_numbers: FxHashMap<Rc<str>, u32>,
    /// `None`: nobody asks.
    places: Option<Vec<Place>>,
}

impl Tables {
    fn new(program: &first_order::Program, places: Option<Vec<Place>>) -> Tables {
        let mut descriptors = vec![];
        let layouts = Layouts::new(&program.types, &mut descriptors);
        let (grown, differences) = (Grown::new(program), naturals::differences(program));
        let text_numbers = FxHashMap::default();
        Tables { descriptors, layouts, grown, differences, prims: vec![], texts: vec![], text_numbers, places }
    }

    fn text(&mut self, text: &Rc<str>) -> u32 {
        *self.text_numbers.entry(text.clone()).or_insert_with(|| {
            self.texts.push(text.clone());
            self.texts.len() as u32 - 1
        })
    }

    fn prim(
        &mut self,
        program: &first_order::Program,
        prim: Prim,
        args: &[ShapeId],
        result: ShapeId,
        span: Span,
    ) -> u32 {
        let leaves = |shape: &ShapeId| self.layouts.leaves(&program.shapes.type_of(*shape));
        let (arg_leaves, result_leaves) = (args.iter().map(leaves).collect(), leaves(&result));
        self.prims.push(PrimSite { prim, args: args.to_vec(), arg_leaves, result, result_leaves, span });
        self.prims.len() as u32 - 1
    }
}
