//! Programs of L4 print and parse back; damaged texts are refused, or they are programs.

#[path = "../../first_order/tests/common/mod.rs"]
mod common;
#[path = "../../first_order/tests/damage/mod.rs"]
mod damage;
#[path = "../../first_order/tests/generate/mod.rs"]
mod generate;

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::{Code, FileId, Span};
use first_order::Scalar;
use loops::{
    Arm, Atom, Block, Cost, Descriptor, DescriptorId, End, Function, FunctionId, Kind, Layouts, Leaf, Matrix, Op,
    Pieces, Placed, Product, Program, Statement, Var, check, lower, lower_surveyed, parse,
};

/// The program that the text of a program is; not compared where a constant is a nan.
fn parses_back(program: &Program) {
    let text = program.to_string();
    let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_string(), text);
    assert!(again == *program || text.contains("nan"), "{text}");
}

#[test]
fn random_programs_parse_back() {
    (0..500).for_each(|seed| parses_back(&lower(&generate::program(seed))));
    (0..50).for_each(|seed| parses_back(&lower_surveyed(&generate::program(seed))));
}

/// One of each operation, on operands of every kind. The program need not be right.
fn operations() -> Vec<(usize, Op)> {
    let (v, w) = (Atom::Var(Var(0)), Atom::Var(Var(1)));
    let (real, small, tag, null) = (Atom::Real(-1.5e-300), Atom::Real(-0.0), Atom::Tag(3), Atom::Null);
    let (yes, least) = (Atom::Bool(true), Atom::Int(i64::MIN));
    let (d, code) = (DescriptorId(0), Code(307));
    let block = |end| Box::new(Block { statements: vec![], end });
    let arm = |nulls, end| Arm { nulls, block: *block(end) };
    let placed =
        Placed { site: 0, lengths: vec![v, w], index: vec![], at: w, count: Atom::Int(2), part: v, plain: false };
    let matrix = Matrix { array: v, rank: 2, at: Atom::Int(0), row: w, column: Atom::Int(1) };
    let cost = |units, lengths| Cost { units, lengths };
    let pieces = Pieces {
        function: FunctionId(0),
        count: v,
        work: vec![cost(7, vec![]), cost(2, vec![w, Atom::Int(3)])],
        captures: vec![v, real],
        values: None,
    };
    let scalars = Scalar::all().map(|scalar| (1, Op::Scalar(scalar, vec![v, real, small])));
    let others = vec![
        (0, Op::Site(2)),
        (1, Op::IndexAdd(v, least)),
        (1, Op::IndexMul(Atom::Int(-1), w)),
        (1, Op::InRange(v, Atom::Int(7))),
        (0, Op::Call(FunctionId(0), vec![])),
        (2, Op::Call(FunctionId(0), vec![tag, null, yes])),
        (1, Op::If(v, block(End::Yield(vec![null])), block(End::Never))),
        (0, Op::Switch(v, vec![arm(vec![], End::Yield(vec![])), arm(vec![Var(0), Var(1)], End::Again(vec![v, tag]))])),
        (0, Op::Switch(v, vec![])),
        (0, Op::Loop { params: vec![], body: block(End::Again(vec![])) }),
        (1, Op::Node(d, vec![v, null])),
        (1, Op::Load(d, v, 1)),
        (0, Op::Open { descriptor: d, node: v, taken: vec![(Var(1), 0), (Var(0), 1)] }),
        (0, Op::Open { descriptor: d, node: v, taken: vec![] }),
        (1, Op::IsObject(v)),
        (1, Op::TagOf(v)),
        (1, Op::PointerOf(v)),
        (1, Op::NewArray(d, vec![v, Atom::Int(3)])),
        (1, Op::LoadElement { array: v, rank: 1, words: 1, at: w, columns: false }),
        (0, Op::LoadElement { array: v, rank: 2, words: 0, at: Atom::Int(0), columns: false }),
        (1, Op::TakeElement { array: v, rank: 3, words: 5, at: w, columns: true }),
        (0, Op::StoreElement { array: v, rank: 1, at: w, leaves: vec![], columns: false }),
        (0, Op::StoreElement { array: v, rank: 2, at: w, leaves: vec![real, small], columns: true }),
        (1, Op::Append { array: v, leaves: vec![] }),
        (1, Op::Append { array: v, leaves: vec![w, tag] }),
        (1, Op::Axis(v, 2)),
        (1, Op::Unshare(v)),
        (1, Op::Row { array: v, dropped: 2, at: w }),
        (1, Op::ReplaceRow { array: v, row: w, dropped: 1, at: Atom::Int(4) }),
        (1, Op::StoreRow { array: null, row: w, at: Atom::Int(0), count: v }),
        (1, Op::Prim(0, vec![v])),
        (
            0,
            Op::Product(Box::new(Product {
                lengths: [v, w, least],
                left: matrix,
                right: matrix,
                out: Some((v, 1, w)),
            })),
        ),
        (
            0,
            Op::Product(Box::new(Product {
                lengths: [v, w, w],
                left: matrix,
                right: matrix,
                out: Some((v, 3, least)),
            })),
        ),
        (1, Op::Product(Box::new(Product { lengths: [v, w, w], left: matrix, right: matrix, out: None }))),
        (1, Op::IsLarge(w, pieces.work.clone())),
        (0, Op::Pieces(Box::new(pieces.clone()))),
        (1, Op::Pieces(Box::new(Pieces { values: Some(w), captures: vec![], work: vec![], ..pieces }))),
        (1, Op::OneHot { lengths: vec![v, w], at: Atom::Int(1), value: Atom::Real(f64::NEG_INFINITY) }),
        (1, Op::AddAt { site: 0, sum: v, lengths: vec![w], at: w, value: real }),
        (1, Op::Sum { count: w, index: Var(3), body: block(End::Yield(vec![real])) }),
        (1, Op::Placed(Box::new(placed.clone()))),
        (
            1,
            Op::AddPlaced { site: 0, sum: v, placed: Box::new(Placed { plain: true, index: vec![w, null], ..placed }) },
        ),
        (1, Op::Plus { site: 0, terms: [v, w], plain: [true, false] }),
        (1, Op::Dense(v, 2)),
        (1, Op::Text(0)),
        (0, Op::Quiet(true)),
        (0, Op::Quiet(false)),
        (0, Op::Retain(v)),
        (0, Op::Release(v)),
        (1, Op::IsUnique(v)),
        (0, Op::Require(v, code)),
        (0, Op::Fail(code)),
    ];
    scalars.chain(others).collect()
}

#[test]
fn every_operation_parses_back() {
    let mut base = lower(&generate::program(1));
    base.texts.push("a \"text\"\n\u{1}".into());
    for (bound, op) in operations() {
        // With a statement behind it that begins as it could go on, and with a span.
        for span in [Span::default(), Span { file: FileId(3), start: 4, end: 11 }] {
            let vars: Vec<Var> = (2..2 + bound as u32).map(Var).collect();
            let behind = Op::StoreElement {
                array: Atom::Var(Var(0)),
                rank: 1,
                at: Atom::Int(0),
                leaves: vec![],
                columns: false,
            };
            let statements = vec![
                Statement { vars, op: op.clone(), span },
                Statement { vars: vec![], op: behind, span: Span::default() },
            ];
            let function = Function {
                name: "a name".into(),
                params: vec![Var(0)],
                results: vec![Leaf::Bool, Leaf::Object],
                vars: [Leaf::Ptr, Leaf::Int, Leaf::Real, Leaf::Bool].to_vec(),
                body: Block { statements, end: End::Never },
                span,
                borrows: bound == 0,
            };
            let mut program = base.clone();
            program.functions = vec![function];
            parses_back(&program);
        }
    }
}

#[test]
fn damaged_texts_are_refused_or_are_programs() {
    let (mut refused, mut broken, mut right, mut panicked) = (0, 0, 0, vec![]);
    let texts: Vec<String> = (0..100).map(|seed| lower(&generate::program(seed)).to_string()).collect();
    for seed in damage::seeds(4_000) {
        let text = damage::damaged(&texts[seed as usize % texts.len()], seed);
        let attempt = catch_unwind(AssertUnwindSafe(|| {
            let Ok(program) = parse(&text) else { return 0 };
            let printed = program.to_string();
            assert_eq!(
                parse(&printed).map(|again| again.to_string()).as_ref(),
                Ok(&printed),
                "it prints and parses back"
            );
            if check::check(&program).is_err() { 1 } else { 2 }
        }));
        match attempt {
            Ok(0) => refused += 1,
            Ok(1) => broken += 1,
            Ok(_) => right += 1,
            Err(_) => panicked.push(seed),
        }
    }
    assert_eq!(panicked, [], "seeds whose texts make us panic");
    println!("{refused} refused, {broken} not well-formed, {right} well-formed");
    assert!(refused > 100 && broken > 100 && right > 100, "{refused} refused, {broken} not well-formed, {right} right");
}

#[test]
fn the_checker_refuses_names_of_nothing() {
    let right = lower(&generate::program(1));
    check::check(&right).unwrap();
    let wrong = |op: Op| {
        let mut program = right.clone();
        program.functions[0].body.statements.insert(0, Statement { vars: vec![], op, span: Span::default() });
        check::check(&program).unwrap_err()
    };
    assert!(wrong(Op::Release(Atom::Var(Var(9_999)))).contains("there is no v9999"));
    assert!(wrong(Op::Call(FunctionId(99), vec![])).contains("there is no f99"));
    assert!(wrong(Op::Prim(99, vec![])).contains("there is no p99"));
    assert!(wrong(Op::Node(DescriptorId(99), vec![])).contains("there is no d99"));
    assert!(wrong(Op::Text(99)).contains("there is no t99"));
    let mut program = right;
    program.descriptors = vec![Descriptor { kind: Kind::Node, words: 1, pointers: vec![1] }];
    program.layouts = Layouts::default();
    assert!(check::check(&program).is_err());
}
