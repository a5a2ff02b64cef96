//! `evert weave`: pictures in Markdown files.
//!
//! In: Markdown files. Behind a block of Evert whose values are plots stand images, `![words](name.svg)`, one for each plot; where
//! one is missing a line is added. Out: the SVG files that the images name, beside the document. With `--check` nothing is
//! written: the command fails where something would change.

use std::path::{Path, PathBuf};

use calculus::StepKind;
use evert::testing::steps_of;
use evert::{Failure, Session};
use plots::{Page, Plot};

use crate::Status;
use crate::blocks::{Block, blocks};
use crate::files::{self, Recording, reason};
use crate::launch::Launcher;
use crate::report;

pub fn weave(launcher: &Launcher, paths: &[String], check: bool) -> Status {
    let mut status = Status::Fine;
    for path in paths {
        let done = if check { is_current(launcher, path) } else { write(launcher, path) };
        if done != Status::Fine {
            status = done;
        }
    }
    status
}

/// The files that a document consists of, as they should be.
struct Woven {
    document: (PathBuf, String),
    pictures: Vec<(PathBuf, String)>,
}

fn write(launcher: &Launcher, path: &str) -> Status {
    let terminal = launcher.terminal;
    let Some(woven) = woven(launcher, path) else { return Status::Failed };
    if let Some((foreign, _)) = woven.pictures.iter().find(|(path, _)| is_foreign(path)) {
        terminal.complain(&format!("{} wasn't made by evert weave: it stays as it is", foreign.display()));
        return Status::Failed;
    }
    for (path, text) in woven.pictures.iter().chain([&woven.document]) {
        if is_same(path, text) {
            continue;
        }
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = folder.and_then(|()| std::fs::write(path, text)) {
            terminal.complain(&format!("can't write {}: {}", path.display(), reason(&error)));
            return Status::Failed;
        }
        terminal.line(&format!("{} is written", path.display()));
    }
    Status::Fine
}

fn is_current(launcher: &Launcher, path: &str) -> Status {
    let Some(woven) = woven(launcher, path) else { return Status::Failed };
    let mut status = Status::Fine;
    for (file, _) in woven.pictures.iter().chain([&woven.document]).filter(|(path, text)| !is_same(path, text)) {
        let help = format!("`evert weave {path}` writes it");
        launcher.terminal.complain(&format!("{} isn't current; {help}", file.display()));
        status = Status::Failed;
    }
    status
}

fn is_same(path: &Path, text: &str) -> bool {
    std::fs::read(path).is_ok_and(|found| found == text.as_bytes())
}

/// Is there a picture that somebody else made?
fn is_foreign(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| !text.contains("class=\"evert-plot\"")) || path.is_dir()
}

/// Runs the blocks of a document. `None`: something is wrong with it, which has been said.
fn woven(launcher: &Launcher, path: &str) -> Option<Woven> {
    let name = files::name(path);
    let mut session = launcher.session(Recording::of(&name));
    let result = session.read(&name).and_then(|text| {
        let found = blocks(&text).into_iter().filter(|block| block.fails_with.is_none());
        let drawn = found.map(|block| Ok((block.below, plots_of(&mut session, &name, &block)?)));
        let drawn = drawn.collect::<Result<Vec<_>, Failure>>()?;
        Ok((text, drawn))
    });
    match result {
        Ok((text, drawn)) => Some(put_together(Path::new(path), &text, &drawn)),
        Err(failure) => {
            report::report(launcher.terminal, &session.sources, &failure);
            None
        }
    }
}

/// The plots that a block shows. What an expectation stands behind is told already.
fn plots_of(session: &mut Session, name: &str, block: &Block) -> Result<Vec<Plot>, Failure> {
    let (tree, module) = session.load(name, &("\n".repeat(block.above) + &block.text))?;
    let mut plots = vec![];
    for (step, statement) in module.steps.iter().zip(steps_of(&tree)) {
        if matches!(step.kind, StepKind::Test(_)) || tree.expectation(statement).is_some() {
            continue;
        }
        let value = session.run_step(step).map_err(|error| vec![*error])?;
        if step.kind == StepKind::Show
            && let Some(plot) = session.plot(&value, step.span)
        {
            plots.push(plot.map_err(|error| vec![*error])?);
        }
    }
    Ok(plots)
}

/// The document with images behind its blocks, and the pictures.
fn put_together(path: &Path, text: &str, drawn: &[(usize, Vec<Plot>)]) -> Woven {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().map_or("plot".into(), |stem| stem.to_string_lossy().into_owned());
    let mut taken: Vec<String> =
        lines.iter().filter_map(|line| image(line)).map(|(_, file)| file.to_string()).collect();
    let mut pictures = vec![];
    let mut out = String::new();
    let mut at = 0;
    for (below, plots) in drawn {
        let images = images_after(&lines, *below);
        for (plot, line) in plots.iter().zip(images.iter().map(Some).chain(std::iter::repeat(None))) {
            let file = match line {
                Some(line) => {
                    out.extend(lines[at..=*line].iter().copied());
                    at = line + 1;
                    image(lines[*line]).map_or(String::new(), |(_, file)| file.to_string())
                }
                None => {
                    let after = images.last().map_or(*below, |last| last + 1).max(at);
                    out.extend(lines[at..after].iter().copied());
                    at = after;
                    let file = new_name(&stem, &mut taken);
                    let end = if out.ends_with('\n') { "" } else { "\n" };
                    out.push_str(&format!("{end}\n![{}]({file})\n", words(plot)));
                    file
                }
            };
            pictures.push((folder.join(file), plots::svg(plot, Page::File)));
        }
    }
    out.extend(lines[at..].iter().copied());
    Woven { document: (path.to_path_buf(), out), pictures }
}

/// The lines with images that stand behind a block: only empty lines and the end of a comment may be between.
fn images_after(lines: &[&str], below: usize) -> Vec<usize> {
    let near = lines.iter().enumerate().skip(below);
    let near = near.take_while(|(_, line)| line.trim().is_empty() || line.trim() == "-->" || image(line).is_some());
    near.filter(|(_, line)| image(line).is_some()).map(|(at, _)| at).collect()
}

/// The words and the file of a line that is nothing but an SVG image.
fn image(line: &str) -> Option<(&str, &str)> {
    let (words, rest) = line.trim().strip_prefix("![")?.split_once("](")?;
    let file = rest.strip_suffix(')')?;
    let is_local = file.ends_with(".svg") && !file.contains(':') && !file.contains([' ', ')']);
    is_local.then_some((words, file))
}

fn new_name(stem: &str, taken: &mut Vec<String>) -> String {
    let names = (1..).map(|number| format!("{stem}-{number}.svg"));
    let name = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.push(name.clone());
    name
}

/// A plot in words, for those who don't see it.
fn words(plot: &Plot) -> String {
    let line = plots::describe(plot);
    let line = line.trim_start_matches("<plot").trim_start_matches(':').trim_end_matches('>').trim();
    line.replace(['[', ']'], "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use plots::Series;

    fn line() -> Plot {
        Plot::Line(Series { xs: vec![0.0, 1.0], ys: vec![0.0, 1.0] })
    }

    /// The document after weaving when each block has so many plots, and the names of the pictures.
    fn woven(text: &str, plots: &[usize]) -> (String, Vec<String>) {
        let drawn: Vec<_> = blocks(text).iter().zip(plots).map(|(b, n)| (b.below, vec![line(); *n])).collect();
        let woven = put_together(Path::new("a/doc.md"), text, &drawn);
        (woven.document.1, woven.pictures.iter().map(|(path, _)| path.display().to_string()).collect())
    }

    #[test]
    fn a_missing_image_is_added_and_then_stays() {
        let (text, files) = woven("# T\n```evert\np\n```\nMore.\n", &[1]);
        assert_eq!(text, "# T\n```evert\np\n```\n\n![line of 2 points, x 0.0..1.0, y 0.0..1.0](doc-1.svg)\nMore.\n");
        assert_eq!(files, ["a/doc-1.svg"]);
        assert_eq!(woven(&text, &[1]), (text, files));
    }

    #[test]
    fn images_that_are_there_keep_their_words_and_names() {
        let text = "<!--\n```evert\np\nq\n```\n-->\n\n![mine](img/x.svg)\n![too](doc-1.svg)\n\nText\n";
        assert_eq!(woven(text, &[2]), (text.to_string(), vec!["a/img/x.svg".into(), "a/doc-1.svg".into()]));
        let (more, files) = woven(text, &[3]);
        assert!(more.contains("(doc-1.svg)\n\n![line of 2 points, x 0.0..1.0, y 0.0..1.0](doc-2.svg)\n\nText"));
        assert_eq!(files.len(), 3);
    }

    #[test]
    fn blocks_without_plots_change_nothing() {
        let text = "```evert\n1\n```\n![somebody's](own.svg)\n```evert\n2";
        assert_eq!(woven(text, &[0, 0]), (text.to_string(), vec![]));
    }

    #[test]
    fn a_block_that_ends_the_file_gets_its_image() {
        let (text, _) = woven("```evert\np\n```", &[1]);
        assert!(text.starts_with("```evert\np\n```\n\n![") && text.ends_with("(doc-1.svg)\n"));
    }

    #[test]
    fn only_local_svg_files_are_images() {
        assert_eq!(image("![a b](c/d.svg)"), Some(("a b", "c/d.svg")));
        for line in ["![a](b.png)", "![a](https://x/y.svg)", "text ![a](b.svg)", "[a](b.svg)"] {
            assert_eq!(image(line), None, "{line}");
        }
    }
}
