//! The terminal as a place for pictures: its size, its colours, and whether it shows pixels.

use std::io::{self, IsTerminal};

use plots::{Ansi, Screen};

use crate::terminal::{Paint, Terminal};

/// What standard output shows plots as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Display {
    /// It is no terminal.
    Line,
    Characters(Screen),
    /// A character has so many pixels.
    Pixels(Screen, (usize, usize)),
}

/// Asks the environment and the terminal.
pub fn display(terminal: &Terminal) -> Display {
    if !io::stdout().is_terminal() {
        return Display::Line;
    }
    let size = system::size(system::Stream::Output);
    let screen = Screen { columns: size.columns, rows: size.rows, ansi: ansi(terminal.out) };
    if screen.ansi != Ansi::None && wants_pixels() && system::shows_pixels() {
        Display::Pixels(screen, size.character.unwrap_or((10, 20)))
    } else {
        Display::Characters(screen)
    }
}

/// Standard error as a place for characters that are drawn again and again.
pub fn of_errors(terminal: &Terminal) -> Screen {
    let size = system::size(system::Stream::Errors);
    Screen { columns: size.columns, rows: size.rows, ansi: ansi(terminal.err) }
}

fn ansi(paint: Paint) -> Ansi {
    let all = std::env::var("COLORTERM").is_ok_and(|value| matches!(value.as_str(), "truecolor" | "24bit"));
    match paint {
        Paint::Plain => Ansi::None,
        Paint::Colour if all => Ansi::True,
        Paint::Colour => Ansi::Indexed,
    }
}

/// Multiplexers, and terminals that print what they don't know, aren't asked.
fn wants_pixels() -> bool {
    let asked = !std::env::var("EVERT_PLOTS").is_ok_and(|value| value == "characters");
    let unable = ["", "dumb", "linux", "screen", "tmux"];
    let term = std::env::var("TERM").unwrap_or_default();
    asked && !unable.contains(&term.split('-').next().unwrap_or_default())
}

struct Size {
    columns: usize,
    rows: usize,
    /// Pixels of a character, where they are known.
    character: Option<(usize, usize)>,
}

/// What is assumed where nobody knows.
const USUAL: Size = Size { columns: 80, rows: 24, character: None };

#[cfg(not(unix))]
mod system {
    use super::{Size, USUAL};

    pub enum Stream {
        Output,
        Errors,
    }

    pub fn size(_: Stream) -> Size {
        USUAL
    }

    pub fn shows_pixels() -> bool {
        false
    }
}

#[cfg(unix)]
mod system {
    use std::io::{self, IsTerminal, Write};
    use std::time::{Duration, Instant};

    use super::{Size, USUAL};

    #[derive(Clone, Copy)]
    pub enum Stream {
        Output = libc::STDOUT_FILENO as isize,
        Errors = libc::STDERR_FILENO as isize,
    }

    pub fn size(stream: Stream) -> Size {
        // SAFETY: a winsize is plain numbers, for which zeros are fine.
        let mut found: libc::winsize = unsafe { std::mem::zeroed() };
        // SAFETY: the request writes one winsize where the pointer says, and nothing else.
        let known = unsafe { libc::ioctl(stream as libc::c_int, libc::TIOCGWINSZ, &mut found) } == 0;
        let (columns, rows) = (usize::from(found.ws_col), usize::from(found.ws_row));
        if !known || columns == 0 || rows == 0 {
            return USUAL;
        }
        let character = (usize::from(found.ws_xpixel) / columns, usize::from(found.ws_ypixel) / rows);
        Size { columns, rows, character: (character.0 > 1 && character.1 > 1).then_some(character) }
    }

    /// Asks by kitty's protocol for a picture that isn't shown, and then for what every terminal answers.
    const QUESTION: &str = "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";
    const YES: &[u8] = b"\x1b_Gi=31;OK";
    const PATIENCE: Duration = Duration::from_millis(200);

    pub fn shows_pixels() -> bool {
        if !io::stdin().is_terminal() {
            return false;
        }
        let Some(_raw) = Raw::enter() else { return false };
        let mut out = io::stdout();
        if out.write_all(QUESTION.as_bytes()).and_then(|()| out.flush()).is_err() {
            return false;
        }
        let mut answer = vec![];
        let start = Instant::now();
        // The answer to the second question ends in `c`.
        while start.elapsed() < PATIENCE && answer.last() != Some(&b'c') && answer.len() < 256 {
            answer.extend(read_byte(PATIENCE.saturating_sub(start.elapsed())));
        }
        answer.windows(YES.len()).any(|part| part == YES)
    }

    fn read_byte(patience: Duration) -> Option<u8> {
        let mut wait = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
        // SAFETY: there is one pollfd at the pointer, as the number says.
        let ready = unsafe { libc::poll(&mut wait, 1, patience.as_millis() as libc::c_int) };
        let mut byte = 0u8;
        // SAFETY: one byte is read to where there is room for one.
        let read = if ready > 0 { unsafe { libc::read(libc::STDIN_FILENO, (&raw mut byte).cast(), 1) } } else { 0 };
        (read == 1).then_some(byte)
    }

    /// The terminal neither echoes nor waits for the end of a line, until this is dropped.
    struct Raw {
        before: libc::termios,
    }

    impl Raw {
        fn enter() -> Option<Raw> {
            // SAFETY: a termios is plain numbers, for which zeros are fine.
            let mut before: libc::termios = unsafe { std::mem::zeroed() };
            // SAFETY: the call writes one termios where the pointer says.
            if unsafe { libc::tcgetattr(libc::STDIN_FILENO, &mut before) } != 0 {
                return None;
            }
            let mut raw = before;
            raw.c_lflag &= !(libc::ICANON | libc::ECHO);
            // SAFETY: the pointer is to a termios that the terminal gave, with two flags less.
            (unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &raw) } == 0).then_some(Raw { before })
        }
    }

    impl Drop for Raw {
        fn drop(&mut self) {
            // SAFETY: the pointer is to the termios that the terminal had.
            unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, &self.before) };
        }
    }
}
