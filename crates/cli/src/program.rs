//! A program and what its `main` takes, before anything runs.
//!
//! In: a path. Out: the text, and the parameters of `main` as the command line sees them: names, defaults, comments. The text is read once,
//! since it may come from standard input.

use std::io::Write;

use base::{FileId, Name, Span};
use syntax::Tree;
use syntax::ast::{Expr, Function, ImportSource, Pattern, Statement};
use syntax::{NodeId, ast};

use crate::files;

pub struct Program {
    /// As diagnostics show it.
    pub name: String,
    pub bytes: Result<Vec<u8>, String>,
    /// What the last `fn main` takes; nothing if there is none.
    pub parameters: Parameters,
    /// What the comment above `main` says.
    doc: Option<String>,
}

/// What `main` takes.
#[derive(Default, Debug)]
pub struct Parameters {
    pub all: Vec<Parameter>,
    pub form: Form,
}

/// How the arguments are put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// `main()`, `main(x, y)`
    #[default]
    Tuple,
    /// `main(x)`
    One,
    /// `main({x, y})`
    Record,
    /// `main(args)`: all words, as texts
    Texts,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    /// Nothing if it is a pattern: then it is given by its place alone.
    pub name: Option<Name>,
    pub span: Span,
    /// As it is written.
    pub default: Option<String>,
    /// What may be given, in capital letters.
    wanted: &'static str,
    comment: Option<String>,
}

impl Program {
    pub fn read(path: &str) -> Program {
        let name = files::name(path);
        let bytes = files::read(&name);
        let text = bytes.as_ref().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
        let tree = text.map(|text| syntax::parse(FileId(0), text));
        let main = tree.as_ref().and_then(|tree| Some((tree, main_of(tree)?)));
        let parameters = main.as_ref().map(|(tree, main)| parameters(tree, main)).unwrap_or_default();
        Program { name, bytes, parameters, doc: main.and_then(|(_, main)| main.doc) }
    }

    /// What `evert run FILE --help` says.
    pub fn help(&self) -> String {
        let mut out = vec![];
        if let Some(doc) = &self.doc {
            let _ = writeln!(out, "{}\n", doc.trim_end());
        }
        let parameters = &self.parameters.all;
        let usage: String = match self.parameters.form {
            Form::Texts => " [-- WORDS]".to_string(),
            _ => parameters.iter().map(|parameter| format!(" {}", parameter.usage())).collect(),
        };
        let _ = writeln!(out, "Usage: evert run {}{usage}", self.name);
        if !parameters.is_empty() && self.parameters.form != Form::Texts {
            let _ = writeln!(out, "\nArguments:");
            let words: Vec<String> = parameters.iter().map(Parameter::words).collect();
            let width = words.iter().map(|words| words.chars().count()).max().unwrap_or(0);
            for (words, parameter) in words.iter().zip(parameters) {
                let line = format!("  {words:<width$}  {}", parameter.meaning());
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        let _ = writeln!(out, "\n--args FILE takes arguments from a JSON file; `-` as a file is standard input.");
        let _ = writeln!(out, "Options of evert itself: `evert run --help`.");
        String::from_utf8_lossy(&out).into_owned()
    }
}

impl Parameters {
    pub fn named(&self, word: &str) -> Option<&Parameter> {
        let word = word.replace('-', "_");
        self.all.iter().find(|parameter| parameter.name.is_some_and(|name| name.as_str() == word))
    }
}

impl Parameter {
    pub fn is_flag(&self) -> bool {
        matches!(self.default.as_deref(), Some("true" | "false"))
    }

    fn words(&self) -> String {
        match self.name {
            Some(name) if self.is_flag() => format!("--{name}"),
            Some(name) => format!("--{name} {}", self.wanted),
            None => self.wanted.to_string(),
        }
    }

    fn usage(&self) -> String {
        if self.default.is_some() { format!("[{}]", self.words()) } else { self.words() }
    }

    fn meaning(&self) -> String {
        let comment = self.comment.as_deref().unwrap_or("");
        match &self.default {
            Some(default) if comment.is_empty() => format!("(default {default})"),
            Some(default) => format!("{comment} (default {default})"),
            None => comment.to_string(),
        }
    }
}

fn main_of(tree: &Tree) -> Option<Function> {
    let statements = tree.statements().into_iter().map(|id| tree.statement(id));
    let mut mains = statements.filter_map(|statement| match statement {
        Statement::Fn(function) if function.name.name.as_str() == "main" => Some(function),
        _ => None,
    });
    mains.next_back()
}

/// What `main` of a program takes, and where it is declared. `let main = …` takes nothing.
pub fn declared(tree: &Tree) -> (Span, Parameters) {
    match main_of(tree) {
        Some(main) => (main.name.span, parameters(tree, &main)),
        None => (Span::new(tree.file(), 0, 0), Parameters::default()),
    }
}

fn parameters(tree: &Tree, main: &Function) -> Parameters {
    let all = main.params.iter().zip(&main.defaults);
    let all: Vec<Parameter> = all.map(|(param, default)| parameter(tree, *param, *default)).collect();
    if let [only] = &main.params[..]
        && let Pattern::Record(fields) = tree.pattern(*only)
    {
        return Parameters { all: fields.iter().map(|(label, _)| field(*label)).collect(), form: Form::Record };
    }
    let form = match &all[..] {
        [only] if only.default.is_none() && only.name.is_some_and(|name| name.as_str() == "args") => Form::Texts,
        [_] => Form::One,
        _ => Form::Tuple,
    };
    Parameters { all, form }
}

fn parameter(tree: &Tree, param: NodeId, default: Option<NodeId>) -> Parameter {
    let name = match tree.pattern(param) {
        Pattern::Name(name) => Some(name),
        _ => None,
    };
    let text = default.map(|default| {
        let span = tree.span(default);
        tree.text()[span.start as usize..span.end as usize].split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let wanted = default.map_or("VALUE", |default| wanted(tree, default));
    Parameter {
        name,
        span: tree.span(param),
        default: text,
        wanted,
        comment: tree.comment_of(param, default.unwrap_or(param)),
    }
}

fn field(label: ast::Ident) -> Parameter {
    Parameter { name: Some(label.name), span: label.span, default: None, wanted: "VALUE", comment: None }
}

fn wanted(tree: &Tree, default: NodeId) -> &'static str {
    match tree.expr(default) {
        Expr::Int(_) => "INT",
        Expr::Real(_) => "REAL",
        Expr::Text(_) => "TEXT",
        Expr::Unary { operand, .. } => wanted(tree, operand),
        Expr::Name(name) if is_data(tree, name) => "FILE",
        _ => "VALUE",
    }
}

/// Is the name that of imported data?
fn is_data(tree: &Tree, name: Name) -> bool {
    tree.statements().into_iter().any(|id| match tree.statement(id) {
        Statement::Import(import) => match (&import.source, import.alias) {
            (ImportSource::Path(path), Some(alias)) => alias.name == name && evert::Format::of(path).is_some(),
            (ImportSource::Path(path), None) => {
                let file = path.rsplit('/').next().unwrap_or(path);
                evert::Format::of(path).is_some() && file.split('.').next() == Some(name.as_str())
            }
            (ImportSource::Library(_), _) => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(text: &str) -> String {
        let tree = syntax::parse(FileId(0), text);
        let main = main_of(&tree).expect("a main");
        let parameters = parameters(&tree, &main);
        Program { name: "a.ev".into(), bytes: Ok(vec![]), parameters, doc: main.doc }.help()
    }

    #[test]
    fn help_is_made_of_parameters_and_comments() {
        let text = "import \"train.csv\"\n/// Fits a line.\nfn main(\n  rate = 0.1, // how far a step goes\n  // where the data are\n  data = train,\n  quiet = false,\n  seed,\n) = 1\n";
        let help = help(text);
        assert!(
            help.starts_with(
                "Fits a line.\n\nUsage: evert run a.ev [--rate REAL] [--data FILE] [--quiet] --seed VALUE\n"
            ),
            "{help}"
        );
        assert!(help.contains("  --rate REAL   how far a step goes (default 0.1)\n  --data FILE   where the data are (default train)\n  --quiet       (default false)\n  --seed VALUE\n"), "{help}");
    }
}
