//! How far a long step is, on a terminal: one line on standard error, which is gone when the step ends or something else is written.
//!
//! In: what the engines say of the outermost loop ([`base::progress`]). Out: `grad(loss)(start)  340 of 1000  34 %  52/s  13 s left`. Where standard error is
//! no terminal nobody watches, and engines say nothing.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use base::progress::Progress;

use crate::curves;

/// A step that takes no longer says nothing.
const SILENT: Duration = Duration::from_millis(1000);
/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(200);
/// Characters of a step's text that are shown, if there is room.
const LONGEST: usize = 36;

/// What is known of the step that runs.
struct Step {
    text: String,
    began: Instant,
    /// The loop that runs: its number, how far it was when it was seen first, and when that was.
    seen: Option<(u64, u64, Instant)>,
    columns: usize,
}

/// The step that runs, if there is one, and whether the line is there.
static STATE: Mutex<(Option<Step>, bool)> = Mutex::new((None, false));

fn state() -> MutexGuard<'static, (Option<Step>, bool)> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on long steps say how far they are, if standard error is a terminal that can take back a line.
pub fn show_on_terminal() {
    static BEGUN: Once = Once::new();
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if !io::stderr().is_terminal() || is_dumb {
        return;
    }
    BEGUN.call_once(|| {
        let look = || {
            loop {
                std::thread::sleep(EVERY);
                draw();
            }
        };
        if std::thread::Builder::new().name("progress".into()).spawn(look).is_ok() {
            base::progress::watch();
        }
    });
}

/// Runs a step; while it runs the terminal may say how far it is.
pub fn during<T>(text: &str, run: impl FnOnce() -> T) -> T {
    if !base::progress::is_watched() {
        return run();
    }
    curves::forget();
    base::progress::end();
    let step = Step { text: text.trim().to_string(), began: Instant::now(), seen: None, columns: columns() };
    state().0 = Some(step);
    let result = run();
    state().0 = None;
    base::progress::end();
    clear();
    curves::finish();
    result
}

/// Takes the line back, and the curves above it, before something else is written.
pub fn clear() {
    let mut state = state();
    if std::mem::replace(&mut state.1, false) {
        let _ = io::stderr().write_all(b"\r\x1b[K");
    }
    curves::take_back();
}

fn draw() {
    let mut state = state();
    let Some(step) = &mut state.0 else { return };
    let Some(progress) = base::progress::look().filter(|_| step.began.elapsed() >= SILENT) else { return };
    let (done, since) = match step.seen {
        Some((number, done, since)) if number == progress.number => (done, since),
        _ => {
            let now = Instant::now();
            step.seen = Some((progress.number, progress.done, now));
            (progress.done, now)
        }
    };
    let line = line(&progress, progress.done.saturating_sub(done), since.elapsed());
    let line = beside(&step.text, &line, step.columns);
    let _ = io::stderr().write_all(format!("\r{line}\x1b[K").as_bytes());
    state.1 = true;
}

/// What is said of a loop that went round so many times in that time.
fn line(progress: &Progress, rounds: u64, time: Duration) -> String {
    let rate = if time < EVERY / 2 { 0.0 } else { rounds as f64 / time.as_secs_f64() };
    let mut parts = vec![match progress.total {
        Some(total) => format!("{} of {total}", progress.done),
        None => format!("{}", progress.done),
    }];
    if let Some(total) = progress.total.filter(|total| *total > 0) {
        parts.push(format!("{:.0} %", 100.0 * progress.done as f64 / total as f64));
    }
    if rate > 0.0 {
        parts.push(format!("{}/s", rounded(rate)));
        if let Some(total) = progress.total {
            parts.push(format!("{} left", duration(total.saturating_sub(progress.done) as f64 / rate)));
        }
    }
    parts.join("  ")
}

/// A rate to two or three digits.
fn rounded(rate: f64) -> String {
    match rate {
        rate if rate >= 1e7 => format!("{rate:.1e}"),
        rate if rate >= 10.0 => format!("{rate:.0}"),
        rate if rate >= 1.0 => format!("{rate:.1}"),
        rate => format!("{rate:.2}"),
    }
}

fn duration(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        s @ 0..=99 => format!("{s} s"),
        s @ 100..=5999 => format!("{} min {} s", s / 60, s % 60),
        s => format!("{} h {} min", s / 3600, s % 3600 / 60),
    }
}

/// The beginning of a step's text and what is said of it, in so many columns: the text gives way.
fn beside(text: &str, line: &str, columns: usize) -> String {
    let room = columns.saturating_sub(line.chars().count() + 3).min(LONGEST);
    let text = shortened(text, room);
    format!("{text}  {line}").chars().take(columns.saturating_sub(1)).collect()
}

/// The first line of a text, as far as there is room.
fn shortened(text: &str, room: usize) -> String {
    let first = text.lines().next().unwrap_or_default();
    if first.chars().count() <= room && first.len() == text.len() {
        return first.to_string();
    }
    first.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// The width of standard error.
fn columns() -> usize {
    // SAFETY: the call fills the structure it is given, which is plain data.
    let size = unsafe {
        let mut size: libc::winsize = std::mem::zeroed();
        (libc::ioctl(libc::STDERR_FILENO, libc::TIOCGWINSZ, &raw mut size) == 0).then_some(size)
    };
    size.map(|size| usize::from(size.ws_col)).filter(|columns| *columns > 0).unwrap_or(80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_how_fast_and_how_long() {
        let progress = Progress { number: 1, done: 340, total: Some(1000) };
        assert_eq!(line(&progress, 104, Duration::from_secs(2)), "340 of 1000  34 %  52/s  13 s left");
        let open = Progress { total: None, ..progress };
        assert_eq!(line(&open, 1, Duration::from_secs(4)), "340  0.25/s");
        assert_eq!(line(&progress, 0, Duration::ZERO), "340 of 1000  34 %");
        assert_eq!((duration(99.2), duration(7300.0)), ("1 min 40 s".into(), "2 h 1 min".into()));
    }

    #[test]
    fn a_long_step_is_shortened() {
        assert_eq!(shortened("train(start)", 36), "train(start)");
        assert_eq!(shortened("{\n  let a = 1\n}", 36), "{…");
        assert_eq!(beside("minimise(f, x)", "340 of 1000  34 %", 26), "minim…  340 of 1000  34 %");
    }
}
