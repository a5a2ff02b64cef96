//! How a value is written into a text: `"{x:>8.3}"`.
//!
//! In: what stands behind the colon, `[[fill]align][+][0][width][.precision][kind]`. Out: its parts. The primitive `.format` takes the text;
//! elaboration has checked it.

/// The parts of a format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    pub align: Option<(char, Align)>,
    /// Is a number that isn't negative written with `+`?
    pub plus: bool,
    pub width: usize,
    pub precision: Option<usize>,
    pub kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    Left,
    Middle,
    Right,
    /// Between the sign and the digits.
    AfterSign,
}

/// How numbers are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// As they are shown, with a precision: with so many digits behind the point.
    #[default]
    Shown,
    /// `f`: ints too have digits behind the point.
    Fixed,
    /// `e`
    Scientific,
    /// `%`: hundredths.
    Percent,
}

/// No text needs more.
const MOST: usize = 1000;

impl Layout {
    /// `None`: the text means nothing.
    pub fn parse(text: &str) -> Option<Layout> {
        let mut layout = Layout::default();
        let mut rest = text;
        let mut chars = text.chars();
        if let (Some(fill), Some(sign)) = (chars.next(), chars.next())
            && let Some(align) = align(sign)
        {
            layout.align = Some((fill, align));
            rest = chars.as_str();
        } else if let Some(align) = text.chars().next().and_then(align) {
            layout.align = Some((' ', align));
            rest = &text[1..];
        }
        if let Some(after) = rest.strip_prefix('+') {
            (layout.plus, rest) = (true, after);
        }
        if let Some(after) = rest.strip_prefix('0') {
            layout.align = layout.align.or(Some(('0', Align::AfterSign)));
            rest = after;
        }
        (layout.width, rest) = number(rest)?;
        if let Some(after) = rest.strip_prefix('.') {
            after.starts_with(|c: char| c.is_ascii_digit()).then_some(())?;
            let (precision, after) = number(after)?;
            (layout.precision, rest) = (Some(precision), after);
        }
        layout.kind = match rest {
            "" => Kind::Shown,
            "f" => Kind::Fixed,
            "e" => Kind::Scientific,
            "%" => Kind::Percent,
            // For those who come from Python.
            "d" | "s" if layout.precision.is_none() => Kind::Shown,
            _ => return None,
        };
        (!text.is_empty()).then_some(layout)
    }
}

fn align(sign: char) -> Option<Align> {
    match sign {
        '<' => Some(Align::Left),
        '^' => Some(Align::Middle),
        '>' => Some(Align::Right),
        _ => None,
    }
}

/// The digits at the start, none being 0, and what follows.
fn number(text: &str) -> Option<(usize, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(length);
    let number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    (number <= MOST).then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_their_parts() {
        let plain = Layout::default();
        assert_eq!(Layout::parse(".3"), Some(Layout { precision: Some(3), ..plain }));
        let eight = Layout { width: 8, precision: Some(2), kind: Kind::Fixed, ..plain };
        assert_eq!(Layout::parse("8.2f"), Some(eight));
        assert_eq!(Layout::parse("*^9"), Some(Layout { align: Some(('*', Align::Middle)), width: 9, ..plain }));
        assert_eq!(Layout::parse("<9"), Some(Layout { align: Some((' ', Align::Left)), width: 9, ..plain }));
        let signed = Layout { align: Some(('0', Align::AfterSign)), plus: true, width: 5, ..plain };
        assert_eq!(Layout::parse("+05"), Some(signed));
        assert_eq!(Layout::parse(".1%"), Some(Layout { precision: Some(1), kind: Kind::Percent, ..plain }));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for text in ["", " 1", ".", "x", ".3q", "99999", "1.2.3", ".-1"] {
            assert_eq!(Layout::parse(text), None, "{text}");
        }
    }
}
