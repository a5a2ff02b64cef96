use eval::show::show;

use super::*;

/// A file with this header and these bytes.
fn file(version: u8, header: &str, body: &[u8]) -> Vec<u8> {
    let mut out = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
    match version {
        1 => out.extend((header.len() as u16).to_le_bytes()),
        _ => out.extend((header.len() as u32).to_le_bytes()),
    }
    out.extend(header.as_bytes());
    out.extend(body);
    out
}

fn described(kind: &str, order: &str, shape: &str) -> String {
    format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n")
}

fn value(kind: &str, shape: &str, body: &[u8]) -> String {
    let file = file(1, &described(kind, "False", shape), body);
    show(&read(&file).unwrap_or_else(|problem| panic!("{problem:?}")))
}

#[track_caller]
fn wrong(bytes: &[u8], message: &str) {
    let problem = read(bytes).expect_err(message);
    assert!(problem.message.contains(message), "{problem:?}");
}

#[test]
fn all_types_of_numbers_are_read() {
    assert_eq!(value("<f8", "(2,)", &[1.5f64, -0.1].map(f64::to_le_bytes).concat()), "[1.5, -0.1]");
    assert_eq!(value(">f8", "(1,)", &1.5f64.to_be_bytes()), "[1.5]");
    assert_eq!(value("<f4", "(1, 2)", &[0.5f32, 3.0].map(f32::to_le_bytes).concat()), "[[0.5, 3.0]]");
    assert_eq!(
        value("<f2", "(5,)", &[0x3c00u16, 0xc100, 1, 0x7c00, 0x7e00].map(u16::to_le_bytes).concat()),
        "[1.0, -2.5, 5.960464477539063e-8, inf, nan]"
    );
    assert_eq!(value("<i8", "()", &(-7i64).to_le_bytes()), "-7");
    assert_eq!(value(">i4", "(1,)", &(-7i32).to_be_bytes()), "[-7]");
    assert_eq!(value("<i2", "(1,)", &(-7i16).to_le_bytes()), "[-7]");
    assert_eq!(value("|i1", "(1,)", &[0xff]), "[-1]");
    assert_eq!(value("|u1", "(1,)", &[0xff]), "[255]");
    assert_eq!(value("<u4", "(1,)", &[0xff; 4]), "[4294967295]");
    assert_eq!(value("|b1", "(2,)", &[1, 0]), "[true, false]");
    assert_eq!(
        value("<U2", "(2,)", &[u32::from('a'), 0, u32::from('θ'), u32::from('b')].map(u32::to_le_bytes).concat()),
        "[\"a\", \"θb\"]"
    );
    assert_eq!(value("|S3", "(2,)", b"ab\0xyz"), "[\"ab\", \"xyz\"]");
    assert_eq!(value("<f8", "(0, 3)", &[]), "[]");
}

#[test]
fn arrays_in_the_order_of_columns_are_turned() {
    let ints: Vec<u8> = (0..24).collect();
    let file = file(2, &described("|u1", "True", "(2, 3, 4)"), &ints);
    let Ok(Value::Array(array)) = read(&file) else { panic!("an array") };
    let Elements::Int(found) = &array.elements else { panic!("ints") };
    let expected: Vec<i64> = (0..24).map(|at| (at / 12) + (at / 4 % 3) * 2 + (at % 4) * 6).collect();
    assert_eq!((found, &array.shape), (&expected, &vec![2, 3, 4]));
}

#[test]
fn what_lies_or_breaks_off_is_refused() {
    let good = described("<f8", "False", "(2,)");
    wrong(b"", "isn't an .npy");
    wrong(b"\x93NUMPY\x01\x00", "breaks off");
    wrong(b"\x93NUMPY\x04\x00\x00\x00\x00\x00", "version 4");
    wrong(&file(1, &good, &[0; 15]), "the array breaks off");
    wrong(&file(1, &good, &[0; 17]), "the array goes on");
    wrong(&file(1, &good, &[0; 16])[..40], "breaks off");
    wrong(&file(3, "{'descr': '<f8', 'shape': (2,)}", &[0; 16]), "can't be read");
    wrong(&file(1, &described("<f8", "False", "(99999999999, 99999999999)"), &[]), "too much memory");
    wrong(&file(1, &described("<f8", "False", "(-1,)"), &[]), "can't be read");
    wrong(&file(1, &described("<c16", "False", "(1,)"), &[0; 16]), "complex numbers");
    wrong(&file(1, &described("|O", "False", "(1,)"), &[0; 8]), "Python objects");
    wrong(&file(1, &described("<M8[ns]", "False", "(1,)"), &[0; 8]), "dates and times");
    wrong(&file(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", &[0; 8]), "records");
    wrong(&file(1, &described("<u8", "False", "(1,)"), &[0xff; 8]), "outside the range");
    wrong(&file(1, &described("|b1", "False", "(1,)"), &[7]), "no boolean");
    wrong(&file(1, &described("<U1", "False", "(1,)"), &[0xff; 4]), "isn't a text");
}

#[test]
fn what_is_written_reads_back() {
    let values = [
        Value::array(Array::reals(vec![2, 2], vec![0.1, f64::INFINITY, -0.0, 5e-324])),
        Value::array(Array::ints(vec![i64::MIN, i64::MAX])),
        Value::array(Array::new(vec![3], Elements::Bool(vec![true, false, true]))),
        Value::array(Array::from_values(vec![Value::text("a"), Value::text("θη")]).expect("texts")),
        Value::Real(2.5),
        Value::array(Array::reals(vec![0, 3], vec![])),
    ];
    for value in values {
        let bytes = write(&value).expect("a file");
        assert_eq!(show(&read(&bytes).expect("a value")), show(&value));
        assert!(bytes.len().is_multiple_of(64) || bytes[..128].contains(&b'\n'));
    }
}
