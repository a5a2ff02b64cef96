//! The programs in a Markdown file: blocks fenced by three backquotes (or more) and the word `evert`.

use std::ops::Range;

/// A block of Evert.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The bytes between the fences.
    pub range: Range<usize>,
    /// What stands behind the word `evert`, such as the code that the block fails with.
    pub info: String,
}

/// The blocks of Evert in a Markdown text, in order.
pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = vec![];
    let mut open: Option<(usize, Option<Block>)> = None;
    let mut at = 0;
    for line in markdown.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match open.take() {
            None => {
                open = opening(line).map(|(fence, info)| {
                    let info = info.strip_prefix("evert").filter(|rest| rest.is_empty() || rest.starts_with(' '));
                    (fence, info.map(|info| Block { range: at..markdown.len(), info: info.trim().to_string() }))
                })
            }
            Some((fence, block)) if closes(line, fence) => {
                found.extend(block.map(|block| Block { range: block.range.start..start, ..block }));
            }
            still => open = still,
        }
    }
    found.extend(open.and_then(|(_, block)| block));
    found
}

/// The number of backquotes that open a block, and the words after them.
fn opening(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let rest = line.trim_start_matches('`');
    let fence = line.len() - rest.len();
    (fence >= 3 && !rest.contains('`')).then_some((fence, rest.trim()))
}

fn closes(line: &str, fence: usize) -> bool {
    let line = line.trim();
    line.len() >= fence && line.bytes().all(|byte| byte == b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_evert_are_found() {
        let text = "# T\n```evert\n1\n```\n```text\n2\n```\n````evert E0201\nx\n```\n````\n```evert";
        let found: Vec<(&str, &str)> = blocks(text)
            .iter()
            .map(|block| (&text[block.range.clone()], &*Box::leak(block.info.clone().into_boxed_str())))
            .collect();
        assert_eq!(found, [("1\n", ""), ("x\n```\n", "E0201"), ("", "")]);
    }
}
