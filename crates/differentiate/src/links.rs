//! J, J⁻¹ and T on code that knows what it was derived from, the same for all engines.

use crate::Mode;

/// The code of an engine.
pub trait Links {
    type Code: Clone;

    /// J of the code
    fn reversed(&self, code: &Self::Code) -> Self::Code;
    /// T of the code
    fn pushed(&self, code: &Self::Code) -> Self::Code;
    /// What the code is J of
    fn primal(&self, code: &Self::Code) -> Option<Self::Code>;
    /// Is it the code of the functions that `f <~ g` makes?
    fn is_attach(&self, code: &Self::Code) -> bool;
}

/// `J^by` of a function's code
pub enum Lifted<C> {
    Code(C),
    /// After so many J were undone, the function is `v1 <~ v2`, and J⁻¹ of that is `(J⁻¹ v1) <~ (v1 <~ v2)`.
    Attached {
        undone: u32,
    },
    /// J⁻¹ of code that is no J-image
    NoImage,
}

/// `J^by` of code, J⁻¹ for negative `by`
pub fn lift_code<L: Links>(links: &L, code: &L::Code, by: i32) -> Lifted<L::Code> {
    let mut code = reversed(links, code, by.max(0) as u32);
    for undone in 0..by.min(0).unsigned_abs() {
        match links.primal(&code) {
            Some(primal) => code = primal,
            None if links.is_attach(&code) => return Lifted::Attached { undone },
            None => return Lifted::NoImage,
        }
    }
    Lifted::Code(code)
}

/// `J^order` of code
pub fn reversed<L: Links>(links: &L, code: &L::Code, order: u32) -> L::Code {
    (0..order).fold(code.clone(), |code, _| links.reversed(&code))
}

/// `J^order` of T of what the code is `J^order` of
pub fn pushed_under<L: Links>(links: &L, code: &L::Code, order: u32) -> Option<L::Code> {
    let base = (0..order).try_fold(code.clone(), |code, _| links.primal(&code))?;
    Some(reversed(links, &links.pushed(&base), order))
}

/// The modes after `J^by`. J⁻¹ (negative `by`) only undoes a J that was the last thing applied.
pub fn lift_modes(modes: &[Mode], by: i32) -> Option<Vec<Mode>> {
    let mut modes = modes.to_vec();
    (0..by).for_each(|_| modes.push(Mode::Reverse));
    for _ in by..0 {
        modes.pop().filter(|mode| *mode == Mode::Reverse)?;
    }
    Some(modes)
}

/// The modes after T beneath the last `order`, which are Js
pub fn push_modes(modes: &[Mode], order: u32) -> Vec<Mode> {
    let mut modes = modes.to_vec();
    modes.insert(modes.len() - order as usize, Mode::Forward);
    modes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Code is the text of how it was derived: `J` and `T` before a name.
    struct Texts;

    impl Links for Texts {
        type Code = String;

        fn reversed(&self, code: &String) -> String {
            format!("J{code}")
        }

        fn pushed(&self, code: &String) -> String {
            format!("T{code}")
        }

        fn primal(&self, code: &String) -> Option<String> {
            code.strip_prefix('J').map(str::to_string)
        }

        fn is_attach(&self, code: &String) -> bool {
            code == "<~"
        }
    }

    #[test]
    fn j_is_undone_only_where_it_was_the_last_thing_applied() {
        let lift = |code: &str, by| lift_code(&Texts, &code.to_string(), by);
        assert!(matches!(lift("f", 2), Lifted::Code(code) if code == "JJf"));
        assert!(matches!(lift("JJf", -2), Lifted::Code(code) if code == "f"));
        assert!(matches!(lift("TJf", -1), Lifted::NoImage));
        assert!(matches!(lift("J<~", -2), Lifted::Attached { undone: 1 }));
        assert_eq!(lift_modes(&[Mode::Reverse, Mode::Forward], -1), None);
    }

    #[test]
    fn t_goes_beneath_the_js_of_its_order() {
        assert_eq!(pushed_under(&Texts, &"JJf".to_string(), 1).as_deref(), Some("JTJf"));
        assert_eq!(pushed_under(&Texts, &"TJf".to_string(), 1), None);
        assert_eq!(push_modes(&[Mode::Forward, Mode::Reverse], 1), [Mode::Forward, Mode::Forward, Mode::Reverse]);
    }
}
