//! An editor that talks to the server in this process.
#![allow(dead_code, reason = "each test uses a part of it")]

use lsp::{Runner, serve_on};
use lsp_server::{Connection, Message, Notification, Request, RequestId};
use serde_json::{Value as Json, json};

pub const URI: &str = "file:///folder/a.ev";

/// An editor with one open file.
pub struct Editor {
    pub connection: Connection,
    server: Option<std::thread::JoinHandle<()>>,
    requests: i32,
    pub uri: String,
}

impl Editor {
    pub fn open(uri: &str, text: &str) -> Editor {
        Editor::open_in(json!({"capabilities": {}}), uri, text)
    }

    /// An editor that introduces itself with these parameters.
    pub fn open_in(params: Json, uri: &str, text: &str) -> Editor {
        let (server, connection) = Connection::memory();
        let thread = std::thread::Builder::new().stack_size(16 << 20).spawn(move || {
            serve_on(&server, Runner::Nowhere).expect("the server ends in peace");
        });
        let server = Some(thread.expect("a thread"));
        let mut editor = Editor { connection, server, requests: 0, uri: uri.to_string() };
        editor.ask("initialize", params);
        editor.tell("initialized", json!({}));
        editor.tell(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "version": 1, "languageId": "evert", "text": text}}),
        );
        editor
    }

    pub fn tell(&self, method: &str, params: Json) {
        let note = Notification::new(method.into(), params);
        self.connection.sender.send(Message::Notification(note)).expect("the server listens");
    }

    /// The result of a request, or its error.
    pub fn request(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request::new(id.clone(), method.into(), params);
        self.connection.sender.send(Message::Request(request)).expect("the server listens");
        loop {
            match self.connection.receiver.recv().expect("the server answers") {
                Message::Response(response) if response.id == id => {
                    return response.response_result.map_err(|error| error.message);
                }
                _ => {}
            }
        }
    }

    pub fn ask(&mut self, method: &str, params: Json) -> Json {
        self.request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// A request about a place, given as line and column.
    pub fn at(&mut self, method: &str, (line, character): (u32, u32)) -> Json {
        let position = json!({"line": line, "character": character});
        let params =
            json!({"textDocument": {"uri": self.uri}, "position": position, "context": {"includeDeclaration": true}});
        self.ask(&format!("textDocument/{method}"), params)
    }

    pub fn about(&mut self, method: &str) -> Json {
        let params = json!({"textDocument": {"uri": self.uri}, "positions": [{"line": 0, "character": 0}]});
        self.ask(&format!("textDocument/{method}"), params)
    }

    /// The next diagnostics of the file.
    pub fn diagnostics(&self) -> Json {
        loop {
            if let Message::Notification(note) = self.connection.receiver.recv().expect("the server speaks")
                && note.method == "textDocument/publishDiagnostics"
            {
                return note.params["diagnostics"].clone();
            }
        }
    }

    /// The diagnostics of this version of the file.
    pub fn diagnostics_of(&self, version: i64) -> Json {
        loop {
            if let Message::Notification(note) = self.connection.receiver.recv().expect("the server speaks")
                && note.method == "textDocument/publishDiagnostics"
                && note.params["version"] == version
            {
                return note.params["diagnostics"].clone();
            }
        }
    }

    pub fn change(&self, text: &str) {
        let document = json!({"uri": self.uri, "version": 2});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": [{"text": text}]}));
    }

    pub fn rename(&mut self, (line, character): (u32, u32), name: &str) -> Result<Json, String> {
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": self.uri}, "position": position, "newName": name});
        self.request("textDocument/rename", params)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.ask("shutdown", Json::Null);
        self.tell("exit", Json::Null);
        if let Some(server) = self.server.take() {
            server.join().expect("the server ends in peace");
        }
    }
}
