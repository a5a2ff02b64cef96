//! Data in and results out, as people meet them: files, arguments of `main`, and what is said about mistakes in them.

mod support;

use support::{Folder, evert, with_input};

/// Runs a program with these words behind it, and expects it to fail with all of these in what it says.
#[track_caller]
fn fails(folder: &Folder, program: &str, words: &[&str], code: i32, said: &[&str]) {
    folder.write("program.ev", program);
    let ran = evert(&[&["run", &folder.path("program.ev")], words].concat());
    ran.fails_with(code);
    said.iter().for_each(|part| assert!(ran.err.contains(part), "{part}: {}", ran.err));
}

#[track_caller]
fn gives(folder: &Folder, program: &str, words: &[&str], out: &str) {
    folder.write("program.ev", program);
    evert(&[&["run", &folder.path("program.ev")], words].concat()).succeeds_with(out);
}

#[test]
fn mistakes_in_data_are_shown_with_file_row_and_column() {
    let folder = Folder::new("bad-data");
    let import = |file: &str| format!("import \"{file}\" as d\nd\n");
    fails(
        &folder,
        &import("none.csv"),
        &[],
        1,
        &["E0206", "none.csv can't be read", "there is no such file", "program.ev:1:8"],
    );
    folder.write("ragged.csv", "a,b\n1,2\n3\n");
    fails(
        &folder,
        &import("ragged.csv"),
        &[],
        1,
        &["E0701", "row 2 has 1 cell, the header has 2", "ragged.csv:3:1", "imported here"],
    );
    folder.write("cell.csv", "a,price\n1,2.5\n3,much\n");
    fails(
        &folder,
        &import("cell.csv"),
        &[],
        1,
        &["`much` in the column `price` isn't a number", "cell.csv:3:3", "row 2"],
    );
    folder.write("twice.csv", "a,b,a\n1,2,3\n");
    fails(
        &folder,
        &import("twice.csv"),
        &[],
        1,
        &["the header has the column `a` twice", "twice.csv:1:5", "columns 1 and 3"],
    );
    folder.write("latin.csv", b"a,b\n1,caf\xe9\n");
    fails(&folder, &import("latin.csv"), &[], 1, &["isn't UTF-8 text", "line 2", "UTF-8 encoding"]);
    folder.write("short.npy", b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8'");
    fails(&folder, &import("short.npy"), &[], 1, &["short.npy: the file breaks off in its header"]);
    let header = "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }";
    let complex = [b"\x93NUMPY\x01\x00".as_slice(), &[header.len() as u8, 0], header.as_bytes(), &[0; 16]].concat();
    folder.write("complex.npy", complex);
    fails(&folder, &import("complex.npy"), &[], 1, &["an array of complex numbers (`<c16`) can't be read", "astype"]);
    folder.write("bad.json", "{\"a\": [1, 2,]}");
    fails(&folder, &import("bad.json"), &[], 1, &["expected a value after the comma, found `]`", "bad.json:1:13"]);
    folder.write("broken.npz", b"PK\x03\x04");
    fails(&folder, &import("broken.npz"), &[], 1, &["broken.npz: the archive is broken"]);
    folder.write("t.csv", "price\n1\n");
    fails(&folder, "import \"t.csv\" as t\nt.prise\n", &[], 1, &["E0208", "did you mean `t.price`?"]);
}

fn path_of_program(folder: &Folder) -> String {
    folder.path("inside/program.ev")
}

#[test]
fn a_program_reads_only_files_below_its_folder() {
    let folder = Folder::new("outside");
    folder.write("secret.csv", "a\n1\n");
    folder.write("inside/data/t.csv", "a\n1\n");
    folder.write("inside/program.ev", "import \"../secret.csv\" as d\nd\n");
    let path = path_of_program(&folder);
    let ran = evert(&["run", &path]);
    ran.fails_with(1);
    assert!(ran.err.contains("outside of the folder of the program"), "{}", ran.err);
    folder.write("inside/program.ev", "import \"data/../data/t.csv\" as d\nd.a\n");
    evert(&["run", &path]).succeeds_with("[1]\n");
    folder.write("inside/program.ev", format!("import \"{}\" as d\nd\n", folder.path("secret.csv")));
    evert(&["run", &path]).fails_with(1);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("secret.csv"), folder.path("inside/link.csv")).expect("a link");
        folder.write("inside/program.ev", "import \"link.csv\" as d\nd\n");
        evert(&["run", &path]).fails_with(1);
        // What the command line names may lie anywhere.
        folder.write("inside/program.ev", "fn main(d) = d.a\n");
        evert(&["run", &path, "--d", &folder.path("secret.csv")]).succeeds_with("[1]\n");
    }
    // Modules are confined like data, and what isn't there is told from what is only where it may be read.
    folder.write("secret.ev", "let a = 1\n");
    for path in ["../secret.ev", "../none.ev", "/etc/none.csv", "deep/../../secret.ev", &folder.path("secret.ev")] {
        folder.write("inside/program.ev", format!("import \"{path}\" as d\n1\n"));
        let ran = evert(&["run", &path_of_program(&folder)]);
        ran.fails_with(1);
        assert!(ran.err.contains("outside of the folder of the program"), "{path}: {}", ran.err);
    }
    folder.write("inside/lib/a.ev", "import \"../b.ev\"\nlet x = b.y\n");
    folder.write("inside/b.ev", "let y = 7\n");
    folder.write("inside/program.ev", "import \"lib/a.ev\"\na.x\n");
    evert(&["run", &path]).succeeds_with("7\n");
    folder.write("inside/folder.csv/x", "");
    folder.write("inside/program.ev", "import \"folder.csv\" as d\nd\n");
    let ran = evert(&["run", &path]);
    assert!(ran.err.contains("it is a folder"), "{}", ran.err);
}

const FIT: &str = "\
import \"train.csv\" as train
/// Scales a column.
fn main(
  rate = 0.5, // the factor
  steps = 2,
  data = train,
  name = \"x\",
  loud = false,
  layers = [1.5, 2.0],
) = (rate, steps, data.x, name, loud, layers)
";

#[test]
fn the_command_line_is_the_argument_of_main() {
    let folder = Folder::new("main");
    folder.write("train.csv", "x\n1.5\n2.5\n");
    folder.write("other.csv", "x,more\n7,1\n8,2\n");
    gives(&folder, FIT, &[], "(0.5, 2, [1.5, 2.5], \"x\", false, [1.5, 2.0])\n");
    let words = [
        "--rate",
        "3",
        "--steps=7",
        "--data",
        &folder.path("other.csv"),
        "--name",
        "-5",
        "--loud",
        "--layers",
        "[3, 4]",
    ];
    gives(&folder, FIT, &words, "(3.0, 7, [7.0, 8.0], \"-5\", true, [3.0, 4.0])\n");
    gives(&folder, FIT, &["1e-3", "9", "--no-loud"], "(0.001, 9, [1.5, 2.5], \"x\", false, [1.5, 2.0])\n");
    folder.write("args.json", "{\"rate\": 2, \"loud\": true, \"layers\": [1, 2, 3]}");
    let words = ["--args", &folder.path("args.json"), "--rate", "4"];
    gives(&folder, FIT, &words, "(4.0, 2, [1.5, 2.5], \"x\", true, [1.0, 2.0, 3.0])\n");
    let path = folder.path("program.ev");
    let piped = with_input(&["run", &path, "--data", "-", "--engine", "reference"], b"x\n4.5\n");
    piped.succeeds_with("(0.5, 2, [4.5], \"x\", false, [1.5, 2.0])\n");
    with_input(&["run", &path, "--data", "-"], b" {\"x\": [1, 2]}")
        .succeeds_with("(0.5, 2, [1.0, 2.0], \"x\", false, [1.5, 2.0])\n");
    gives(&folder, "fn main(a, b, c) = (a, b, c)\n", &["1", "--c", "true", "x y"], "(1, \"x y\", true)\n");
    gives(&folder, "fn main({rate, n}) = rate * n\n", &["--n", "3", "--rate", "0.5"], "1.5\n");
    gives(&folder, "fn main(n) = n + 1\n", &["41"], "42\n");
    gives(&folder, "fn main(engine = \"x\") = engine\n", &["--engine", "steam", "--color", "never"], "\"steam\"\n");
}

#[test]
fn help_is_made_from_main() {
    let folder = Folder::new("help");
    folder.write("train.csv", "x\n1.5\n");
    folder.write("program.ev", FIT);
    let ran = evert(&["run", &folder.path("program.ev"), "--help"]);
    ran.fails_with(0);
    for part in
        ["Scales a column.\n", "--rate REAL", "the factor (default 0.5)", "--data FILE", "[--loud]", "(default \"x\")"]
    {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

#[test]
fn what_main_wants_and_does_not_get_is_said() {
    let folder = Folder::new("wants");
    let main = "fn main(rate, steps = 10) = rate * steps\n";
    fails(
        &folder,
        main,
        &[],
        1,
        &["E0702", "`main` wants `rate`, which wasn't given", "program.ev:1:9", "--rate VALUE"],
    );
    fails(
        &folder,
        main,
        &["--rate", "1", "--steps", "many"],
        1,
        &["expected an int for `--steps`, found `many`", "the default is 10"],
    );
    fails(&folder, main, &["1", "2", "3"], 1, &["no parameter for `3`"]);
    fails(&folder, main, &["--raet", "1"], 2, &["did you mean `--rate`?"]);
    fails(&folder, main, &["--rate"], 2, &["wants a value"]);
    fails(&folder, main, &["--rate", "none.csv"], 1, &["the data none.csv can't be read"]);
    folder.write("args.json", "{\"stpes\": 2}");
    fails(&folder, main, &["--args", &folder.path("args.json")], 1, &["no parameter `stpes`"]);
}

#[test]
fn results_are_written_with_every_digit_and_read_back() {
    let folder = Folder::new("results");
    let result = "{a: [1/3, nan, 1e300], n: [1, 2, 3], t: [\"x\", \"y, z\", \"\"], ok: [true, false, true]}\n";
    for ending in ["json", "csv", "tsv", "npz"] {
        let file = folder.path(&format!("out.{ending}"));
        folder.write("program.ev", format!("1\nfn main() = {result}"));
        let ran = evert(&["run", &folder.path("program.ev"), "--output", &file]);
        ran.fails_with(0);
        gives(
            &folder,
            &format!("import \"out.{ending}\" as d\nd\n"),
            &[],
            ran.out.lines().nth(1).map(|line| line.to_string() + "\n").as_deref().expect("two lines"),
        );
    }
    gives(&folder, "[[0.1, 2.0], [3.0, 4.0]]\n", &["--output", &folder.path("m.npy")], "[[0.1, 2.0], [3.0, 4.0]]\n");
    gives(&folder, "import \"m.npy\"\nm\n", &[], "[[0.1, 2.0], [3.0, 4.0]]\n");
    gives(
        &folder,
        "(1.0, [2, 3], {a: ()}, Cons(1, Nil), nan)\n",
        &["--format", "json"],
        "[1.0, [2, 3], {\"a\": null}, [1], NaN]\n",
    );
    fails(&folder, "print(\"p\")\n1\n", &["--output", "x.txt"], 2, &["ends in .csv, .tsv, .json, .npy or .npz"]);
    fails(&folder, "x => x\n", &["--output", &folder.path("x.json")], 1, &["can't be written as JSON"]);
    fails(&folder, "()\n", &["--output", &folder.path("x.json")], 1, &["no result"]);
    folder.write("program.ev", "print(\"p\")\n1\n");
    let ran = evert(&["run", &folder.path("program.ev"), "--format", "json"]);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("1\n", "p\n"));
}

#[test]
fn nothing_is_left_out_of_what_goes_into_a_pipe() {
    let folder = Folder::new("whole");
    let all = |n: usize| format!("[{}]\n", (0..n).map(|i| i.to_string()).collect::<Vec<_>>().join(", "));
    gives(&folder, "iota(3000)\nprint(iota(2000))\n", &[], &(all(3000) + &all(2000)));
    let pretty = |program: &str| evert(&["eval", "--format", "pretty", program]).out;
    assert_eq!(pretty("iota(3000)"), "[0, 1, 2, …, 2997, 2998, 2999] (shape [3000])\n");
    assert_eq!(pretty("[[1.5, 2.0], [10.0, 3.25]]"), "[[ 1.5,  2.0],\n [10.0, 3.25]]\n");
}
