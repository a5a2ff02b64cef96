//! Colours: a palette that colour-blind people can tell apart, on white and on black, and a scale for numbers.
//!
//! The palette follows Okabe and Ito, with darker tones for white paper and lighter ones for black. The scale is viridis.

pub type Rgb = [u8; 3];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colour {
    Named(Named),
    Rgb(Rgb),
}

/// The colours that have a tone for white and one for black.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    Blue,
    Orange,
    Green,
    Purple,
    Gold,
    Grey,
    Red,
    /// The colour of the text around.
    Ink,
}

/// A row of the palette.
pub struct Tone {
    pub named: Named,
    pub name: &'static str,
    pub light: Rgb,
    pub dark: Rgb,
    /// The nearest of a terminal's 256 colours, readable on both.
    pub terminal: u8,
}

const fn tone(named: Named, name: &'static str, light: u32, dark: u32, terminal: u8) -> Tone {
    Tone { named, name, light: rgb(light), dark: rgb(dark), terminal }
}

const fn rgb(hex: u32) -> Rgb {
    [(hex >> 16) as u8, (hex >> 8) as u8, hex as u8]
}

/// All named colours; curves take the first six in turn.
pub const PALETTE: [Tone; 8] = [
    tone(Named::Blue, "blue", 0x0072b2, 0x56b4e9, 33),
    tone(Named::Orange, "orange", 0xd55e00, 0xf28e2b, 208),
    tone(Named::Green, "green", 0x008f68, 0x3fc59d, 36),
    tone(Named::Purple, "purple", 0xa8508f, 0xdd94c8, 169),
    tone(Named::Gold, "gold", 0x997404, 0xe3c13c, 178),
    tone(Named::Grey, "grey", 0x6e7781, 0x9aa4af, 245),
    tone(Named::Red, "red", 0xc1272d, 0xff7b72, 203),
    tone(Named::Ink, "black", 0x1f2328, 0xe6edf3, 0),
];

/// How many colours curves take in turn.
pub const SERIES: usize = 6;

/// The background of a file.
pub const PAPER: (Rgb, Rgb) = (rgb(0xffffff), rgb(0x0d1117));

impl Named {
    pub fn tone(self) -> &'static Tone {
        PALETTE.iter().find(|tone| tone.named == self).unwrap_or(&PALETTE[0])
    }
}

impl Colour {
    /// The colour of the curve with this number.
    pub fn series(number: usize) -> Colour {
        Colour::Named(PALETTE[number % SERIES].named)
    }

    /// A colour by its name, or as `#rrggbb`.
    pub fn parse(text: &str) -> Option<Colour> {
        let text = text.trim().to_ascii_lowercase();
        if let Some(hex) = text.strip_prefix('#') {
            let is_hex = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            return u32::from_str_radix(hex, 16).ok().filter(|_| is_hex).map(|hex| Colour::Rgb(rgb(hex)));
        }
        let name = if text == "gray" { "grey" } else { &text };
        PALETTE.iter().find(|tone| tone.name == name).map(|tone| Colour::Named(tone.named))
    }

    /// The names that [`Colour::parse`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        PALETTE.iter().map(|tone| tone.name)
    }
}

pub fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Viridis at equal distances.
const SCALE: [u32; 10] =
    [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];

/// The colour of a number from 0 to 1.
pub fn scale(t: f64) -> Rgb {
    let at = t.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let first = (at as usize).min(SCALE.len() - 2);
    let part = at - first as f64;
    let (a, b) = (rgb(SCALE[first]), rgb(SCALE[first + 1]));
    std::array::from_fn(|i| (f64::from(a[i]) * (1.0 - part) + f64::from(b[i]) * part + 0.5) as u8)
}

/// What stands for a number that isn't finite in an image.
pub const MISSING: Rgb = [128, 128, 128];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_names_and_numbers() {
        assert_eq!(Colour::parse("Blue"), Some(Colour::Named(Named::Blue)));
        assert_eq!(Colour::parse("gray"), Some(Colour::Named(Named::Grey)));
        assert_eq!(Colour::parse("#0a0B0c"), Some(Colour::Rgb([10, 11, 12])));
        assert!(["", "#12345", "#+12345", "blue\"/>", "#12345g"].iter().all(|text| Colour::parse(text).is_none()));
    }

    /// The contrast of two colours by the Web Content Accessibility Guidelines, with a power of 2 for its 2.4.
    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let part = |c: u8| (f64::from(c) / 255.0) * (f64::from(c) / 255.0);
        let luminance = |c: Rgb| 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]) + 0.05;
        (luminance(a) / luminance(b)).max(luminance(b) / luminance(a))
    }

    #[test]
    fn every_colour_stands_out_on_its_paper() {
        for tone in &PALETTE {
            assert!(contrast(tone.light, PAPER.0) > 2.7, "{} on white", tone.name);
            assert!(contrast(tone.dark, PAPER.1) > 4.0, "{} on black", tone.name);
        }
    }

    #[test]
    fn the_scale_goes_from_dark_to_light() {
        assert_eq!((scale(0.0), scale(1.0), scale(-3.0)), ([0x44, 1, 0x54], [0xfd, 0xe7, 0x25], [0x44, 1, 0x54]));
        assert_eq!(scale(1.0 / 9.0), [0x48, 0x28, 0x78]);
    }
}
