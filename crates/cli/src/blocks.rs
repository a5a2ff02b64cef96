//! The blocks of Evert in a Markdown file: fenced by three backquotes (or more) and the word `evert`.
//!
//! A code after the word (`evert E0201`) says that the block fails with it. Blocks in quotations (`> `) count too.

use base::Code;

use crate::explain::code_of;

#[derive(PartialEq, Eq, Debug)]
pub struct Block {
    /// How many lines are above the block's first one.
    pub above: usize,
    /// The line after the block's last fence, counted from 0; that after the last line of the file if there is no fence.
    pub below: usize,
    pub text: String,
    pub fails_with: Option<Code>,
}

pub fn blocks(markdown: &str) -> Vec<Block> {
    let mut found = vec![];
    let count = markdown.lines().count();
    let mut lines = markdown.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let depth = quotation_depth(line);
        let line = without_quotation(line, depth);
        let Some((fence, info)) = opening(&line) else { continue };
        let body = lines.by_ref().map(|(_, line)| without_quotation(line, depth));
        let body: Vec<String> = body.take_while(|line| !closes(line, fence)).collect();
        let mut words = info.split_whitespace();
        if words.next() == Some("evert") {
            let text = body.join("\n") + "\n";
            let below = (at + body.len() + 2).min(count);
            found.push(Block { above: at + 1, below, text, fails_with: words.next().and_then(code_of) });
        }
    }
    found
}

/// How many `>` stand before a line.
fn quotation_depth(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, '>' | ' ')).filter(|c| *c == '>').count()
}

/// The line with spaces in place of so many `>`, so that columns stay the same.
fn without_quotation(line: &str, depth: usize) -> String {
    let mut left = depth;
    let mut inside = true;
    let blank = |c: char| {
        inside &= matches!(c, '>' | ' ') && (left > 0 || c == ' ');
        if inside && c == '>' {
            left -= 1;
            return ' ';
        }
        c
    };
    line.chars().map(blank).collect()
}

/// The number of backquotes that open a block, and the words after them.
fn opening(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    let rest = line.trim_start_matches('`');
    let fence = line.len() - rest.len();
    (fence >= 3 && !rest.contains('`')).then_some((fence, rest))
}

fn closes(line: &str, fence: usize) -> bool {
    let line = line.trim();
    line.len() >= fence && line.bytes().all(|byte| byte == b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_in_quotations_and_lists_are_found() {
        let found =
            blocks("> ```evert\n> 1 > 0\n> ```\n- item\n  ```evert\n  2\n  ```\n> > ```evert\n> > 3\n> > ```\n");
        let texts: Vec<(usize, &str)> = found.iter().map(|block| (block.above, block.text.trim())).collect();
        assert_eq!(texts, [(1, "1 > 0"), (5, "2"), (8, "3")]);
    }

    #[test]
    fn only_blocks_of_evert_are_found() {
        let found = blocks("# T\n```evert\n1\n```\n```text\n2\n```\n````evert E0201\nx\n```\n````\n```evert");
        let block = |above, below, text: &str, code| Block { above, below, text: text.into(), fails_with: code };
        let unbound = Some(base::codes::UNBOUND_NAME);
        assert_eq!(found, [block(2, 4, "1\n", None), block(8, 11, "x\n```\n", unbound), block(12, 12, "\n", None)]);
    }
}
