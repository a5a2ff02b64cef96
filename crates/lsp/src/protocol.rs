//! What is read from messages and written into them: positions, ranges, addresses of files.

use base::Span;
use serde_json::{Value as Json, json};

use crate::document::Lines;

pub fn position(lines: &Lines, offset: u32) -> Json {
    let (line, character) = lines.position(offset);
    json!({"line": line, "character": character})
}

pub fn range(lines: &Lines, span: Span) -> Json {
    json!({"start": position(lines, span.start), "end": position(lines, span.end)})
}

/// The offset of a position in a message; the end of the text for one beyond it.
pub fn offset(lines: &Lines, position: &Json) -> u32 {
    let number = |name: &str| position[name].as_u64().unwrap_or(0) as usize;
    lines.offset(number("line"), number("character"))
}

/// The path of a file's address, percent signs decoded. What isn't a file is its own path.
pub fn path_of(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else { return uri.to_string() };
    let mut bytes = vec![];
    let mut rest = path.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The address of a file.
pub fn uri_of(path: &str) -> String {
    let mut uri = String::from("file://");
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(byte as char),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_inverse() {
        for path in ["/a/b.ev", "/with space/θ.ev", "/100%/x.ev"] {
            assert_eq!(path_of(&uri_of(path)), path);
        }
        assert_eq!(path_of("untitled:Untitled-1"), "untitled:Untitled-1");
        assert_eq!(path_of("file:///half%"), "/half%");
    }
}
