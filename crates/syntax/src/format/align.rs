//! Comments at the ends of lines that follow each other start in one column. In: the text and where those comments
//! start. Out: the text with spaces before them.

/// Longer lines keep their comment close and don't push the others away.
const MAX_COLUMN: usize = 80;

pub(super) fn align(text: &str, comments: &[usize]) -> String {
    let lines: Vec<Line> = comments.iter().map(|&comment| Line::new(text, comment)).collect();
    let mut out = String::with_capacity(text.len() + 16 * lines.len());
    let mut written = 0;
    for run in lines.chunk_by(|line, next| line.is_followed_by(next, text)) {
        let column = run.iter().map(|line| line.width).filter(|&width| width <= MAX_COLUMN).max().unwrap_or(0);
        for line in run {
            out.push_str(&text[written..line.code_end]);
            let spaces = column.saturating_sub(line.width) + 2;
            out.extend(std::iter::repeat_n(' ', spaces));
            written = line.comment;
        }
    }
    out + &text[written..]
}

/// A line with code and a comment behind it.
struct Line {
    /// The characters of its code, indentation included.
    width: usize,
    indent: usize,
    code_end: usize,
    comment: usize,
}

impl Line {
    fn new(text: &str, comment: usize) -> Line {
        let start = text[..comment].rfind('\n').map_or(0, |at| at + 1);
        let code = text[start..comment].trim_end();
        let indent = code.len() - code.trim_start().len();
        Line { width: code.chars().count(), indent, code_end: start + code.len(), comment }
    }

    fn is_followed_by(&self, next: &Line, text: &str) -> bool {
        let between = &text[self.comment..next.comment];
        self.indent == next.indent && between.bytes().filter(|&byte| byte == b'\n').count() == 1
    }
}
