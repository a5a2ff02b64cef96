//! Values as `.npy` files.

use eval::array::{Array, Elements};
use eval::{Value, force};

pub fn write(value: &Value) -> Result<Vec<u8>, String> {
    match force(value).map_err(|fault| fault.message.clone())? {
        Value::Array(array) => write_array(&array, &array.shape),
        Value::Real(x) => write_array(&Array::vector(vec![x]), &[]),
        Value::Int(i) => write_array(&Array::ints(vec![i]), &[]),
        Value::Bool(b) => write_array(&Array::new(vec![1], Elements::Bool(vec![b])), &[]),
        Value::Text(text) => write_texts(&[Value::Text(text)], &[]),
        other => Err(format!("{} isn't an array of numbers, booleans or texts", eval::show::described(&other))),
    }
}

fn write_array(array: &Array, shape: &[usize]) -> Result<Vec<u8>, String> {
    let (kind, body): (_, Vec<u8>) = match &array.elements {
        Elements::Real(reals) => ("<f8", reals.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Elements::Int(ints) => ("<i8", ints.iter().flat_map(|i| i.to_le_bytes()).collect()),
        Elements::Bool(bools) => ("|b1", bools.iter().map(|b| u8::from(*b)).collect()),
        Elements::Values(values) if values.is_empty() => ("<f8", vec![]),
        Elements::Values(values) => return write_texts(values, shape),
    };
    Ok(file(kind, shape, &body))
}

fn write_texts(values: &[Value], shape: &[usize]) -> Result<Vec<u8>, String> {
    let text = |value: &Value| match force(value).map_err(|fault| fault.message.clone())? {
        Value::Text(text) => Ok(text.chars().map(u32::from).collect::<Vec<u32>>()),
        other => Err(format!("{} isn't a number, a boolean or a text", eval::show::described(&other))),
    };
    let texts: Vec<Vec<u32>> = values.iter().map(text).collect::<Result<_, String>>()?;
    let longest = texts.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let padded = texts.iter().flat_map(|text| text.iter().copied().chain(std::iter::repeat(0)).take(longest));
    let body: Vec<u8> = padded.flat_map(u32::to_le_bytes).collect();
    Ok(file(&format!("<U{longest}"), shape, &body))
}

fn file(kind: &str, shape: &[usize], body: &[u8]) -> Vec<u8> {
    let lengths: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let lengths = if shape.len() == 1 { lengths.trim_end() } else { lengths.trim_end_matches(", ") };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({lengths}), }}");
    // The elements begin at a multiple of 64.
    const BEFORE: usize = 10;
    let padding = 63 - (BEFORE + header.len()) % 64;
    header.push_str(&" ".repeat(padding));
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(body);
    out
}
