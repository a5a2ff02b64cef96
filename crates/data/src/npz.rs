//! NumPy's `.npz`: a zip archive of `.npy` files. In: such a file. Out: a record of what they are, by their names.

use std::rc::Rc;

use eval::Value;
use eval::value::Form;

use crate::problem::Problem;
use crate::{labels, npy, zip};

pub fn read(bytes: &[u8]) -> Result<Value, Problem> {
    let members = zip::read(bytes)?;
    let mut names = vec![];
    for member in &members {
        match member.name.strip_suffix(".npy") {
            Some(name) => names.push(name),
            None => return Problem::new(format!("`{}` in the archive isn't an .npy file", member.name)).err(),
        }
    }
    let labels = labels::labels(names.iter().copied()).map_err(|(first, second)| {
        Problem::new(format!("`{}` and `{}` would be the same field", names[first], names[second]))
    })?;
    let mut fields = vec![];
    for (member, name) in members.iter().zip(&names) {
        let array = member.content().and_then(|bytes| npy::read(&bytes));
        fields.push(
            array.map_err(|problem| Problem { message: format!("in `{name}`: {}", problem.message), ..problem })?,
        );
    }
    Ok(Value::record(Rc::from(labels), fields))
}

/// A record has a member for each field; anything else is one called `arr_0`, as NumPy says.
pub fn write(value: &Value) -> Result<Vec<u8>, String> {
    let members = match &eval::force(value).map_err(|fault| fault.message.clone())? {
        Value::Data(data) if let Form::Record(labels) = &data.form => {
            let member = |(label, field): (&base::Name, &Value)| {
                npy::write(field)
                    .map(|bytes| (format!("{label}.npy"), bytes))
                    .map_err(|why| format!("`{label}`: {why}"))
            };
            labels.iter().zip(&data.fields).map(member).collect::<Result<Vec<_>, String>>()?
        }
        other => vec![("arr_0.npy".to_string(), npy::write(other)?)],
    };
    zip::write(&members)
}
