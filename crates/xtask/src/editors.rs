//! `cargo xtask editors`: the extension for VS Code as a package, `target/editors/evert.vsix`; `cargo xtask editors test` uses Neovim and VS Code on the real
//! server. What they need is installed into `target/editors`, once; an editor that can't be installed is skipped, and that is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use crate::page::browser;
use crate::python::{cargo, outcome, root, run};

pub fn package() -> ExitCode {
    outcome(|| {
        let package = make()?;
        eprintln!(
            "{}: install it with `code --install-extension`, or with \"Install from VSIX\" in VS Code",
            package.display()
        );
        Ok(())
    })
}

/// `--required`: an editor that is skipped is a failure.
pub fn test(arguments: &[String]) -> ExitCode {
    let required = arguments.iter().any(|word| word == "--required");
    outcome(|| {
        run(cargo().args(["build", "--quiet", "--package", "evert-cli"]).current_dir(root()))?;
        let evert = target().join("debug/evert");
        let mut skipped = vec![];
        for (name, try_it) in [("Neovim", neovim as fn(&Path) -> Tried), ("VS Code", vscode)] {
            eprintln!("== {name} on the real server");
            match try_it(&evert) {
                Tried::Holds => {}
                Tried::Fails(why) => return Err(format!("{name}: {why}")),
                Tried::Skipped(why) => skipped.push(format!("{name} is skipped: {why}")),
            }
        }
        skipped.iter().for_each(|words| eprintln!("{words}"));
        if required && !skipped.is_empty() { Err("not all editors were there".into()) } else { Ok(()) }
    })
}

/// What `cargo xtask test` does: nothing is installed, and what isn't there is skipped.
pub fn test_what_is_there() -> ExitCode {
    let installed = ["neovim/nvim", "vscode/complete"].iter().all(|file| folder().join(file).is_file());
    if installed {
        return test(&[]);
    }
    eprintln!(
        "skipped: Neovim and VS Code on the real server; `cargo xtask editors test` installs what they need, and runs them"
    );
    ExitCode::SUCCESS
}

enum Tried {
    Holds,
    Fails(String),
    /// What it takes isn't there.
    Skipped(String),
}

impl From<Result<(), String>> for Tried {
    fn from(result: Result<(), String>) -> Tried {
        result.map_or_else(Tried::Fails, |()| Tried::Holds)
    }
}

fn neovim(evert: &Path) -> Tried {
    let words = match installed("install_neovim.sh") {
        Ok(words) => words,
        Err(why) => return Tried::Skipped(why),
    };
    let Some(nvim) = words.first() else { return Tried::Skipped("there is none".into()) };
    let folder = folder().join("neovim-files");
    let prepared = (|| {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        fs::write(folder.join("settings.lua"), settings()?).map_err(|error| error.to_string())
    })();
    if let Err(why) = prepared {
        return Tried::Fails(why);
    }
    let script = tests().join("neovim.lua");
    let mut command = Command::new(nvim);
    command.args(["--headless", "-u", "NONE", "-l"]).arg(script).arg(evert).arg(&folder).env("XDG_STATE_HOME", &folder);
    run(&mut command).into()
}

/// The settings that the manual gives for Neovim.
fn settings() -> Result<String, String> {
    let page = fs::read_to_string(root().join("docs/editors.md")).map_err(|error| error.to_string())?;
    let code = page.split("```lua\n").nth(1).and_then(|rest| rest.split("```").next());
    code.map(String::from).ok_or_else(|| "docs/editors.md has no settings for Neovim".to_string())
}

fn vscode(evert: &Path) -> Tried {
    let browser = match browser() {
        Ok(browser) => browser,
        Err(why) => return Tried::Skipped(why),
    };
    let words = match installed("install_vscode.sh") {
        Ok(words) => words,
        Err(why) => return Tried::Skipped(why),
    };
    let [node, server] = &words[..] else { return Tried::Fails("install_vscode.sh says too little".into()) };
    let package = match make() {
        Ok(package) => package,
        Err(why) => return Tried::Skipped(format!("the extension can't be packaged: {why}")),
    };
    let mut command = Command::new(node);
    command.arg(tests().join("vscode.mjs")).arg(evert).arg(browser).arg(server).arg(package);
    run(command.arg(folder().join("vscode-files"))).into()
}

/// Runs a script that installs an editor; what it prints, line by line.
fn installed(script: &str) -> Result<Vec<String>, String> {
    let out = Command::new("sh")
        .arg(tests().join(script))
        .arg(folder())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let out = out.map_err(|error| error.to_string())?;
    if !out.status.success() {
        return Err(format!("{script} didn't succeed; what it says is above"));
    }
    Ok(String::from_utf8_lossy(&out.stdout).lines().map(String::from).collect())
}

/// Builds the extension and packages it.
fn make() -> Result<PathBuf, String> {
    let (extension, package) = (root().join("editors/vscode"), folder().join("evert.vsix"));
    let text = |error: std::io::Error| error.to_string();
    fs::create_dir_all(folder()).map_err(text)?;
    if !extension.join("node_modules").is_dir() {
        let mut install = Command::new("npm");
        install.args(["ci", "--silent", "--no-audit", "--no-fund"]).current_dir(&extension).stdin(Stdio::null());
        run(&mut install)?;
    }
    run(Command::new("npm").args(["run", "--silent", "build"]).current_dir(&extension))?;
    fs::copy(root().join("LICENSE-MIT"), extension.join("LICENSE")).map_err(text)?;
    let vsce = extension.join("node_modules/.bin/vsce");
    let arguments = ["package", "--no-dependencies", "--allow-missing-repository", "--out"];
    // It asks questions if somebody could answer.
    let packaged = run(Command::new(vsce)
        .args(arguments)
        .arg(&package)
        .current_dir(&extension)
        .stdin(Stdio::null())
        .stdout(Stdio::null()));
    fs::remove_file(extension.join("LICENSE")).map_err(text)?;
    packaged.map(|()| package)
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn folder() -> PathBuf {
    target().join("editors")
}

fn tests() -> PathBuf {
    root().join("editors/tests")
}
