//! `evert serve` over its socket.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use support::Folder;

struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(folder: &str) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evert"));
        let mut child =
            command.args(["serve", folder, "--port", "0"]).stdout(Stdio::piped()).spawn().expect("evert runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where it is");
        let port = line.split([':', '/']).find_map(|word| word.parse().ok()).expect("a port");
        Server { child, port }
    }

    fn ask(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        // It may have answered, and gone, before all is said.
        let _ = stream.write_all(request);
        let mut answer = vec![];
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn get(&self, path: &str) -> String {
        self.ask(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn files_of_the_folder_are_served_and_no_others() {
    let outside = Folder::new("serve-outside");
    outside.write("secret.txt", "secret");
    let folder = Folder::new("serve");
    folder.write("index.html", "<p>the page</p>");
    folder.write("a b.js", "let a = 1");
    std::os::unix::fs::symlink(outside.path("secret.txt"), folder.path("link.txt")).expect("a link");
    let server = Server::start(&folder.root());
    for path in ["/", "/index.html", "/?a=b"] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html"), "{answer}");
        assert!(answer.ends_with("\r\n\r\n<p>the page</p>"), "{answer}");
    }
    assert!(server.get("/a%20b.js").contains("text/javascript"));
    let head = server.ask(b"HEAD / HTTP/1.1\r\n\r\n");
    assert!(head.contains("Content-Length: 15\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    for path in [
        "/none",
        "/link.txt",
        "/../serve-outside/secret.txt",
        "/%2e%2e/x",
        "/%",
        "/%zz",
        "/%00",
        "//etc/passwd",
        "/%ff",
    ] {
        let answer = server.get(path);
        assert!(answer.starts_with("HTTP/1.1 404") && !answer.contains("secret"), "{path}: {answer}");
    }
    for request in [&b"POST / HTTP/1.1\r\n\r\n"[..], b"\r\n\r\n", b"GET /\r\n\r\n", &[b'x'; 100_000]] {
        let answer = server.ask(request);
        assert!(answer.starts_with("HTTP/1.1 400") || answer.is_empty(), "{answer}");
    }
    assert!(server.get("/").contains("200 OK"));
}

#[test]
fn a_folder_without_a_page_is_wrong_usage() {
    let folder = Folder::new("serve-nothing");
    support::evert(&["serve", &folder.root()]).fails_with(2);
}
