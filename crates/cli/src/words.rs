//! The words behind the file on the command line: those for `main`, and our own options among them.
//!
//! `--name value` and `--name=value` are for `main` if it has a parameter of that name, otherwise an option of ours; a flag has no value.
//! Other words are taken by the parameters that weren't named, in order. Behind `--` there are no options.

use base::suggest::nearest;

use crate::program::{Form, Parameter, Parameters};

/// Commands that take words for `main` behind the file.
const COMMANDS: [&str; 3] = ["run", "profile", "explain-perf"];
/// Our options that have a value.
const WITH_VALUE: [&str; 7] = ["--engine", "--color", "--output", "--format", "--args", "--threads", "--plots"];
/// Our options that have none.
const FLAGS: [&str; 6] = ["--checked", "--watch", "--count", "--verbose", "-v", "--full"];

/// What is said to `main`.
#[derive(Default, Debug, PartialEq)]
pub struct Words {
    /// By the names of parameters; `None` is a flag.
    pub named: Vec<(String, Option<String>)>,
    pub others: Vec<String>,
    /// A file with more of them.
    pub file: Option<String>,
}

/// The words behind a file, sorted.
#[derive(Default, Debug, PartialEq)]
pub struct Sorted {
    pub for_main: Words,
    /// Our own options.
    pub ours: Vec<String>,
    /// Did somebody ask what `main` takes?
    pub help: bool,
}

/// Where the file stands among all words of the command line, if the command takes words behind it.
pub fn file_place(words: &[String]) -> Option<usize> {
    let command = after_options(words, 1)?;
    COMMANDS.contains(&words[command].as_str()).then(|| after_options(words, command + 1)).flatten()
}

/// The first word from a place on that is no option.
fn after_options(words: &[String], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(word) = words.get(at) {
        if !word.starts_with('-') || word == "-" {
            return Some(at);
        }
        if word == "--" {
            return None;
        }
        at += if WITH_VALUE.contains(&word.as_str()) { 2 } else { 1 };
    }
    None
}

/// Sorts the words behind the file. `Err` says what is wrong with them.
pub fn sort(words: &[String], parameters: &Parameters) -> Result<Sorted, String> {
    let mut sorted = Sorted::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            sorted.for_main.others.extend(words.by_ref().cloned());
            break;
        }
        let Some(option) = word.strip_prefix("--").filter(|option| !option.is_empty()) else {
            match word.as_str() {
                "-h" if parameters.form != Form::Texts => sorted.help = true,
                flag if FLAGS.contains(&flag) => sorted.ours.push(word.clone()),
                _ => sorted.for_main.others.push(word.clone()),
            }
            continue;
        };
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        if let Some(parameter) = parameters.named(name).filter(|_| parameters.form != Form::Texts) {
            let value = match value {
                Some(value) => Some(value.to_string()),
                None => value_of(parameter, name, &mut words)?,
            };
            sorted.for_main.named.push((name.replace('-', "_"), value));
        } else if let Some(flag) =
            name.strip_prefix("no-").and_then(|name| parameters.named(name)).filter(|p| p.is_flag())
        {
            let name = flag.name.map_or(String::new(), |name| name.to_string());
            sorted.for_main.named.push((name, Some("false".to_string())));
        } else {
            our_option(word, name, value, &mut words, parameters, &mut sorted)?;
        }
    }
    Ok(sorted)
}

/// The word behind the name of a parameter; a flag needs none.
fn value_of<'w>(
    parameter: &Parameter,
    name: &str,
    words: &mut (impl Iterator<Item = &'w String> + Clone),
) -> Result<Option<String>, String> {
    let next = words.clone().next();
    if parameter.is_flag() {
        return Ok(next.filter(|word| matches!(word.as_str(), "true" | "false")).map(|word| {
            words.next();
            word.clone()
        }));
    }
    match next {
        Some(word) => {
            words.next();
            Ok(Some(word.clone()))
        }
        None => Err(format!("`--{name}` wants a value behind it")),
    }
}

fn our_option<'w>(
    word: &str,
    name: &str,
    value: Option<&str>,
    words: &mut impl Iterator<Item = &'w String>,
    parameters: &Parameters,
    sorted: &mut Sorted,
) -> Result<(), String> {
    let option = format!("--{name}");
    if option == "--help" {
        sorted.help = true;
    } else if WITH_VALUE.contains(&option.as_str()) {
        let value = value.map(String::from).or_else(|| words.next().cloned());
        let value = value.ok_or_else(|| format!("`{option}` wants a value behind it"))?;
        match option.as_str() {
            "--args" => sorted.for_main.file = Some(value),
            _ => sorted.ours.extend([option, value]),
        }
    } else if FLAGS.contains(&option.as_str()) {
        sorted.ours.push(option);
    } else if parameters.form == Form::Texts {
        sorted.for_main.others.push(word.to_string());
    } else {
        return Err(unknown(&option, parameters));
    }
    Ok(())
}

fn unknown(option: &str, parameters: &Parameters) -> String {
    let names = parameters.all.iter().filter_map(|parameter| parameter.name).map(|name| format!("--{name}"));
    let known: Vec<String> = names.chain(WITH_VALUE.iter().chain(&FLAGS).map(ToString::to_string)).collect();
    match nearest(option, known.iter().map(String::as_str)) {
        Some(near) => format!("`main` has no parameter `{option}`; did you mean `{near}`?"),
        None => format!("`main` has no parameter `{option}`; `--help` behind the file lists what it has"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(String::from).collect()
    }

    fn parameters(program: &str) -> Parameters {
        let tree = syntax::parse(base::FileId(0), program);
        crate::program::declared(&tree).1
    }

    #[test]
    fn the_file_is_the_first_word_behind_the_command_and_its_options() {
        assert_eq!(file_place(&words("evert --engine reference run --output x.json a.ev --rate 1")), Some(6));
        assert_eq!(file_place(&words("evert run - --rate 1")), Some(2));
        assert_eq!(file_place(&words("evert eval 1")), None);
        assert_eq!(file_place(&words("evert run --help")), None);
    }

    #[test]
    fn words_go_to_main_or_to_us() {
        let parameters = parameters("fn main(rate = 0.1, learning_rate = 1.0, quiet = false, data, engine = 1) = 1");
        let sorted = sort(&words("--rate -0.5 x.csv --learning-rate=2 --quiet --color never --engine 2"), &parameters);
        let sorted = sorted.expect("they are right");
        let named = |name: &str, value: &str| (name.to_string(), Some(value.to_string()));
        assert_eq!(
            sorted.for_main.named,
            [named("rate", "-0.5"), named("learning_rate", "2"), ("quiet".to_string(), None), named("engine", "2")]
        );
        assert_eq!((sorted.for_main.others, sorted.ours), (words("x.csv"), words("--color never")));
        let wrong = sort(&words("--raet 1"), &parameters).expect_err("no such parameter");
        assert!(wrong.contains("did you mean `--rate`?"), "{wrong}");
        assert!(sort(&words("--rate"), &parameters).is_err());
        assert_eq!(sort(&words("--no-quiet"), &parameters).expect("a flag").for_main.named, [named("quiet", "false")]);
    }

    #[test]
    fn behind_two_dashes_all_words_are_for_main() {
        let sorted = sort(&words("--color never -- --color b"), &parameters("fn main(args) = args")).expect("right");
        assert_eq!((sorted.for_main.others, sorted.ours), (words("--color b"), words("--color never")));
    }
}
