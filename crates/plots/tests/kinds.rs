//! One plot of every kind, drawn: the pictures are the files in `golden/`. `EVERT_BLESS=1` writes them anew.

mod support;

use plots::{Ansi, Page, Screen};
use support::{Kind, kinds};

#[test]
fn every_kind_is_drawn_as_before() {
    let screen = Screen { columns: 80, rows: 24, ansi: Ansi::None };
    let coloured = Screen { ansi: Ansi::True, ..screen };
    let mut wrong = vec![];
    for Kind { name, plot } in kinds() {
        let files = [
            (format!("{name}.svg"), plots::svg(&plot, Page::File)),
            (format!("{name}.txt"), plots::terminal(&plot, screen)),
            (format!("{name}.ansi"), plots::terminal(&plot, coloured)),
        ];
        wrong.extend(files.into_iter().filter(|(file, text)| !support::is_golden(file, text)).map(|(file, _)| file));
    }
    assert!(wrong.is_empty(), "not as in crates/plots/tests/golden (EVERT_BLESS=1 writes them): {wrong:?}");
}
