//! `evert serve`: a folder of files, such as the page of `cargo xtask page`, for the browsers of this machine.
//!
//! In: GET and HEAD of paths below the folder. Out: the files. It listens on the loopback address alone, answers one request for each connection,
//! and gives nothing that lies outside of the folder, also not where links lead.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Status;
use crate::terminal::Terminal;

/// Longer requests are refused.
const MOST_BYTES: u64 = 16 << 10;
/// How long a browser may take to ask, or to listen.
const PATIENCE: Duration = Duration::from_secs(10);
/// Where `cargo xtask page` puts the page.
pub const FOLDER: &str = "target/page";

pub fn serve(terminal: &Terminal, folder: &str, port: u16) -> Status {
    let root = match std::fs::canonicalize(folder) {
        Ok(root) if root.join("index.html").is_file() => root,
        _ => {
            terminal.complain(&format!("there is no page in {folder}; `cargo xtask page` makes one in {FOLDER}"));
            return Status::WrongUsage;
        }
    };
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
        Ok(listener) => listener,
        Err(error) => {
            terminal.complain(&format!("can't listen on port {port}: {error}; `--port 0` takes any that is free"));
            return Status::Failed;
        }
    };
    let port = listener.local_addr().map_or(port, |address| address.port());
    terminal.line(&format!("http://localhost:{port}/ (Ctrl-C ends)"));
    for stream in listener.incoming().flatten() {
        let root = root.clone();
        // A browser that goes away is no concern of ours.
        std::thread::spawn(move || drop(answer(&root, stream)));
    }
    Status::Fine
}

fn answer(root: &Path, mut stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new((&stream).take(MOST_BYTES));
    let mut request = String::new();
    lines.read_line(&mut request)?;
    let mut line = String::new();
    while lines.read_line(&mut line)? > 2 {
        line.clear();
    }
    let words: Vec<&str> = request.split(' ').collect();
    match words[..] {
        ["GET" | "HEAD", path, _] => match find(root, path) {
            Some((path, file)) => {
                let length = file.metadata()?.len();
                head(&mut stream, "200 OK", kind(&path), length)?;
                if words[0] == "GET" {
                    io::copy(&mut file.take(length), &mut stream)?;
                }
                Ok(())
            }
            None => refuse(&mut stream, "404 Not Found", "there is no such file"),
        },
        _ => refuse(&mut stream, "400 Bad Request", "only GET and HEAD are understood"),
    }
}

fn refuse(stream: &mut TcpStream, status: &str, words: &str) -> io::Result<()> {
    head(stream, status, "text/plain; charset=utf-8", words.len() as u64)?;
    stream.write_all(words.as_bytes())
}

fn head(stream: &mut TcpStream, status: &str, kind: &str, length: u64) -> io::Result<()> {
    let lines = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n\
         Connection: close\r\n\r\n"
    );
    stream.write_all(lines.as_bytes())
}

/// The file that a path of a request names.
fn find(root: &Path, path: &str) -> Option<(PathBuf, File)> {
    let path = decoded(path.split(['?', '#']).next()?)?;
    let path = root.join(path.trim_start_matches('/'));
    let path = if path.is_dir() { path.join("index.html") } else { path };
    let real = std::fs::canonicalize(path).ok()?;
    if !real.starts_with(root) || !real.is_file() {
        return None;
    }
    File::open(&real).ok().map(|file| (real, file))
}

/// Without `%20` and its like.
fn decoded(path: &str) -> Option<String> {
    let mut bytes = vec![];
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, tail) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = tail;
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "text/plain; charset=utf-8",
    }
}
