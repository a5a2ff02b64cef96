//! `cargo xtask page`: the playground and the manual as a folder that any web server serves, in `target/page`; `cargo xtask page test` uses it in a real browser.

use std::fmt::Write;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::python::{cargo, outcome, root, run};

const TARGET: &str = "wasm32-unknown-unknown";
/// The pages of the manual that its head names, in this order.
const PAGES: &[&str] = &[
    "tour",
    "cookbook",
    "data",
    "training",
    "plots",
    "speed",
    "nan",
    "custom-rules",
    "from-jax",
    "paper",
    "reference",
    "python",
    "editors",
    "testing",
    "benchmarks",
];

pub fn page() -> ExitCode {
    outcome(|| {
        let (page, size) = make()?;
        eprintln!("evert.wasm: {} kB\nthe page is in {}; `evert serve` serves it", size / 1000, page.display());
        Ok(())
    })
}

/// The browsers that the page is tried in.
const BROWSERS: [(&str, &[&str]); 2] =
    [("chromium", &["chromium", "chromium-browser", "google-chrome"]), ("firefox", &["firefox", "firefox-esr"])];

/// What drives browsers: the last release that speaks with the Firefox of Debian 12 as it is published.
const DRIVER: &str = "playwright-core@1.54.2";

/// The module in node, and the page in the machine's browsers, through npm's `playwright-core`. `BROWSER` names a Chromium. Screenshots are put beside the page.
pub fn test() -> ExitCode {
    outcome(|| {
        browser()?;
        let (page, _) = make()?;
        let tools = page.with_file_name("page-tests");
        install(&tools, DRIVER)?;
        run(cargo().args(["build", "--quiet", "--package", "evert-cli"]).current_dir(root()))?;
        let tests = root().join("crates/web/tests");
        let hostile =
            ["examples/tour.ev", "suite/language/plots.ev", "suite/hostile/closures.ev"].map(|file| root().join(file));
        run(Command::new("node").arg(tests.join("hostile.mjs")).arg(page.join(BUILDS[0].0)).args(hostile))?;
        for (kind, names) in BROWSERS {
            let named = std::env::var_os("BROWSER").filter(|_| kind == "chromium").map(PathBuf::from);
            let found = named.into_iter().chain(names.iter().map(PathBuf::from)).find_map(|name| on_path(&name));
            let Some(browser) = found else {
                eprintln!(
                    "== skipped: {kind}, which isn't on this machine (Debian: apt-get install {})",
                    names[names.len() - 1]
                );
                continue;
            };
            eprintln!("== the page in {kind}");
            served(&page, |address| {
                let mut script = Command::new("node");
                run(script.arg(tests.join("page.mjs")).arg(address).arg(kind).arg(browser).arg(&tools).arg(&tools))
            })?;
        }
        Ok(())
    })
}

/// Does something while `evert serve` serves a folder, whose address it is told.
fn served(page: &Path, work: impl FnOnce(&str) -> Result<(), String>) -> Result<(), String> {
    let evert = page.with_file_name("debug").join("evert");
    let mut serve = Command::new(evert);
    serve.arg("serve").arg(page).args(["--port", "0"]).stdout(Stdio::piped());
    let mut server = serve.spawn().map_err(|error| error.to_string())?;
    let mut line = String::new();
    let said = server.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
    let address = line.split_whitespace().next().unwrap_or_default().trim_end_matches('/');
    let result = match said {
        Some(Ok(1..)) => work(address),
        _ => Err("evert serve doesn't start".into()),
    };
    let _ = server.kill().and_then(|()| server.wait());
    result
}

/// A package of npm in a folder, in the version that it names.
fn install(folder: &Path, package: &str) -> Result<(), String> {
    let stamp = folder.join("package");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == package) {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    run(Command::new("npm").args(["install", "--silent", "--prefix"]).arg(folder).arg(package))?;
    fs::write(&stamp, package).map_err(|error| error.to_string())
}

/// The machine's Chromium, or what `BROWSER` names.
pub fn browser() -> Result<PathBuf, String> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
    let named = std::env::var_os("BROWSER").map(PathBuf::from);
    named.into_iter().chain(browsers).find_map(|name| on_path(&name)).ok_or_else(|| {
        "there is no Chromium on this machine; install it (Debian: apt-get install chromium), or name one in BROWSER"
            .to_string()
    })
}

/// A program: where it is, or where the search path has it.
fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    if name.is_file() { Some(name.into()) } else { found }
}

/// The builds of the module: that for all browsers, and that for those that have an instruction for fma. The page tries what it may take.
const BUILDS: [(&str, &str); 2] = [("evert.wasm", ""), ("evert-fused.wasm", "-C target-feature=+relaxed-simd")];

/// The folder, and the size of the module in it.
fn make() -> Result<(PathBuf, u64), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let has_library = library_sources().is_some_and(|folder| folder.is_dir());
    if !has_library {
        eprintln!("the module is larger than it could be: `rustup component add rust-src` brings what it takes");
    }
    let mut modules = vec![];
    for (name, flags) in BUILDS {
        // Builds with other flags would undo each other in one folder.
        let folder = target.join("page-builds").join(name);
        let mut build = cargo();
        build.args(["build", "--quiet", "--profile", "page", "--package", "evert-web", "--target", TARGET]);
        build.arg("--target-dir").arg(&folder);
        match has_library {
            true => build.args(WHOLE).env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", format!("{flags} {SILENT}")),
            false => build.env("RUSTFLAGS", flags),
        };
        run(build.current_dir(root()))
            .map_err(|why| format!("{why}\nif the target isn't installed: rustup target add {TARGET}"))?;
        modules.push((name, folder.join(TARGET).join("page/web.wasm")));
    }
    let page = target.join("page");
    let size = assemble(&page, &modules).map_err(|error| error.to_string())?;
    Ok((page, size))
}

/// The standard library is built with the module, for its size. Rust has these options, but doesn't promise that they stay.
const WHOLE: [&str; 2] = ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];

/// A panic ends the module, which nobody hears the last words of: neither they nor their places are part of it.
const SILENT: &str = "-Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none";

/// Where rustup puts the text of the standard library.
fn library_sources() -> Option<PathBuf> {
    let asked = Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()).output().ok()?;
    let sysroot = String::from_utf8(asked.stdout).ok()?;
    Some(Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library"))
}

/// Puts everything into the folder; says how large the module is.
fn assemble(page: &Path, modules: &[(&str, PathBuf)]) -> std::io::Result<u64> {
    let _ = fs::remove_dir_all(page);
    copy(&root().join("crates/web/page"), page)?;
    copy(&root().join("docs"), &page.join("docs"))?;
    copy(&root().join("examples"), &page.join("examples"))?;
    for (name, module) in modules {
        fs::copy(module, page.join(name))?;
    }
    fs::write(page.join("gallery.json"), gallery()?)?;
    fs::write(page.join("pages.json"), pages()?)?;
    Ok(fs::metadata(page.join(BUILDS[0].0))?.len())
}

/// The programs of `examples/`, the tour first.
fn gallery() -> std::io::Result<String> {
    let mut files: Vec<PathBuf> = fs::read_dir(root().join("examples"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "ev"));
    files.sort_by_key(|file| (!file.ends_with("tour.ev"), file.clone()));
    let mut items = vec![];
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().replace('_', " ");
        items.push(format!("{{\"title\": {}, \"text\": {}}}", quoted(&name), quoted(&fs::read_to_string(&file)?)));
    }
    Ok(format!("[{}]", items.join(",\n")))
}

fn pages() -> std::io::Result<String> {
    let mut items = vec![];
    for name in PAGES {
        let text = fs::read_to_string(root().join(format!("docs/{name}.md")))?;
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
        let title = title.split(':').next().unwrap_or(title);
        items.push(format!("{{\"name\": {}, \"title\": {}}}", quoted(name), quoted(title)));
    }
    Ok(format!("[{}]", items.join(",\n")))
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => _ = write!(out, "\\u{:04x}", control as u32),
            other => out.push(other),
        }
    }
    out + "\""
}

/// A folder with all that is in it.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}
