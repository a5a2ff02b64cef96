//! Messages of the protocol.
//!
//! In: a line. Out: its parts, as far as they could be read, and what was wrong with the rest: a message is answered under its id
//! even if it breaks off. Fields that the tool doesn't use are skipped.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value as Json;

use crate::values::Data;

#[derive(Default, Debug)]
pub struct Message {
    /// Given back as it came.
    pub id: Json,
    pub kind: Option<String>,
    pub module: Option<String>,
    pub function: Option<String>,
    pub input: Option<Data>,
}

/// Reads a message. `Err` says why it isn't one; what came before is in the message.
pub fn read(line: &str) -> (Message, Result<(), String>) {
    let mut message = Message::default();
    let mut json = serde_json::Deserializer::from_str(line);
    let read = Parts(&mut message).deserialize(&mut json).and_then(|()| json.end());
    (message, read.map_err(|error| error.to_string()))
}

struct Parts<'m>(&'m mut Message);

impl<'de> DeserializeSeed<'de> for Parts<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Parts<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a message: an object with an id and a kind")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "id" => self.0.id = map.next_value()?,
                "kind" => self.0.kind = text(map.next_value()?),
                "module" => self.0.module = text(map.next_value()?),
                "function" => self.0.function = text(map.next_value()?),
                "input" => self.0.input = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

fn text(json: Json) -> Option<String> {
    if let Json::String(text) = json { Some(text) } else { None }
}
