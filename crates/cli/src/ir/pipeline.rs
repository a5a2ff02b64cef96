//! The stages and passes of the compiler, by name and number.

use optimise::PASSES;

use crate::arguments::Level;

/// After how many passes of `optimise` to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit(pub usize);

impl Limit {
    /// Reads `--after`: a name, a number, `none` or `all`. Without it L3 is shown as specialisation leaves it, and the levels
    /// below as they are run. `Err` says what can be written.
    pub fn read(after: Option<&str>, level: Option<Level>) -> Result<Limit, String> {
        let passes = match after {
            None if level == Some(Level::L3) => Some(0),
            None | Some("all") => Some(PASSES.len()),
            Some("none") => Some(0),
            Some(word) => match word.parse::<usize>() {
                Ok(number) => (number <= PASSES.len()).then_some(number),
                Err(_) => PASSES.iter().position(|pass| pass.name == word).map(|at| at + 1),
            },
        };
        passes.map(Limit).ok_or_else(|| {
            let names = names().join(", ");
            let count = PASSES.len();
            format!("there is no pass `{}`; passes are {names}, 1 to {count}, none and all", after.unwrap_or(""))
        })
    }
}

/// Each name once.
fn names() -> Vec<&'static str> {
    let mut names = vec![];
    for pass in PASSES {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    names
}

/// The pipeline, a line for each stage and pass.
pub fn listing() -> String {
    let mut text = String::from("syntax      parse\nl1          elaborate\nl3          specialise\n");
    for (number, pass) in PASSES.iter().enumerate() {
        text += &format!("l3      {:>2}  {}\n", number + 1, pass.name);
    }
    text + "l4          lower\nllvm        emit\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_is_named_or_numbered() {
        let first = PASSES[0].name;
        assert_eq!(Limit::read(Some(first), None), Ok(Limit(1)));
        assert_eq!(Limit::read(Some("2"), None), Ok(Limit(2)));
        assert_eq!(Limit::read(Some("none"), None), Ok(Limit(0)));
        assert_eq!(Limit::read(Some("all"), None), Ok(Limit(PASSES.len())));
        assert_eq!(Limit::read(None, Some(Level::L3)), Ok(Limit(0)));
        assert_eq!(Limit::read(None, Some(Level::L4)), Ok(Limit(PASSES.len())));
        let wrong = Limit::read(Some("fuse"), None).expect_err("no such pass");
        assert!(names().iter().all(|name| wrong.contains(name)), "{wrong}");
        assert!(Limit::read(Some("999"), None).is_err());
    }

    #[test]
    fn the_listing_has_a_line_for_every_pass() {
        assert_eq!(listing().lines().count(), PASSES.len() + 5);
    }
}
