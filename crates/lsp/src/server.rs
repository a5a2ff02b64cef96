//! The loop: notifications change documents, requests are answered from them.
//!
//! A text that has changed is read when nothing else waits, or when a request asks about it: keystrokes that come faster than they can be read cost
//! one reading. What goes wrong in us for one text or one request is an answer, and the server goes on.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use evert::{Folders, Session};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde_json::{Value as Json, json};

use crate::answers::{Audience, Telling};
use crate::disk::Disk;
use crate::document::{Document, edited};
use crate::runs::{Event, Finished, Runner, Runs};
use crate::{
    Error, actions, completion, diagnostics, hints, hover, navigation, protocol, rename, symbols, tokens, workspace,
};

/// What this server can do, for an editor that introduced itself with these parameters.
pub fn capabilities(_: &Json) -> Json {
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 2, "save": false},
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
    /// Texts that nobody has read yet, in the order in which they changed: address, version, text.
    unread: Vec<(String, Json, String)>,
    disk: Disk,
    /// The folders of the workspace.
    folders: Vec<PathBuf>,
    runs: Runs,
    audience: Audience,
    /// What the editor takes requests to ask for anew.
    refreshes: Vec<&'static str>,
    requests: i32,
}

/// What was found out about one request.
type Answer = Result<Json, String>;

impl<'a> Server<'a> {
    pub fn new(connection: &'a Connection, runner: Runner, params: &Json) -> Server<'a> {
        let refreshes = [("inlayHint", "workspace/inlayHint/refresh"), ("codeLens", "workspace/codeLens/refresh")];
        let can = |name: &str| params["capabilities"]["workspace"][name]["refreshSupport"] == true;
        let refreshes = refreshes.into_iter().filter(|(name, _)| can(name)).map(|(_, method)| method).collect();
        Server {
            connection,
            session: Session::offline(),
            documents: HashMap::new(),
            unread: vec![],
            disk: Disk::default(),
            runs: Runs::new(runner, workspace::folders(params)),
            folders: workspace::folders(params),
            audience: Audience::new(params),
            refreshes,
            requests: 0,
        }
    }

    pub fn run(&mut self) -> Result<(), Error> {
        loop {
            if self.connection.receiver.is_empty() {
                self.read_unread()?;
            }
            match self.runs.next(&self.connection.receiver) {
                Event::Message(Message::Request(request)) if self.connection.handle_shutdown(&request)? => {
                    return Ok(());
                }
                Event::Message(Message::Request(request)) => self.request(request)?,
                Event::Message(Message::Notification(note)) => self.notification(&note.method, &note.params)?,
                Event::Message(Message::Response(_)) => {}
                Event::Finished(finished) => self.finished(finished)?,
                Event::Progress(uri) => self.progress(&uri)?,
                Event::Idle => self.look_at_disk()?,
                Event::Closed => return Ok(()),
            }
        }
    }

    fn request(&mut self, request: Request) -> Result<(), Error> {
        self.read_unread()?;
        let Request { id, method, params } = request;
        if method == "workspace/executeCommand" {
            return self.command(id, &params);
        }
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let Some(document) = self.documents.get(uri) else { return self.respond(id, Ok(Json::Null)) };
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, document, &params)));
        let broken = || Err(format!("{method}: a bug in Evert's language server, not in the program"));
        self.respond(id, answer.unwrap_or_else(|_| broken()))
    }

    fn answer(&self, method: &str, document: &Document, params: &Json) -> Answer {
        let offset = protocol::offset(&document.lines, &params["position"]);
        let run = self.runs.of(&document.uri);
        Ok(match method {
            "textDocument/hover" => hover::hover(document, run, offset),
            "textDocument/definition" => navigation::definition(document, offset),
            "textDocument/references" => {
                let with_definition = params["context"]["includeDeclaration"] != false;
                self.with_others(document, offset, |all| navigation::references(all, with_definition))
            }
            "textDocument/documentHighlight" => navigation::highlights(document, offset),
            "textDocument/prepareRename" => rename::prepare(document, offset)?,
            "textDocument/rename" => {
                let new = params["newName"].as_str().unwrap_or_default();
                rename::check(document, offset, new)?;
                self.with_others(document, offset, |all| rename::rename(all, new))?
            }
            "textDocument/completion" => completion::completion(&self.session, document, offset),
            "textDocument/signatureHelp" => completion::signature(document, offset),
            "textDocument/documentSymbol" => symbols::symbols(document),
            "textDocument/foldingRange" => symbols::folds(document),
            "textDocument/selectionRange" => symbols::selections(document, &params["positions"]),
            "textDocument/formatting" => actions::formatting(document),
            "textDocument/semanticTokens/full" => tokens::tokens(document),
            "textDocument/inlayHint" => hints::hints(document, run, params),
            "textDocument/codeLens" => hints::lenses(document, run),
            "textDocument/codeAction" => actions::actions(document, run, params),
            _ => return Err(format!("this server doesn't know {method}")),
        })
    }

    /// What stands at an offset, with all documents that mention it: those that are open, and those that lie in the workspace.
    fn with_others<T>(&self, document: &Document, offset: u32, work: impl FnOnce(&navigation::Mentions) -> T) -> T {
        let Some((target, home)) = navigation::target(document, offset) else {
            return work(&navigation::Mentions::of_one(document, offset));
        };
        let mut read: Vec<Document> = vec![];
        if workspace::is_visible_elsewhere(&target) && !home.path.starts_with("library/") {
            let mut paths = workspace::files_that_mention(&self.folders, target.name.as_str());
            paths.push(home.path.clone());
            paths.dedup();
            let is_open = |path: &String| self.documents.values().any(|open| open.path == *path);
            for path in paths.into_iter().filter(|path| !is_open(path)) {
                if let Ok(text) =
                    crate::disk::read(path.as_ref()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                {
                    let open = |import: &str| self.read_import(&path, import);
                    read.push(Document::new(&self.session, &protocol::uri_of(&path), Json::Null, text, &open));
                }
            }
        }
        let mut open: Vec<&Document> = self.documents.values().collect();
        open.sort_by_key(|open| (open.uri != document.uri, open.uri.clone()));
        let documents: Vec<&Document> = open.into_iter().chain(&read).collect();
        work(&navigation::Mentions::of_all(&documents, target, &home))
    }

    /// A file that a program imports: what is open in the editor counts, not what is on the disk.
    fn read_import(&self, program: &str, path: &str) -> Result<Vec<u8>, String> {
        match self.documents.values().find(|document| document.path == path) {
            Some(document) => Ok(document.text.clone().into_bytes()),
            None => self.disk.read(&Folders::and(Some(program), &self.folders).find(path)?),
        }
    }

    fn respond(&self, id: RequestId, answer: Answer) -> Result<(), Error> {
        let response = match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(words) => Response::new_err(id, ErrorCode::RequestFailed as i32, words),
        };
        Ok(self.connection.sender.send(Message::Response(response))?)
    }

    fn notify(&self, method: &str, params: Json) -> Result<(), Error> {
        let note = Notification::new(method.into(), params);
        Ok(self.connection.sender.send(Message::Notification(note))?)
    }

    fn ask(&mut self, method: &str, params: Json) -> Result<(), Error> {
        self.requests += 1;
        let request = Request::new(RequestId::from(self.requests), method.into(), params);
        Ok(self.connection.sender.send(Message::Request(request))?)
    }

    fn notification(&mut self, method: &str, params: &Json) -> Result<(), Error> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_string();
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_string();
                self.changed(uri, document["version"].clone(), text);
            }
            "textDocument/didChange" => {
                let Some(mut text) = self.text_of(&uri) else { return Ok(()) };
                for change in params["contentChanges"].as_array().into_iter().flatten() {
                    text = edited(&text, change);
                }
                self.changed(uri, document["version"].clone(), text);
            }
            "textDocument/didClose" => {
                self.unread.retain(|(other, ..)| *other != uri);
                let closed = self.documents.remove(&uri);
                self.runs.forget(&uri);
                self.publish(&uri, &Json::Null, json!([]))?;
                // Now the file on the disk counts.
                if let Some(closed) = closed {
                    self.read_again(&HashSet::from([closed.path]))?;
                }
            }
            "workspace/didChangeWatchedFiles" => self.look_at_disk()?,
            "$/cancelRequest" => {
                let id = match &params["id"] {
                    Json::String(id) => RequestId::from(id.clone()),
                    id => RequestId::from(id.as_i64().unwrap_or_default() as i32),
                };
                self.runs.cancel(&id);
            }
            _ => {}
        }
        Ok(())
    }

    /// An open text as it is now.
    fn text_of(&self, uri: &str) -> Option<String> {
        let unread = self.unread.iter().find(|(other, ..)| other == uri).map(|(.., text)| text);
        unread.or_else(|| self.documents.get(uri).map(|document| &document.text)).cloned()
    }

    fn changed(&mut self, uri: String, version: Json, text: String) {
        self.unread.retain(|(other, ..)| *other != uri);
        self.unread.push((uri, version, text));
    }

    /// Reads what is new, and after it every open text that imports some of it.
    fn read_unread(&mut self) -> Result<(), Error> {
        let mut paths = HashSet::new();
        for (uri, version, text) in std::mem::take(&mut self.unread) {
            paths.insert(protocol::path_of(&uri));
            self.read_document(uri, version, text)?;
        }
        if paths.is_empty() { Ok(()) } else { self.read_again(&paths) }
    }

    /// Reads the open texts again that import some files, directly or not.
    fn read_again(&mut self, paths: &HashSet<String>) -> Result<(), Error> {
        let imports = |document: &&Document| document.imports.iter().any(|path| paths.contains(path));
        let mut affected: Vec<(String, Json, String)> = (self.documents.values().filter(imports))
            .map(|document| (document.uri.clone(), document.version.clone(), document.text.clone()))
            .collect();
        affected.sort_by(|(left, ..), (right, ..)| left.cmp(right));
        affected.into_iter().try_for_each(|(uri, version, text)| self.read_document(uri, version, text))
    }

    /// Files may have changed on the disk while nobody typed.
    fn look_at_disk(&mut self) -> Result<(), Error> {
        if self.disk.is_empty() || !self.disk.has_changed() {
            return Ok(());
        }
        self.disk.forget();
        let paths = self.documents.values().flat_map(|document| document.imports.clone()).collect();
        self.read_again(&paths)
    }

    fn read_document(&mut self, uri: String, version: Json, text: String) -> Result<(), Error> {
        let program = protocol::path_of(&uri);
        let document = Document::new(&self.session, &uri, version, text, &|path| self.read_import(&program, path));
        let files = self.files_for(&document);
        self.runs.start(&document, files);
        let found = diagnostics::diagnostics(&document, None);
        self.publish(&uri, &document.version, found)?;
        self.documents.insert(uri, document);
        Ok(())
    }

    /// The open texts that a program imports, by path.
    fn files_for(&self, document: &Document) -> Json {
        let open = self.documents.values().filter(|open| document.imports.contains(&open.path));
        open.map(|open| (open.path.clone(), Json::from(open.text.as_str()))).collect::<serde_json::Map<_, _>>().into()
    }

    fn publish(&self, uri: &str, version: &Json, diagnostics: Json) -> Result<(), Error> {
        let mut params = json!({"uri": uri, "diagnostics": diagnostics});
        if version.is_i64() {
            params["version"] = version.clone();
        }
        self.notify("textDocument/publishDiagnostics", params)
    }

    /// A program has run, or a part of it: its values are shown, and what it claims wrongly.
    fn progress(&mut self, uri: &str) -> Result<(), Error> {
        if let Some(document) = self.documents.get(uri) {
            let found = diagnostics::diagnostics(document, self.runs.of(uri));
            self.publish(uri, &document.version, found)?;
        }
        self.refreshes.clone().into_iter().try_for_each(|method| self.ask(method, Json::Null))
    }

    fn finished(&mut self, finished: Finished) -> Result<(), Error> {
        let Finished { request, asked, answer } = finished;
        match self.audience.tell(&asked, &answer) {
            Some(Telling::Notification(method, params)) => self.notify(method, params)?,
            Some(Telling::Request(method, params)) => self.ask(method, params)?,
            None => {}
        }
        self.respond(request, answer)
    }

    /// A command of a lens: it runs in the worker, and is answered when that has finished.
    fn command(&mut self, id: RequestId, params: &Json) -> Result<(), Error> {
        let uri = params["arguments"][0].as_str().unwrap_or_default();
        let Some(document) = self.documents.get(uri) else {
            return self.respond(id, Err("the file isn't open".into()));
        };
        match self.runs.command(id.clone(), document, self.files_for(document), params) {
            Ok(()) => Ok(()),
            Err(words) => self.respond(id, Err(words)),
        }
    }
}
