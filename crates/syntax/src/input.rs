//! What a text must be before it is read: UTF-8, and of a size whose places fit in a span.

use base::{Diagnostic, FileId, Span, codes};

use crate::lexer::{Token, TokenKind};
use crate::tree::{NodeKind, Nodes, Tree};

/// Larger texts are refused with E0113.
pub const MAX_BYTES: usize = 256 << 20;

/// The text of a file's bytes, or E0112 at the first byte that isn't UTF-8.
pub fn decode(file: FileId, bytes: &[u8]) -> base::Result<&str> {
    std::str::from_utf8(bytes).or_else(|error| {
        let at = error.valid_up_to();
        let message = format!("expected UTF-8 text, found the byte 0x{:02x} at offset {at}", bytes[at]);
        let error = Diagnostic::new(codes::NOT_UTF8, Span::new(file, at, at + 1), message);
        error.help("save the file as UTF-8").err()
    })
}

/// The tree of a text that isn't read: one token, one error.
pub(crate) fn too_large(file: FileId, text: &str) -> Tree {
    let message = format!("expected a file of at most {MAX_BYTES} bytes, found {}", text.len());
    let error = Diagnostic::new(codes::FILE_TOO_LARGE, Span::new(file, 0, 0), message);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let tokens = vec![Token { kind: TokenKind::Unknown, start: 0, end }];
    let mut nodes = Nodes::default();
    let root = nodes.add(NodeKind::Root, 0, (0, 0), &[]);
    Tree { file, text: text.into(), tokens, nodes, root, errors: vec![error.help("split it into modules")] }
}
