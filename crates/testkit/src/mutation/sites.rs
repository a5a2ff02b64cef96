//! Where the library can be broken, and how.

/// One change of one file of the library.
#[derive(Clone, PartialEq, Debug)]
pub struct Mutant {
    pub file: &'static str,
    /// The top-level function that it is in.
    pub function: String,
    pub line: usize,
    start: usize,
    end: usize,
    pub replacement: String,
}

impl Mutant {
    /// The library with the change.
    pub fn library(&self) -> Vec<(&'static str, String)> {
        let changed = |name: &'static str, text: &str| {
            if name != self.file {
                return text.to_string();
            }
            format!("{}{}{}", &text[..self.start], self.replacement, &text[self.end..])
        };
        evert::LIBRARY.iter().map(|(name, text)| (*name, changed(name, text))).collect()
    }

    pub fn original(&self) -> &'static str {
        let text = evert::LIBRARY.iter().find(|(name, _)| *name == self.file).map_or("", |(_, text)| text);
        &text[self.start..self.end]
    }

    /// One line by which it can be found again: it doesn't depend on line numbers.
    pub fn name(&self) -> String {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}: {} | {} | {}", self.file, self.function, self.context(), flat(&self.replacement))
    }

    /// The line of the site, with the site marked.
    fn context(&self) -> String {
        let text = evert::LIBRARY.iter().find(|(name, _)| *name == self.file).map_or("", |(_, text)| text);
        let from = text[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let to = text[self.end..].find('\n').map_or(text.len(), |at| self.end + at);
        let marked = format!("{}«{}»{}", &text[from..self.start], &text[self.start..self.end], &text[self.end..to]);
        marked.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// The functions that a change of this one is likely to show in: itself and whatever mentions it, the nearest first, without
/// the prefixes of rules.
pub fn users(function: &str) -> Vec<String> {
    let texts: Vec<(String, &str)> = evert::LIBRARY.iter().flat_map(|(_, text)| functions(text)).collect();
    let mut found = vec![function.to_string()];
    let mut at = 0;
    while let Some(name) = found.get(at).cloned() {
        at += 1;
        for (user, text) in &texts {
            if !found.contains(user) && mentions(text, &name) {
                found.push(user.clone());
            }
        }
    }
    let bare = |name: String| name.trim_start_matches("reverse_").trim_start_matches("forward_").to_string();
    found.into_iter().map(bare).collect()
}

/// The top-level functions of a file and their texts.
fn functions(text: &str) -> Vec<(String, &str)> {
    let starts: Vec<usize> = text.match_indices("\nfn ").map(|(at, _)| at + 1).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| (enclosing(text, start + 4), &text[*start..end])).collect()
}

fn mentions(text: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_name) && !text[at + name.len()..].starts_with(is_name))
}

/// All mutants of the library.
pub fn mutants() -> Vec<Mutant> {
    evert::LIBRARY.iter().flat_map(|(file, text)| of_file(file, text)).collect()
}

fn of_file(file: &'static str, text: &'static str) -> Vec<Mutant> {
    let tokens = tokens(text);
    let mut found = vec![];
    for at in 0..tokens.len() {
        let (start, end) = tokens[at];
        let function = enclosing(text, start);
        if !is_derivative(file, text, start) || function.is_empty() {
            continue;
        }
        let mut add = |start: usize, end: usize, replacement: String| {
            let line = text[..start].matches('\n').count() + 1;
            found.push(Mutant { file, function: function.clone(), line, start, end, replacement });
        };
        for replacement in replacements(text, &tokens, at) {
            add(start, end, replacement);
        }
        for (start, end, replacement) in calls(text, &tokens, at) {
            add(start, end, replacement);
        }
    }
    found
}

/// The name of the top-level function around a place.
fn enclosing(text: &str, place: usize) -> String {
    let before = &text[..place];
    let start = before.rfind("\nfn ").map(|at| at + 4).or_else(|| before.starts_with("fn ").then_some(3));
    let Some(start) = start else { return String::new() };
    text[start..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Is this about derivatives? Everything in the files of rules and in `core`; elsewhere only rule clauses.
fn is_derivative(file: &str, text: &str, place: usize) -> bool {
    if matches!(file, "derivatives" | "tangents" | "core") {
        return !text[..place].ends_with("fn ");
    }
    let before = &text[..place];
    let function = before.rfind("\nfn ").unwrap_or(0);
    ["\n  reverse ", "\n  forward ", "\n  transpose "]
        .iter()
        .any(|word| before.rfind(word).is_some_and(|at| at > function))
        && before.rfind("\n///").is_none_or(|comment| comment < function)
}

/// Names, numbers and operators; comments and texts are left out.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found = vec![];
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            '/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            '"' => {
                at += 1 + rest[1..].find('"').map_or(0, |end| end + 1);
                continue;
            }
            c if c.is_alphabetic() || c == '_' => word(rest),
            c if c.is_ascii_digit() => number(rest),
            _ => ["=>", "==", "!=", "<=", ">=", "&&", "||", "..", "<~", "|>"]
                .iter()
                .find(|operator| rest.starts_with(**operator))
                .map_or(c.len_utf8(), |operator| operator.len()),
        };
        if !c.is_whitespace() {
            found.push((at, at + length));
        }
        at += length;
    }
    found
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
}

fn number(rest: &str) -> usize {
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let fraction = rest[digits..].strip_prefix('.').filter(|more| more.starts_with(|c: char| c.is_ascii_digit()));
    digits + fraction.map_or(0, |more| 1 + more.find(|c: char| !c.is_ascii_digit()).unwrap_or(more.len()))
}

/// What may stand for a token instead.
fn replacements(text: &str, tokens: &[(usize, usize)], at: usize) -> Vec<String> {
    let token = |at: usize| tokens.get(at).map_or("", |(start, end)| &text[*start..*end]);
    let before = if at == 0 { "" } else { token(at - 1) };
    let is_operand = |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ')' | ']' | '_'));
    let this = token(at);
    let one = |text: &str| vec![text.to_string()];
    match this {
        "+" => one("-"),
        "-" if is_operand(before) => one("+"),
        "-" => one(""),
        "*" => one("/"),
        "/" => one("*"),
        "==" => one("!="),
        "!=" => one("=="),
        "<" => one("<="),
        "<=" => one("<"),
        ">" => one(">="),
        ">=" => one(">"),
        "&&" => one("||"),
        "||" => one("&&"),
        "sin" => one("cos"),
        "cos" => one("sin"),
        "sinh" => one("cosh"),
        "cosh" => one("sinh"),
        "sigmoid" => one("tanh"),
        "digamma" => one("trigamma"),
        "exp" if token(at + 1) == "(" => one("expm1"),
        "solve" if token(at + 1) == "(" => one("solve_lower"),
        "push" if before != "let" && token(at + 1) == "(" => vec![],
        "__power_slope" => one("__power_log"),
        "__power_log" => one("__power_slope"),
        // A part of a pair
        "0" if before == "." => one("1"),
        "1" if before == "." => one("0"),
        "2" if before == "." => one("0"),
        number if number.starts_with(|c: char| c.is_ascii_digit()) && before != "." => {
            if number.contains('.') {
                one(&format!("{:?}", number.parse::<f64>().unwrap_or(0.0) + 0.5))
            } else {
                one(&format!("{}", number.parse::<i64>().unwrap_or(0) + 1))
            }
        }
        _ => vec![],
    }
}

/// Functions whose call is replaced by one of its arguments: which argument.
const DROPPED: &[(&str, usize)] = &[
    ("__scale", 0),
    ("__unbroadcast", 1),
    ("__erase", 0),
    ("__keep", 1),
    ("__materialise", 1),
    ("__answer", 0),
    ("__spread", 1),
    ("__unspread", 0),
    ("rebroadcast", 1),
    ("plus", 0),
    ("plus", 1),
    ("transpose", 0),
    ("symmetric", 0),
    ("lower", 0),
    ("halve_diagonal", 0),
    ("reversed", 0),
    ("stop_gradient", 0),
    ("sum", 0),
    ("floor", 0),
    ("sign", 0),
    ("J_inv", 0),
];

/// Calls that are replaced by an argument, and arguments of a pull that are left out.
fn calls(text: &str, tokens: &[(usize, usize)], at: usize) -> Vec<(usize, usize, String)> {
    let token = |at: usize| tokens.get(at).map_or("", |(start, end)| &text[*start..*end]);
    if token(at) == "__nothing" || token(at + 1) != "(" {
        return vec![];
    }
    let Some((arguments, end)) = arguments(text, tokens, at + 1) else { return vec![] };
    let start = tokens[at].0;
    let dropped = DROPPED.iter().filter(|(name, _)| *name == token(at));
    let mut found: Vec<(usize, usize, String)> =
        dropped.filter_map(|(_, which)| Some((start, end, format!("({})", arguments.get(*which)?)))).collect();
    if let (
        "solve" | "solve_lower" | "matmul_back" | "__place" | "__part" | "column_product" | "outer",
        [first, second, rest @ ..],
    ) = (token(at), &arguments[..])
    {
        let rest: String = rest.iter().map(|argument| format!(", {argument}")).collect();
        found.push((start, end, format!("{}({second}, {first}{rest})", token(at))));
    }
    found
}

/// The arguments of a call whose bracket opens at a token, and where the call ends.
fn arguments(text: &str, tokens: &[(usize, usize)], open: usize) -> Option<(Vec<String>, usize)> {
    let mut depth = 0;
    let mut last = tokens[open].1;
    let mut found = vec![];
    for (start, end) in &tokens[open..] {
        match &text[*start..*end] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    found.push(text[last..*start].trim().to_string());
                    return Some((found, *end));
                }
            }
            "," if depth == 1 => {
                found.push(text[last..*start].trim().to_string());
                last = *end;
            }
            _ => {}
        }
    }
    None
}
