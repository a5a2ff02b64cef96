//! What a cell is.

/// A cell by itself, without regard to the others of its column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    Missing,
    Int(i64),
    Real(f64),
    Bool(bool),
    Text,
}

/// What a cell without spaces around it is. A whole number beyond 64 bits is a real.
pub fn kind(cell: &str) -> Kind {
    match cell.as_bytes() {
        [] => Kind::Missing,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => number(cell).unwrap_or(Kind::Text),
        _ => word(cell),
    }
}

fn number(cell: &str) -> Option<Kind> {
    if let Some(int) = int(cell.as_bytes()) {
        return Some(Kind::Int(int));
    }
    cell.parse().ok().map(Kind::Real)
}

/// Up to 18 digits; others take the way of all numbers.
fn int(cell: &[u8]) -> Option<i64> {
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    if digits.len() > 18 {
        return digits.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(cell).ok()?.parse().ok()).flatten();
    }
    let mut value = 0;
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}

fn word(cell: &str) -> Kind {
    match cell {
        "NA" | "N/A" | "n/a" | "#N/A" | "<NA>" | "NaN" | "nan" | "NULL" | "null" | "None" => Kind::Missing,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        // What is left of numbers: `inf`, `Infinity`.
        _ if cell.len() <= 8 && cell.starts_with(['i', 'I']) => cell.parse().map_or(Kind::Text, Kind::Real),
        _ => Kind::Text,
    }
}
