//! What a command of a lens has found, for editors that don't show it themselves: messages, and files that the editor is asked to open.
//!
//! In: a command's answer. Out: what is sent to the editor. An editor whose extension shows answers says so when it introduces itself
//! (`initializationOptions: {"showsAnswers": true}`) and is sent nothing.

use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use serde_json::{Value as Json, json};

use crate::protocol;

/// The protocol's numbers for kinds of messages.
const WARNING: u32 = 2;
const INFORMATION: u32 = 3;

/// How an editor is told what a command has found.
pub struct Audience {
    shows_answers: bool,
    opens_documents: bool,
    /// Where files for it are, once there is one.
    folder: Option<PathBuf>,
}

/// Something to send.
pub enum Telling {
    Notification(&'static str, Json),
    Request(&'static str, Json),
}

impl Audience {
    pub fn new(params: &Json) -> Audience {
        let shows_answers = params["initializationOptions"]["showsAnswers"] == true;
        let opens_documents = params["capabilities"]["window"]["showDocument"]["support"] == true;
        Audience { shows_answers, opens_documents, folder: None }
    }

    /// What to send about a command that has ended.
    pub fn tell(&mut self, asked: &Json, answer: &Result<Json, String>) -> Option<Telling> {
        if self.shows_answers {
            return None;
        }
        let (command, name) = (asked["command"].as_str()?, asked["arguments"][1].as_str().unwrap_or_default());
        let answer = match answer {
            Ok(answer) => answer,
            Err(words) => return Some(message(WARNING, words)),
        };
        let text = answer["text"].as_str().unwrap_or_default();
        let (file, contents, outside) = match (command, answer["svg"].as_str()) {
            _ if answer["ok"] != true => return Some(message(WARNING, &titled(name, text))),
            ("evert.showPlot", Some(svg)) => ("plot.svg".to_string(), svg, true),
            ("evert.showDerivative", _) => (format!("derivative_of_{name}.ev"), text, false),
            _ => return Some(message(INFORMATION, &titled(name, text))),
        };
        Some(match self.write(&file, contents) {
            Ok(path) if self.opens_documents => {
                let uri = protocol::uri_of(&path.to_string_lossy());
                Telling::Request("window/showDocument", json!({"uri": uri, "external": outside, "takeFocus": true}))
            }
            Ok(path) => message(INFORMATION, &format!("written to {}", path.display())),
            Err(error) => message(WARNING, &format!("there is no place for the answer: {error}")),
        })
    }

    /// A file in a folder that nobody else may write to.
    fn write(&mut self, name: &str, contents: &str) -> std::io::Result<PathBuf> {
        let folder = match &self.folder {
            Some(folder) => folder.clone(),
            None => {
                let folder = std::env::temp_dir().join(format!("evert-editor-{}", std::process::id()));
                std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
                self.folder.insert(folder).clone()
            }
        };
        let path = folder.join(name);
        std::fs::write(&path, contents)?;
        Ok(path)
    }
}

impl Drop for Audience {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // What can't be removed is in a folder for what is temporary.
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn titled(name: &str, text: &str) -> String {
    if name.is_empty() { text.to_string() } else { format!("{name}: {text}") }
}

fn message(kind: u32, words: &str) -> Telling {
    Telling::Notification("window/showMessage", json!({"type": kind, "message": words}))
}
