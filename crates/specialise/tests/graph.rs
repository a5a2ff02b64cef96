//! The graph of shapes: equal shapes have equal ids, joins are bounds, nesting becomes recursion.

use std::rc::Rc;

use base::Name;
use calculus::Constructor;
use first_order::{Head, ShapeId};
use specialise::Codes;
use specialise::graph::{Fold, Graph, INT, NEVER, REAL, UNIT, ZERO};

fn graph() -> Graph {
    Graph::new(Rc::new(Codes::default()))
}

fn constructor(name: &str, tag: u32, fields: &[&str]) -> Rc<Constructor> {
    let fields = fields.iter().map(|field| Name::new(field)).collect();
    Rc::new(Constructor { name: name.into(), type_name: "List".into(), tag, fields })
}

fn nil(graph: &mut Graph) -> ShapeId {
    graph.single(Head::Variant(constructor("Nil", 0, &[])), vec![])
}

fn cons(graph: &mut Graph, head: ShapeId, tail: ShapeId) -> ShapeId {
    graph.single(Head::Variant(constructor("Cons", 1, &["head", "tail"])), vec![head, tail])
}

#[test]
fn lists_of_every_length_have_one_shape() {
    let mut graph = graph();
    let empty = nil(&mut graph);
    let one = cons(&mut graph, REAL, empty);
    let ten = (0..9).fold(one, |list, _| cons(&mut graph, REAL, list));
    assert_eq!(one, ten);
    assert!(graph.get(one).named.is_some(), "its values are nodes on the heap");
    assert_eq!(graph.join(empty, one), one);
}

#[test]
fn a_list_of_ints_and_reals_is_a_list_of_either() {
    let mut graph = graph();
    let empty = nil(&mut graph);
    let (ints, reals) = (cons(&mut graph, INT, empty), cons(&mut graph, REAL, empty));
    let both = graph.join(ints, reals);
    assert_eq!(both, graph.join(reals, ints));
    let either = graph.join(INT, REAL);
    assert_eq!(both, cons(&mut graph, either, empty));
}

#[test]
fn joins_are_least_upper_bounds() {
    let mut graph = graph();
    let pair = graph.single(Head::Tuple, vec![REAL, INT]);
    let triple = graph.single(Head::Tuple, vec![REAL, INT, UNIT]);
    let empty = nil(&mut graph);
    let list = cons(&mut graph, pair, empty);
    let some = [NEVER, ZERO, REAL, INT, UNIT, pair, triple, list];
    for a in some {
        assert_eq!(graph.join(a, a), a);
        assert_eq!(graph.join(a, NEVER), a);
        for b in some {
            let joined = graph.join(a, b);
            assert_eq!(joined, graph.join(b, a));
            assert_eq!(joined, graph.join(joined, a));
            assert_eq!(joined, graph.join(joined, b));
        }
    }
}

#[test]
fn tuples_of_different_lengths_stay_apart() {
    let mut graph = graph();
    let pair = graph.single(Head::Tuple, vec![INT, INT]);
    let triple = graph.single(Head::Tuple, vec![INT, INT, INT]);
    let either = graph.join(pair, triple);
    assert_eq!(graph.alternatives(either).len(), 2);
}

#[test]
fn records_with_different_labels_become_one_in_which_labels_may_be_missing() {
    let mut graph = graph();
    let record = |graph: &mut Graph, label: &str| graph.single(Head::Record([Name::new(label)].into()), vec![REAL]);
    let (a, b) = (record(&mut graph, "a"), record(&mut graph, "b"));
    let both = graph.join(a, b);
    let maybe = graph.join(ZERO, REAL);
    let one = graph.only(both).expect("one alternative");
    assert_eq!(one.parts, [maybe, maybe]);
}

#[test]
fn tuples_that_nest_without_end_become_recursive_at_last() {
    let mut graph = graph();
    let deep = (0..20).fold(REAL, |inner, _| graph.single(Head::Tuple, vec![inner, INT]));
    let either = graph.join(deep, REAL);
    assert_eq!(graph.fold(either, Fold::Wide), either);
    let folded = graph.fold(either, Fold::All);
    assert!(graph.depth(folded) < 6, "{} shapes", graph.depth(folded));
    let deeper = graph.single(Head::Tuple, vec![folded, INT]);
    let again = graph.join(deeper, folded);
    assert_eq!(graph.fold(again, Fold::All), folded);
}

#[test]
fn records_of_sensitivities_that_nest_become_recursive_without_their_neighbours() {
    let mut graph = graph();
    let labels = |names: &[&str]| Head::Record(names.iter().map(|name| Name::new(name)).collect());
    let pair = graph.single(Head::Tuple, vec![REAL, INT]);
    // {a: {a: … {a: 0, b: (real, int)} …, b: (real, int)}, b: (real, int)}
    let deep = (0..10).fold(ZERO, |inner, _| graph.single(labels(&["a", "b"]), vec![inner, pair]));
    let folded = graph.fold(deep, Fold::Closures);
    assert!(graph.depth(folded) < 8, "{} shapes", graph.depth(folded));
    assert_eq!(graph.only(folded).map(|one| one.parts[1]), Some(pair));
    // All but the innermost hold the same labels.
    let alike = graph.fold(deep, Fold::Alike);
    assert!(graph.depth(alike) < 10, "{} shapes", graph.depth(alike));
    // Of three levels with other neighbours on each, none need be the same.
    let apart = ["x", "y", "z"].into_iter().fold(ZERO, |inner, name| {
        let neighbour = graph.single(labels(&[name]), vec![REAL]);
        graph.single(labels(&["a", "b"]), vec![inner, neighbour])
    });
    assert_eq!(graph.fold(apart, Fold::Alike), apart);
    assert_ne!(graph.fold(apart, Fold::Closures), apart);
    // Other labels on every other level: one record for all, if that is wanted.
    let mixed = (0..10).fold(ZERO, |inner, i| graph.single(labels(&[["a", "b"][i % 2]]), vec![inner]));
    let folded = graph.fold(mixed, Fold::Wide);
    assert!(graph.depth(folded) < 8, "{} shapes", graph.depth(folded));
}

#[test]
fn what_is_collected_row_by_row_nests_only_so_deep() {
    let mut graph = graph();
    let maybe = graph.join(ZERO, REAL);
    let deep = (0..10).fold(maybe, |inner, _| {
        let handle = graph.single(Head::Handle(1), vec![inner]);
        graph.join(handle, maybe)
    });
    let folded = graph.fold(deep, Fold::Closures);
    assert!(graph.depth(folded) < 6, "{} shapes", graph.depth(folded));
}

#[test]
fn folding_what_was_folded_changes_nothing() {
    let mut graph = graph();
    let empty = nil(&mut graph);
    let list = cons(&mut graph, REAL, empty);
    let deep = (0..10).fold(list, |inner, _| graph.single(Head::Tuple, vec![inner, list]));
    for fold in [Fold::Usual, Fold::Closures, Fold::Wide, Fold::All] {
        let once = graph.fold(deep, fold);
        assert_eq!(graph.fold(once, fold), once, "{fold:?}");
    }
}

#[test]
fn a_cycle_that_says_the_same_as_one_it_mentions_is_that_one() {
    let mut graph = graph();
    let empty = nil(&mut graph);
    let list = cons(&mut graph, REAL, empty);
    let maybe = graph.join(ZERO, REAL);
    let part = Head::Part(Some(constructor("Cons", 1, &["head", "tail"])), [0, 1].into());
    let around = |graph: &mut Graph, tail: ShapeId, rest: ShapeId| {
        let part = graph.single(part.clone(), vec![maybe, tail]);
        graph.join(part, rest)
    };
    let full = |graph: &mut Graph, d: ShapeId| {
        let full = graph.single(Head::Full, vec![list, d]);
        graph.join(full, ZERO)
    };
    let mut deep = ZERO;
    for _ in 0..10 {
        let rest = full(&mut graph, deep);
        deep = around(&mut graph, deep, rest);
    }
    let whole = graph.fold(deep, Fold::All);
    // Its sensitivities of lists are again such sensitivities, one turn later.
    let rest = full(&mut graph, whole);
    let once = around(&mut graph, rest, rest);
    let twice = around(&mut graph, once, rest);
    assert_eq!(twice, whole, "{:?}, {:?}", graph.get(twice), graph.get(whole));
}
