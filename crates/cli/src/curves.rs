//! Training curves while a program runs: what `plots.watch` is given, on a terminal, redrawn in place.
//!
//! In: names and values, one after the other. Out: a plot on standard error, which gives way when something else is written and is drawn again below it. What
//! it shows when the step ends stays. Where standard error is no terminal, or one without room, nothing is drawn, and whoever asks is told so.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use plots::{Plot, Screen, Series, Style};

use crate::screen;
use crate::terminal::Terminal;

/// How often the curves are drawn.
const EVERY: Duration = Duration::from_millis(200);
/// Lines that a terminal must have: a plot, its legend and its axis are redrawn only where all of them are seen.
const LEAST_ROWS: usize = 14;
/// A plot of curves is no higher.
const MOST_ROWS: usize = 16;
/// Of a curve so many points are kept. More than a terminal has dots.
const MOST_POINTS: usize = 4096;
/// A positive curve whose values differ by more is drawn on a logarithmic axis.
const WIDE: f64 = 100.0;

/// The values that came under a name.
struct Curve {
    name: String,
    points: Series,
    /// How many values came, and of how many of them one is kept.
    count: usize,
    stride: usize,
}

impl Curve {
    fn new(name: &str) -> Curve {
        Curve { name: name.to_string(), points: Series::default(), count: 0, stride: 1 }
    }

    fn push(&mut self, value: f64) {
        if self.count.is_multiple_of(self.stride) {
            self.points.xs.push(self.count as f64);
            self.points.ys.push(value);
        }
        self.count += 1;
        if self.points.xs.len() > MOST_POINTS {
            // Every second one is enough from now on.
            self.stride *= 2;
            for numbers in [&mut self.points.xs, &mut self.points.ys] {
                let mut even = false;
                numbers.retain(|_| {
                    even = !even;
                    even
                });
            }
        }
    }
}

/// The curves of the step that runs.
struct Curves {
    screen: Screen,
    curves: Vec<Curve>,
    drawn: Option<Instant>,
    /// So many lines above the cursor are ours.
    lines: usize,
}

/// `None`: nobody watches.
static CURVES: Mutex<Option<Curves>> = Mutex::new(None);

fn curves() -> MutexGuard<'static, Option<Curves>> {
    CURVES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on curves are drawn, if standard error is a terminal that can go back to where it was and has the room.
pub fn show_on_terminal(terminal: &Terminal) {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if !io::stderr().is_terminal() || is_dumb {
        return;
    }
    let mut screen = screen::of_errors(terminal);
    if screen.rows >= LEAST_ROWS {
        screen.rows = screen.rows.min(MOST_ROWS);
        *curves() = Some(Curves { screen, curves: vec![], drawn: None, lines: 0 });
    }
}

/// The next value of a curve. `false`: it can't be drawn.
pub fn add(name: &str, value: &str) -> bool {
    let mut state = curves();
    let (Some(state), Ok(value)) = (&mut *state, value.parse::<f64>()) else { return false };
    let at = state.curves.iter().position(|curve| curve.name == name).unwrap_or_else(|| {
        state.curves.push(Curve::new(name));
        state.curves.len() - 1
    });
    state.curves[at].push(value);
    if state.drawn.is_none_or(|drawn| drawn.elapsed() >= EVERY) {
        state.draw();
    }
    true
}

/// A new step has curves of its own.
pub fn forget() {
    if let Some(state) = &mut *curves() {
        state.curves.clear();
        state.drawn = None;
    }
}

/// Gives way to what is written next.
pub fn take_back() {
    if let Some(state) = &mut *curves()
        && state.lines > 0
    {
        let _ = io::stderr().write_all(state.back().as_bytes());
        // What gave way comes back soon.
        state.drawn = None;
    }
}

/// Draws all that came, and leaves it standing.
pub fn finish() {
    if let Some(state) = &mut *curves() {
        if !state.curves.is_empty() {
            state.draw();
        }
        state.curves.clear();
        state.lines = 0;
    }
}

impl Curves {
    /// To where the plot begins, without what stands from there on.
    fn back(&mut self) -> String {
        match std::mem::take(&mut self.lines) {
            0 => "\r\x1b[J".to_string(),
            lines => format!("\r\x1b[{lines}A\x1b[J"),
        }
    }

    fn draw(&mut self) {
        let text = plots::terminal(&plot(&self.curves), self.screen);
        // In one piece: another thread may write its line before or after it.
        let whole = self.back() + &text;
        let _ = io::stderr().write_all(whole.as_bytes());
        self.lines = text.lines().count();
        self.drawn = Some(Instant::now());
    }
}

fn plot(curves: &[Curve]) -> Plot {
    let named = |curve: &Curve| {
        let style = Style { label: Some(curve.name.clone()), ..Style::default() };
        Plot::Styled(style, Box::new(Plot::Line(curve.points.clone())))
    };
    let style = Style { log_y: is_wide(curves), ..Style::default() };
    Plot::Styled(style, Box::new(Plot::Over(curves.iter().map(named).collect())))
}

/// Are the values positive and of different magnitudes?
fn is_wide(curves: &[Curve]) -> bool {
    let values = curves.iter().flat_map(|curve| &curve.points.ys).filter(|value| value.is_finite());
    let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), y| (least.min(*y), most.max(*y)));
    least > 0.0 && most > WIDE * least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: impl IntoIterator<Item = f64>) -> Curve {
        let mut curve = Curve::new("loss");
        values.into_iter().for_each(|value| curve.push(value));
        curve
    }

    #[test]
    fn of_a_million_values_some_thousands_are_kept_at_the_same_distances() {
        let curve = curve((0..1_000_000).map(f64::from));
        assert!((MOST_POINTS / 2..=MOST_POINTS).contains(&curve.points.xs.len()), "{}", curve.points.xs.len());
        assert_eq!(curve.points.xs, curve.points.ys);
        assert!(curve.points.xs.windows(2).all(|pair| pair[1] - pair[0] == curve.stride as f64));
    }

    #[test]
    fn positive_values_of_different_magnitudes_are_drawn_by_their_logarithms() {
        assert!(is_wide(&[curve([1.0, 0.001])]));
        assert!(!is_wide(&[curve([1.0, 0.5])]));
        assert!(!is_wide(&[curve([1.0, 0.001, -1.0])]));
        assert!(!is_wide(&[curve([])]));
    }
}
