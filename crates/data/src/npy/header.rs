//! The header of an `.npy` file: a dictionary as Python writes it.

use super::{Bytes, Kind};
use crate::problem::Problem;

#[derive(PartialEq, Debug)]
pub struct Header {
    pub kind: Kind,
    pub bytes: Bytes,
    pub order: Order,
    pub shape: Vec<usize>,
}

/// Which axis changes fastest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The last one, as in C.
    Rows,
    /// The first one, as in Fortran.
    Columns,
}

const MAGIC: &[u8] = b"\x93NUMPY";
/// Headers are a line; what claims to be longer is no header.
const LONGEST: usize = 1 << 20;

/// The header, and where the elements begin.
pub fn read(bytes: &[u8]) -> Result<(Header, usize), Problem> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Problem::new("this isn't an .npy file").note("such a file begins with the byte 0x93 and NUMPY").err();
    };
    let broken = || Problem::new("the file breaks off in its header");
    let (length, width) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 2),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 4),
        [version, ..] if !(1..=3).contains(version) => {
            return Problem::new(format!("the file is of version {version} of its format"))
                .note("versions 1, 2 and 3 are known")
                .err();
        }
        _ => return Err(broken()),
    };
    let start = MAGIC.len() + 2 + width;
    let end = start.checked_add(length).filter(|end| *end <= bytes.len() && length <= LONGEST).ok_or_else(broken)?;
    let text = std::str::from_utf8(&bytes[start..end]).map_err(|_| Problem::new("the header isn't text"))?;
    let header = dictionary(text).ok_or_else(|| {
        Problem::new("the header can't be read")
            .note(format!("it is {:?}", text.trim().chars().take(200).collect::<String>()))
    })?;
    Ok((header?, end))
}

/// `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }`. `None`: it isn't of this form; an error: its type is one we don't have.
fn dictionary(text: &str) -> Option<Result<Header, Problem>> {
    let mut rest = text.trim().strip_prefix('{')?.trim_start();
    let (mut kind, mut order, mut shape) = (None, None, None);
    while !rest.starts_with('}') {
        let (key, after) = quoted(rest)?;
        rest = after.trim_start().strip_prefix(':')?.trim_start();
        rest = match key {
            "descr" => {
                let (found, after) = descriptor(rest)?;
                kind = Some(found);
                after
            }
            "fortran_order" => {
                let word = rest.strip_prefix("True").map(|after| (Order::Columns, after));
                let (found, after) = word.or_else(|| rest.strip_prefix("False").map(|after| (Order::Rows, after)))?;
                order = Some(found);
                after
            }
            "shape" => {
                let (inside, after) = rest.strip_prefix('(')?.split_once(')')?;
                let lengths = inside.split(',').map(str::trim).filter(|length| !length.is_empty());
                shape = Some(lengths.map(|n| n.trim_end_matches('L').parse().ok()).collect::<Option<Vec<usize>>>()?);
                after
            }
            _ => return None,
        };
        rest = rest.trim_start();
        rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
    }
    let (order, shape) = (order?, shape?);
    Some(kind?.map(|(kind, bytes)| Header { kind, bytes, order, shape }))
}

/// A text in quotes, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    text[1..].split_once(quote)
}

type Described = Result<(Kind, Bytes), Problem>;

fn descriptor(text: &str) -> Option<(Described, &str)> {
    if text.starts_with('[') {
        let (fields, after) = text.split_once(']')?;
        return Some((Err(unknown(&format!("{fields}]"), "records")), after));
    }
    let (code, after) = quoted(text)?;
    Some((kind(code), after))
}

fn kind(code: &str) -> Described {
    let (bytes, rest) = match code.strip_prefix(['<', '|', '=']) {
        Some(rest) => (Bytes::LittleEndian, rest),
        None => (Bytes::BigEndian, code.strip_prefix('>').unwrap_or(code)),
    };
    let letter = rest.chars().next().unwrap_or('?');
    let size = rest.get(letter.len_utf8()..).unwrap_or("");
    let number: Option<usize> = if size.is_empty() { Some(1) } else { size.parse().ok().filter(|n| *n < 1 << 24) };
    let known = match (letter, number) {
        ('f', Some(size @ (2 | 4 | 8))) => Kind::Real(size),
        ('i', Some(size @ (1 | 2 | 4 | 8))) => Kind::Int(size),
        ('u', Some(size @ (1 | 2 | 4 | 8))) => Kind::Unsigned(size),
        ('b', Some(1)) | ('?', _) => Kind::Bool,
        ('U', Some(length)) => Kind::Unicode(length),
        ('S' | 'a', Some(length)) => Kind::Bytes(length),
        ('c', _) => return Err(unknown(code, "complex numbers")),
        ('O', _) => return Err(unknown(code, "Python objects")),
        ('M' | 'm', _) => return Err(unknown(code, "dates and times")),
        ('V', _) => return Err(unknown(code, "records")),
        ('f', _) => return Err(unknown(code, "reals of another size")),
        _ => return Err(unknown(code, "elements of an unknown type")),
    };
    Ok((known, bytes))
}

fn unknown(code: &str, what: &str) -> Problem {
    Problem::new(format!("an array of {what} (`{code}`) can't be read"))
        .note("arrays of reals, ints, booleans and texts can")
        .help("convert it before saving, for instance with `.astype(float)`, or save its parts one by one")
}
