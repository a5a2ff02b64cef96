//! Files of data as values, and values as files of data.
//!
//! In: the bytes of a CSV, JSON, `.npy` or `.npz` file. Out: a value, or a [`Problem`] that names the place in the file. The other way
//! round [`write()`] makes the bytes. Numbers keep all their digits both ways. No I/O here: whoever calls has the bytes.
//!
//! | file | value |
//! |---|---|
//! | `.csv`, `.tsv` | a record of arrays, one for each column of the header |
//! | `.json` | objects are records, lists are arrays, `null` is `()` or, among numbers, `nan` |
//! | `.npy` | an array, or a number |
//! | `.npz` | a record of what its members are |

mod csv;
mod format;
mod json;
mod labels;
mod npy;
mod npz;
mod problem;
mod zip;

use base::Name;
use eval::Value;
use eval::value::Form;

pub use format::Format;
pub use json::write as json_text;
pub use problem::Problem;

/// The value that a file holds.
pub fn read(format: Format, bytes: &[u8]) -> Result<Value, Problem> {
    match format {
        Format::Csv => csv::read(bytes, None),
        Format::Tsv => csv::read(bytes, Some(b'\t')),
        Format::Json => json::read(bytes),
        Format::Npy => npy::read(bytes),
        Format::Npz => npz::read(bytes),
    }
}

/// The names of the fields that a file holds, without reading all of a table; none if they can only be told by reading a large file.
pub fn fields(format: Format, bytes: &[u8]) -> Result<Vec<Name>, Problem> {
    /// Larger files take longer than whoever types wants to wait.
    const SMALL: usize = 1 << 22;
    match format {
        Format::Csv => csv::columns(bytes, None),
        Format::Tsv => csv::columns(bytes, Some(b'\t')),
        _ if bytes.len() > SMALL => Ok(vec![]),
        format => Ok(match read(format, bytes)? {
            Value::Data(data) => match &data.form {
                Form::Record(labels) => labels.to_vec(),
                _ => vec![],
            },
            _ => vec![],
        }),
    }
}

/// The file that holds a value. `Err` says why this kind of file can't.
pub fn write(format: Format, value: &Value) -> Result<Vec<u8>, String> {
    match format {
        Format::Csv => csv::write(value, ','),
        Format::Tsv => csv::write(value, '\t'),
        Format::Json => json::write(value).map(|text| (text + "\n").into_bytes()),
        Format::Npy => npy::write(value),
        Format::Npz => npz::write(value),
    }
}
