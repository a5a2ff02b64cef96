//! Which kind of file it is.

/// A kind of file that holds data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    Csv,
    Tsv,
    Json,
    Npy,
    Npz,
}

impl Format {
    /// The endings of names, for messages.
    pub const ENDINGS: &str = ".csv, .tsv, .json, .npy or .npz";

    /// The kind that the ending of a file's name says; `None`: it isn't data.
    pub fn of(path: &str) -> Option<Format> {
        let (stem, ending) = path.rsplit_once('.')?;
        if stem.is_empty() || stem.ends_with('/') {
            return None;
        }
        match ending.to_ascii_lowercase().as_str() {
            "csv" => Some(Format::Csv),
            "tsv" => Some(Format::Tsv),
            "json" => Some(Format::Json),
            "npy" => Some(Format::Npy),
            "npz" => Some(Format::Npz),
            _ => None,
        }
    }

    /// The kind of a file without a name, as standard input, by how it begins.
    pub fn guess(bytes: &[u8]) -> Format {
        let begins = |magic: &[u8]| bytes.starts_with(magic);
        if begins(b"\x93NUMPY") {
            return Format::Npy;
        }
        if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
            return Format::Npz;
        }
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => Format::Json,
            _ => Format::Csv,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_or_the_beginning_says_what_it_is() {
        assert_eq!(Format::of("data/train.CSV"), Some(Format::Csv));
        assert_eq!(Format::of("a.tar.npz"), Some(Format::Npz));
        assert_eq!(["model.ev", "csv", ".json", "a/.npy"].map(Format::of), [None; 4]);
        assert_eq!(Format::guess(b" {\"a\": 1}"), Format::Json);
        assert_eq!(Format::guess(b"a,b\n1,2\n"), Format::Csv);
        assert_eq!(Format::guess(b"\x93NUMPY\x01\0"), Format::Npy);
    }
}
