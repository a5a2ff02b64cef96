//! The loop: notifications change documents, requests are answered from them.

use std::cell::RefCell;
use std::collections::HashMap;

use evert::Session;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value as Json, json};

use crate::document::Document;
use crate::runs::{Finished, Runner, Runs};
use crate::{Error, actions, completion, diagnostics, hints, hover, navigation, protocol, rename, symbols, tokens};

/// What this server can do, for an editor that introduced itself with these parameters.
pub fn capabilities(_: &Json) -> Json {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 1, "save": false},
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": {"prepareProvider": true},
            "completionProvider": {"triggerCharacters": ["."]},
            "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "documentFormattingProvider": true,
            "semanticTokensProvider": {"legend": tokens::legend(), "full": true},
            "inlayHintProvider": true,
            "codeLensProvider": {"resolveProvider": false},
            "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite"]},
            "executeCommandProvider": {"commands": crate::runs::COMMANDS},
        },
        "serverInfo": {"name": "evert", "version": evert::VERSION},
    })
}

pub struct Server<'a> {
    connection: &'a Connection,
    session: Session,
    documents: HashMap<String, Document>,
    runs: Runs,
    /// Does the editor take the request to ask for hints anew?
    refreshes: bool,
    requests: i32,
}

/// What was found out about one request.
type Answer = Result<Json, String>;

impl<'a> Server<'a> {
    pub fn new(connection: &'a Connection, runner: Runner, params: &Json) -> Server<'a> {
        let refreshes = params["capabilities"]["workspace"]["inlayHint"]["refreshSupport"] == true;
        let (session, documents) = (Session::offline(), HashMap::new());
        Server { connection, session, documents, runs: Runs::new(runner), refreshes, requests: 0 }
    }

    pub fn run(&mut self) -> Result<(), Error> {
        loop {
            let message = match self.runs.next(&self.connection.receiver) {
                crate::runs::Event::Message(message) => message,
                crate::runs::Event::Finished(finished) => {
                    self.finished(finished)?;
                    continue;
                }
                crate::runs::Event::Closed => return Ok(()),
            };
            match message {
                Message::Request(request) if self.connection.handle_shutdown(&request)? => return Ok(()),
                Message::Request(request) => self.request(request)?,
                Message::Notification(note) => self.notification(&note.method, &note.params)?,
                Message::Response(_) => {}
            }
        }
    }

    fn request(&mut self, request: Request) -> Result<(), Error> {
        let Request { id, method, params } = request;
        if method == "workspace/executeCommand" {
            return self.command(id, &params);
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let answer = match self.documents.get(uri) {
            Some(document) => self.answer(&method, document, &params),
            None => Ok(Json::Null),
        };
        self.respond(id, answer)
    }

    fn answer(&self, method: &str, document: &Document, params: &Json) -> Answer {
        let offset = protocol::offset(&document.lines, &params["position"]);
        Ok(match method {
            "textDocument/hover" => hover::hover(document, self.runs.of(&document.uri), offset),
            "textDocument/definition" => navigation::definition(document, offset),
            "textDocument/references" => {
                let with_definition = params["context"]["includeDeclaration"] != false;
                navigation::references(document, offset, with_definition)
            }
            "textDocument/documentHighlight" => navigation::highlights(document, offset),
            "textDocument/prepareRename" => rename::prepare(document, offset)?,
            "textDocument/rename" => rename::rename(document, offset, params["newName"].as_str().unwrap_or_default())?,
            "textDocument/completion" => completion::completion(&self.session, document, offset),
            "textDocument/signatureHelp" => completion::signature(document, offset),
            "textDocument/documentSymbol" => symbols::symbols(document),
            "textDocument/foldingRange" => symbols::folds(document),
            "textDocument/selectionRange" => symbols::selections(document, &params["positions"]),
            "textDocument/formatting" => actions::formatting(document),
            "textDocument/semanticTokens/full" => tokens::tokens(document),
            "textDocument/inlayHint" => hints::hints(document, self.runs.of(&document.uri)),
            "textDocument/codeLens" => hints::lenses(document),
            "textDocument/codeAction" => actions::actions(document, self.runs.of(&document.uri), params),
            _ => return Err(format!("this server doesn't know {method}")),
        })
    }

    fn respond(&self, id: RequestId, answer: Answer) -> Result<(), Error> {
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(words) => Response::new_err(id, ErrorCode::RequestFailed as i32, words),
        };
        Ok(self.connection.sender.send(Message::Response(response))?)
    }

    fn notification(&mut self, method: &str, params: &Json) -> Result<(), Error> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_string();
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_string();
                self.changed(uri, document["version"].clone(), text)
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let text = changes.and_then(|changes| changes.last()?["text"].as_str());
                match text {
                    Some(text) => self.changed(uri, document["version"].clone(), text.to_string()),
                    None => Ok(()),
                }
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                self.runs.forget(&uri);
                self.publish(&uri, &Json::Null, json!([]))
            }
            "workspace/didChangeWatchedFiles" => self.read_again(""),
            _ => Ok(()),
        }
    }

    /// A text is new: it is read, and with it every open text that might import it.
    fn changed(&mut self, uri: String, version: Json, text: String) -> Result<(), Error> {
        self.read_document(uri.clone(), version, text)?;
        self.read_again(&uri)
    }

    fn read_again(&mut self, but: &str) -> Result<(), Error> {
        let imports = |document: &&Document| document.uri != but && document.text.contains("import");
        let others: Vec<(String, Json, String)> = (self.documents.values().filter(imports))
            .map(|document| (document.uri.clone(), document.version.clone(), document.text.clone()))
            .collect();
        others.into_iter().try_for_each(|(uri, version, text)| self.read_document(uri, version, text))
    }

    fn read_document(&mut self, uri: String, version: Json, text: String) -> Result<(), Error> {
        let open = RefCell::new(&self.documents);
        // What is open in the editor counts, not what is on the disk.
        let read = |path: &str| match open.borrow().values().find(|document| document.path == path) {
            Some(document) => Ok(document.text.clone().into_bytes()),
            None => read_file(path),
        };
        let document = Document::new(&self.session, &uri, version, text, &read);
        self.runs.start(&document);
        let found = diagnostics::diagnostics(&document, None);
        self.publish(&uri, &document.version, found)?;
        self.documents.insert(uri, document);
        Ok(())
    }

    fn publish(&self, uri: &str, version: &Json, diagnostics: Json) -> Result<(), Error> {
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        if version.is_i64() {
            params["version"] = version.clone();
        }
        let note = Notification::new("textDocument/publishDiagnostics".into(), params);
        Ok(self.connection.sender.send(Message::Notification(note))?)
    }

    /// A program has run: its values are shown, and what it claims wrongly.
    fn finished(&mut self, finished: Finished) -> Result<(), Error> {
        if let Some(id) = finished.request {
            return self.respond(id, finished.answer);
        }
        if let Some(document) = self.documents.get(&finished.uri) {
            let found = diagnostics::diagnostics(document, self.runs.of(&finished.uri));
            self.publish(&finished.uri, &document.version, found)?;
        }
        if self.refreshes {
            self.requests += 1;
            let id = RequestId::from(self.requests);
            let request = Request::new(id, "workspace/inlayHint/refresh".into(), Json::Null);
            self.connection.sender.send(Message::Request(request))?;
        }
        Ok(())
    }

    /// A command of a lens: it runs in the worker, and is answered when that has finished.
    fn command(&mut self, id: RequestId, params: &Json) -> Result<(), Error> {
        let command = params["command"].as_str().unwrap_or_default();
        let arguments = &params["arguments"];
        let uri = arguments[0].as_str().unwrap_or_default();
        let name = arguments[1].as_str().unwrap_or_default();
        let Some(document) = self.documents.get(uri) else {
            return self.respond(id, Err("the file isn't open".into()));
        };
        match self.runs.command(id.clone(), document, command, name) {
            Ok(()) => Ok(()),
            Err(words) => self.respond(id, Err(words)),
        }
    }
}

/// A file from the disk; only plain files, and none that is too large to be a program.
pub fn read_file(path: &str) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it isn't a file".into());
    }
    if about.len() > syntax::MAX_BYTES as u64 {
        return Err("it is too large".into());
    }
    std::fs::read(path).map_err(|error| error.to_string())
}
