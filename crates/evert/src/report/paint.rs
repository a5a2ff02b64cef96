//! Colours of a terminal, or none.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paint {
    Plain,
    Colour,
}

/// What a piece of output is, and so its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    Error,
    Strong,
    Frame,
    Second,
    Help,
    Keyword,
    Number,
    Text,
    Comment,
    Bracket,
}

impl Paint {
    pub fn paint(self, tone: Tone, text: &str) -> String {
        let codes = match tone {
            Tone::Error => "1;31",
            Tone::Strong => "1",
            Tone::Frame => "1;34",
            Tone::Second | Tone::Number => "36",
            Tone::Help | Tone::Text => "32",
            Tone::Keyword => "35",
            Tone::Comment => "90",
            Tone::Bracket => "1;33",
        };
        match self {
            Paint::Plain => text.to_string(),
            Paint::Colour if text.is_empty() => String::new(),
            Paint::Colour => format!("\x1b[{codes}m{text}\x1b[0m"),
        }
    }
}
