use eval::array::{Array, Elements};
use eval::show::show;

use super::*;

fn table(text: &str) -> String {
    match read(text.as_bytes(), None) {
        Ok(value) => show(&value),
        Err(problem) => panic!("{problem:?}"),
    }
}

#[track_caller]
fn wrong(text: &str, message: &str, place: &str) {
    let problem = read(text.as_bytes(), None).expect_err("a mistake");
    assert!(problem.message.contains(message), "{problem:?}");
    assert_eq!(problem.at.map_or("", |at| &text[at]), place);
}

#[test]
fn columns_are_ints_reals_booleans_and_texts() {
    assert_eq!(
        table("n,x,ok,name\n1,0.5,true,a\n-2,1e3,FALSE,\"b, c\"\n"),
        "{n: [1, -2], x: [0.5, 1000.0], ok: [true, false], name: [\"a\", \"b, c\"]}"
    );
}

#[test]
fn numbers_keep_every_digit() {
    assert_eq!(
        table("x\n0.1\n2.2250738585072014e-308\n+3.5\n.5\n5.\n"),
        "{x: [0.1, 2.2250738585072014e-308, 3.5, 0.5, 5.0]}"
    );
    assert_eq!(
        table("x\n9223372036854775807\n-9223372036854775808\n"),
        "{x: [9223372036854775807, -9223372036854775808]}"
    );
    assert_eq!(table("x\n9223372036854775808\n"), "{x: [9.223372036854776e18]}");
    assert_eq!(table("x\ninf\n-Infinity\n"), "{x: [inf, -inf]}");
}

#[test]
fn missing_numbers_are_nan_and_missing_texts_are_empty() {
    assert_eq!(
        table("a,b,c\n1,x,NA\n,,\n3,NA,7\n"),
        "{a: [1.0, nan, 3.0], b: [\"x\", \"\", \"NA\"], c: [nan, nan, 7.0]}"
    );
    assert_eq!(table("a,b\n,1\n,2\n"), "{a: [nan, nan], b: [1, 2]}");
    assert_eq!(table("a,b\nNA,1\nx,2\n"), "{a: [\"NA\", \"x\"], b: [1, 2]}");
    assert_eq!(table("ok,b\ntrue,1\n,2\n"), "{ok: [\"true\", \"\"], b: [1, 2]}");
    assert_eq!(table("a\n1\n\n3\n\n"), "{a: [1.0, nan, 3.0]}");
}

#[test]
fn quotes_lines_and_separators_of_other_programs_are_read() {
    assert_eq!(table("\u{feff}a;b\r\n1;2\r\n\r\n3;4\r\n"), "{a: [1, 3], b: [2, 4]}");
    assert_eq!(table("a\tb\n1\t2"), "{a: [1], b: [2]}");
    assert_eq!(table("\"a\", \"b\"\n\"1\", \"say \"\"hi\"\"\nthere\" \n"), "{a: [1], b: [\"say \\\"hi\\\"\\nthere\"]}");
    assert_eq!(table("id,x\n\"1\",1\n\"A2\",2\n"), "{id: [\"1\", \"A2\"], x: [1, 2]}");
    assert_eq!(table("a,b\n"), "{a: [], b: []}");
    assert_eq!(table("a,b\n1,\n2,"), "{a: [1, 2], b: [nan, nan]}");
}

#[test]
fn mistakes_name_their_place() {
    wrong("a,b\n1,2\n3\n", "row 2 has 1 cell, the header has 2", "3");
    wrong("a,b\n1,2,3\n", "row 1 has 3 cells", "1,2,3");
    wrong("a,b\n1,2\n3,x\n", "`x` in the column `b` isn't a number", "x");
    wrong("a,b,a\n1,2,3\n", "the column `a` twice", "a");
    wrong("a b,a-b\n1,2\n", "would have the same name", "a-b");
    wrong("1,2\n3,4\n", "numbers where names", "1,2");
    wrong("a,b\n1,\"x\n", "doesn't end", "\"x");
    wrong("a,b\n1,\"x\"y\n", "follows a quoted cell", "\"x\"y");
    wrong("", "the file is empty", "");
    wrong("a;b\n1,5;2\n2,5;x\n3.5;1\n", "isn't a number", "x");
}

#[test]
fn other_encodings_are_named() {
    let problem = read(&[0xff, 0xfe, b'a', 0, b'\n', 0], None).expect_err("UTF-16");
    assert!(problem.notes[0].contains("UTF-16"), "{problem:?}");
    let problem = read(b"a\nx\ncaf\xe9\n", None).expect_err("Latin-1");
    assert!(problem.message.contains("isn't UTF-8") && problem.notes[0].contains("line 3"), "{problem:?}");
}

#[test]
fn what_is_written_reads_back() {
    let texts = ["x, y", "", "he said \"no\""].map(Value::text).to_vec();
    let value = record(vec![
        ("a", Array::vector(vec![1e300, f64::NAN, -0.0])),
        ("b", Array::from_values(texts).expect("texts")),
        ("c", Array::ints(vec![1, 2, 3])),
        ("d", Array::new(vec![3], Elements::Bool(vec![true, false, true]))),
    ]);
    let bytes = write(&value, ',').expect("a table");
    assert_eq!(show(&read(&bytes, None).expect("a table")), show(&value));
}

#[test]
fn matrices_vectors_and_records_are_tables() {
    let text = |value: &Value| String::from_utf8(write(value, ',').expect("a table")).expect("text");
    assert_eq!(text(&Value::array(Array::vector(vec![0.1, 2.0]))), "value\n0.1\n2.0\n");
    let matrix = Array::reals(vec![2, 2], vec![1.0, 2.0, 3.0, 4.0]);
    assert_eq!(text(&Value::array(matrix.clone())), "column_1,column_2\n1.0,2.0\n3.0,4.0\n");
    let rows = record(vec![("w", matrix), ("b", Array::ints(vec![5, 6]))]);
    assert_eq!(text(&rows), "w_1,w_2,b\n1.0,2.0,5\n3.0,4.0,6\n");
    let ragged = record(vec![("a", Array::ints(vec![1])), ("b", Array::ints(vec![1, 2]))]);
    assert!(write(&ragged, ',').expect_err("lengths").contains("`b` has 2 elements, `a` has 1"));
}

fn record(fields: Vec<(&str, Array)>) -> Value {
    let labels: Vec<Name> = fields.iter().map(|(name, _)| Name::new(name)).collect();
    Value::record(labels.into(), fields.into_iter().map(|(_, array)| Value::array(array)).collect())
}
