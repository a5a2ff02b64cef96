//! Places in a text: Evert counts bytes, browsers count UTF-16 units.

/// The units before each byte of a text that begins a character.
pub struct Places {
    units: Vec<u32>,
}

impl Places {
    pub fn of(text: &str) -> Places {
        let mut units = Vec::with_capacity(text.len() + 1);
        let mut count = 0;
        for character in text.chars() {
            units.extend(std::iter::repeat_n(count, character.len_utf8()));
            count += character.len_utf16() as u32;
        }
        units.push(count);
        Places { units }
    }

    /// Where a byte of the text is; the end, if it is behind it.
    pub fn unit(&self, byte: u32) -> u32 {
        let last = self.units.len() - 1;
        self.units[(byte as usize).min(last)]
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn characters_take_one_or_two_units() {
        let places = Places::of("aθ𝛿b");
        assert_eq!([0, 1, 3, 7, 8, 99].map(|byte| places.unit(byte)), [0, 1, 2, 4, 5, 5]);
    }
}
