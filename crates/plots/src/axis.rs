//! Axes: from the range of the data to places in the frame.

use crate::number::log10;
use crate::ticks::{self, Tick};

/// The smallest range around some numbers; those that aren't finite don't count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    pub const EMPTY: Range = Range { low: f64::INFINITY, high: f64::NEG_INFINITY };

    pub fn of(values: impl IntoIterator<Item = f64>) -> Range {
        values.into_iter().fold(Range::EMPTY, Range::with)
    }

    pub fn with(self, value: f64) -> Range {
        if !value.is_finite() {
            return self;
        }
        // Minus zero is zero.
        Range { low: self.low.min(value + 0.0), high: self.high.max(value + 0.0) }
    }

    pub fn and(self, other: Range) -> Range {
        Range { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scale {
    Linear,
    /// Only positive numbers have a place.
    Log,
}

/// Which end of the frame small numbers are at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From the left to the right, or from the top to the bottom.
    Forward,
    /// From the bottom to the top.
    Backward,
}

/// A range of numbers on a length. Inside, numbers are in *units*: themselves, or their logarithms.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    pub scale: Scale,
    low: f64,
    high: f64,
    pub length: f64,
    direction: Direction,
}

/// Ranges narrower than this part of their numbers are rounding errors of one number.
const LEAST_SPAN: f64 = 1e-12;

impl Axis {
    /// An axis for data of this range, with a part of it left free before and after.
    pub fn new(scale: Scale, data: Range, free: [f64; 2], length: f64, direction: Direction) -> Axis {
        let Range { low, high } = match scale {
            Scale::Linear => linear(data),
            Scale::Log => Range { low: log10(data.low), high: log10(data.high) },
        };
        let (low, high) = match scale {
            Scale::Log if data.is_empty() || data.low <= 0.0 => (0.0, 1.0),
            Scale::Log if high - low < LEAST_SPAN => (low - 0.5, high + 0.5),
            _ => {
                // Halves don't overflow.
                let [before, after] = free.map(|part| (high / 2.0 - low / 2.0) * (part * 2.0));
                ((low - before).max(-f64::MAX), (high + after).min(f64::MAX))
            }
        };
        Axis { scale, low, high, length, direction }
    }

    pub fn with_length(self, length: f64) -> Axis {
        Axis { length, ..self }
    }

    /// Where a number lies, from 0 to the length; nan if nowhere.
    pub fn place(&self, value: f64) -> f64 {
        let value = if value.is_finite() { value } else { f64::NAN };
        match self.scale {
            Scale::Linear => self.at(value),
            Scale::Log => self.at(log10(value)),
        }
    }

    fn at(&self, unit: f64) -> f64 {
        let part = (unit / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0);
        match self.direction {
            Direction::Forward => part * self.length,
            Direction::Backward => (1.0 - part) * self.length,
        }
    }

    /// How fast units change with a number at this value.
    pub fn unit_slope(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => 1.0,
            Scale::Log => std::f64::consts::LOG10_E / value,
        }
    }

    /// How far a step of one unit goes; it may be beyond all numbers.
    pub fn unit_length(&self) -> f64 {
        let length = self.length / 2.0 / (self.high / 2.0 - self.low / 2.0);
        if self.direction == Direction::Forward { length } else { -length }
    }

    /// Ticks with their places, at most so many with labels.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let ticks = match self.scale {
            Scale::Linear => ticks::linear(self.low, self.high, most),
            Scale::Log => ticks::log(self.low, self.high, most),
        };
        ticks.into_iter().map(|tick| Tick { at: self.at(tick.at), ..tick }).collect()
    }
}

/// A range that isn't empty and has some width.
fn linear(data: Range) -> Range {
    if data.is_empty() {
        return Range { low: 0.0, high: 1.0 };
    }
    let size = data.low.abs().max(data.high.abs());
    if data.high / 2.0 - data.low / 2.0 > LEAST_SPAN * size {
        return data;
    }
    let middle = data.low / 2.0 + data.high / 2.0;
    // What is almost nothing is shown as nothing.
    let half = if middle.abs() < f64::MIN_POSITIVE / LEAST_SPAN { 1.0 } else { middle.abs() / 2.0 };
    Range { low: (middle - half).max(-f64::MAX), high: (middle + half).min(f64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, low: f64, high: f64) -> Axis {
        Axis::new(scale, Range { low, high }, [0.0; 2], 100.0, Direction::Forward)
    }

    #[test]
    fn numbers_have_places() {
        let places = |axis: Axis, values: [f64; 3]| values.map(|value| axis.place(value));
        assert_eq!(places(axis(Scale::Linear, -1.0, 3.0), [-1.0, 0.0, 3.0]), [0.0, 25.0, 100.0]);
        let [a, b, c] = places(axis(Scale::Log, 0.01, 100.0), [0.01, 1.0, -1.0]);
        assert!(a.abs() < 1e-9 && (b - 50.0).abs() < 1e-9 && c.is_nan());
        assert!(axis(Scale::Linear, 0.0, 1.0).place(f64::INFINITY).is_nan());
    }

    #[test]
    fn extreme_ranges_are_usable() {
        let huge = axis(Scale::Linear, -1.7e308, 1.7e308);
        assert_eq!([-1.7e308, 0.0, 1.7e308].map(|x| huge.place(x)), [0.0, 50.0, 100.0]);
        for value in [0.0, 5.0, -3.0, 1e300, -1e308, 5e-324] {
            assert_eq!(axis(Scale::Linear, value, value).place(value).round(), 50.0, "{value}");
        }
        assert_eq!(Axis::new(Scale::Linear, Range::EMPTY, [0.1; 2], 1.0, Direction::Forward).place(0.0).signum(), 1.0);
        assert_eq!(axis(Scale::Log, 10.0, 10.0).place(10.0), 50.0);
    }
}
