//! NumPy's `.npy`: a header that says what the elements are, then the elements.
//!
//! In: a file of version 1, 2 or 3. Out: an array, or a number if it has no axes. Reals of 16 and 32 bits are widened, ints of all
//! sizes are ints, unicode and byte strings are texts. What is written is of version 1: reals `<f8`, ints `<i8`, booleans `|b1`, texts `<U…`.

mod header;
mod write;

use eval::array::{Array, Elements};
use eval::{Value, memory};

use crate::problem::Problem;
use header::{Header, Order};

pub use write::write;

/// What an element is, and how many bytes it takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Real(usize),
    Int(usize),
    Unsigned(usize),
    Bool,
    /// So many characters of 4 bytes.
    Unicode(usize),
    /// So many bytes.
    Bytes(usize),
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Kind::Real(size) | Kind::Int(size) | Kind::Unsigned(size) | Kind::Bytes(size) => size,
            Kind::Bool => 1,
            Kind::Unicode(length) => length * 4,
        }
    }
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bytes {
    LittleEndian,
    BigEndian,
}

pub fn read(bytes: &[u8]) -> Result<Value, Problem> {
    let (header, start) = header::read(bytes)?;
    let body = &bytes[start..];
    let count = count(&header.shape)?;
    let expected = count.checked_mul(header.kind.size()).ok_or_else(|| too_large(&header.shape))?;
    if body.len() != expected {
        let how = if body.len() < expected { "breaks off" } else { "goes on" };
        let shape = Array::describe_shape(&header.shape);
        return Problem::new(format!("the array {how}: its header says something else than the file has"))
            .note(format!(
                "elements of {} bytes in the shape {shape} take {expected} bytes; there are {}",
                header.kind.size(),
                body.len()
            ))
            .err();
    }
    if !memory::has_room_for(count.saturating_mul(size_of::<f64>())) {
        return Err(too_large(&header.shape));
    }
    let elements = elements(&header, body)?;
    Ok(shaped(header, elements))
}

fn too_large(shape: &[usize]) -> Problem {
    Problem::new(format!("an array of shape {} needs too much memory", Array::describe_shape(shape)))
}

fn count(shape: &[usize]) -> Result<usize, Problem> {
    shape.iter().try_fold(1usize, |count, n| count.checked_mul(*n)).ok_or_else(|| too_large(shape))
}

fn elements(header: &Header, body: &[u8]) -> Result<Elements, Problem> {
    let order = header.bytes;
    Ok(match header.kind {
        Kind::Real(8) => Elements::Real(numbers(body, order, |b| f64::from_bits(u64::from_le_bytes(b)))),
        Kind::Real(4) => Elements::Real(numbers(body, order, |b| f64::from(f32::from_bits(u32::from_le_bytes(b))))),
        Kind::Real(_) => Elements::Real(numbers(body, order, |b| half(u16::from_le_bytes(b)))),
        Kind::Int(8) => Elements::Int(numbers(body, order, i64::from_le_bytes)),
        Kind::Int(4) => Elements::Int(numbers(body, order, |b| i64::from(i32::from_le_bytes(b)))),
        Kind::Int(2) => Elements::Int(numbers(body, order, |b| i64::from(i16::from_le_bytes(b)))),
        Kind::Int(_) => Elements::Int(numbers(body, order, |b| i64::from(i8::from_le_bytes(b)))),
        Kind::Unsigned(8) => {
            let ints = numbers(body, order, i64::from_le_bytes);
            // What leaves the range of 64 bits with a sign has the sign's bit.
            if let Some(at) = ints.iter().position(|i| *i < 0) {
                let found = ints[at] as u64;
                return Problem::new(format!("element {at} is {found}, which is outside the range of ints")).err();
            }
            Elements::Int(ints)
        }
        Kind::Unsigned(4) => Elements::Int(numbers(body, order, |b| i64::from(u32::from_le_bytes(b)))),
        Kind::Unsigned(2) => Elements::Int(numbers(body, order, |b| i64::from(u16::from_le_bytes(b)))),
        Kind::Unsigned(_) => Elements::Int(numbers(body, order, |b: [u8; 1]| i64::from(b[0]))),
        Kind::Bool => match body.iter().position(|byte| *byte > 1) {
            Some(at) => return Problem::new(format!("element {at} is {}, which is no boolean", body[at])).err(),
            None => Elements::Bool(body.iter().map(|byte| *byte == 1).collect()),
        },
        Kind::Unicode(_) | Kind::Bytes(_) => Elements::Values(texts(header, body)?.into()),
    })
}

fn numbers<const N: usize, T>(body: &[u8], order: Bytes, number: impl Fn([u8; N]) -> T) -> Vec<T> {
    let chunks = body.chunks_exact(N).map(|chunk| <[u8; N]>::try_from(chunk).expect("npy: a chunk has its length"));
    match order {
        Bytes::LittleEndian => chunks.map(number).collect(),
        Bytes::BigEndian => chunks
            .map(|mut chunk| {
                chunk.reverse();
                number(chunk)
            })
            .collect(),
    }
}

/// A real of 16 bits: a sign, 5 bits of exponent, 10 of fraction.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Texts end where only zeros follow.
fn texts(header: &Header, body: &[u8]) -> Result<Vec<Value>, Problem> {
    let size = header.kind.size();
    if size == 0 {
        return Ok(vec![Value::text(""); count(&header.shape)?]);
    }
    let wrong = |at| Problem::new(format!("element {at} isn't a text"));
    let text = |(at, chunk): (usize, &[u8])| match header.kind {
        Kind::Unicode(_) => {
            let letters = numbers(chunk, header.bytes, |b| char::from_u32(u32::from_le_bytes(b)));
            let text: String = letters.into_iter().collect::<Option<String>>().ok_or_else(|| wrong(at))?;
            Ok(Value::text(text.trim_end_matches('\0')))
        }
        _ => {
            let text = std::str::from_utf8(chunk).map_err(|_| wrong(at))?;
            Ok(Value::text(text.trim_end_matches('\0')))
        }
    };
    body.chunks_exact(size).enumerate().map(text).collect()
}

fn shaped(header: Header, elements: Elements) -> Value {
    if header.shape.is_empty() {
        return Array::new(vec![1], elements).at(0);
    }
    let elements = match header.order {
        Order::Rows => elements,
        Order::Columns => elements.pick(row_major(&header.shape)),
    };
    Value::array(Array::new(header.shape, elements))
}

/// Where the elements, taken in the order of rows, stand in the order of columns.
fn row_major(shape: &[usize]) -> impl Iterator<Item = usize> {
    let mut steps = vec![1; shape.len()];
    for axis in 1..shape.len() {
        steps[axis] = steps[axis - 1] * shape[axis - 1];
    }
    let lengths = shape.to_vec();
    let count: usize = lengths.iter().product();
    let mut place = vec![0; lengths.len()];
    let mut at = 0;
    (0..count).map(move |_| {
        let found = at;
        for axis in (0..lengths.len()).rev() {
            place[axis] += 1;
            at += steps[axis];
            if place[axis] < lengths[axis] {
                break;
            }
            at -= steps[axis] * lengths[axis];
            place[axis] = 0;
        }
        found
    })
}

#[cfg(test)]
mod tests;
