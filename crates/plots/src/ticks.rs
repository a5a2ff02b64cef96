//! Ticks: round numbers along an axis, and how they are written.

use crate::number::{decimal, exponent, log10, power_of_ten, scaled, superscript};

/// A place on an axis; without a label it is a line of the grid only.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    pub at: f64,
    pub label: String,
}

/// Rounding errors at the ends of a range, in steps: a tick there counts.
const SLACK: f64 = 1e-6;

/// Multiples of 1, 2 or 5 times a power of ten, at most so many.
pub fn linear(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (numbers, exponent) = multiples(low, high, most);
    let labels = labels(&numbers, exponent);
    let tick = |(n, label): (&i64, String)| Tick { at: scaled(*n, exponent), label };
    numbers.iter().zip(labels).map(tick).collect()
}

/// Round numbers from low to high, as ints times a power of ten.
fn multiples(low: f64, high: f64, most: usize) -> (Vec<i64>, i32) {
    let parts = most.max(2) as f64;
    let least = high / parts - low / parts;
    if !(least > 0.0 && least.is_finite()) {
        return (vec![], 0);
    }
    let mut power = exponent(least);
    let leading = least / power_of_ten(power);
    let mut factor = [1, 2, 5].into_iter().find(|factor| f64::from(*factor) >= leading * (1.0 - SLACK));
    if factor.is_none() {
        power += 1;
        factor = Some(1);
    }
    let factor = i64::from(factor.unwrap_or(1));
    let step = scaled(factor, power);
    let (first, last) = ((low / step - SLACK).ceil(), (high / step + SLACK).floor());
    // More digits than a real has, as in a range that rounding made: no tick would be right.
    let exact = first.abs().max(last.abs()) < 1e15;
    let numbers = if exact { (first as i64..=last as i64).map(|i| i * factor).collect() } else { vec![] };
    (numbers, power)
}

/// So long labels are written out, also if powers of ten are shorter.
const PLAIN: usize = 6;

fn labels(numbers: &[i64], exponent: i32) -> Vec<String> {
    let top = numbers.iter().map(|n| n.unsigned_abs()).max().unwrap_or(0);
    let magnitude = exponent + top.max(1).ilog10() as i32;
    let raised = || {
        let label = |n: &i64| match n {
            0 => "0".to_string(),
            n => decimal(*n, exponent - magnitude) + "×10" + &superscript(magnitude),
        };
        numbers.iter().map(label).collect::<Vec<String>>()
    };
    // Hundreds of digits are of no use to anybody.
    if !(-20..20).contains(&magnitude) || exponent < -20 {
        return raised();
    }
    let plain: Vec<String> = numbers.iter().map(|n| decimal(*n, exponent)).collect();
    let longest = |labels: &[String]| labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    if longest(&plain) <= PLAIN || longest(&plain) < longest(&raised()) { plain } else { raised() }
}

/// Powers of ten between the powers low and high; their multiples too where there is room. Places are logarithms.
pub fn log(low: f64, high: f64, most: usize) -> Vec<Tick> {
    let (first, last) = ((low - SLACK).ceil() as i32, (high + SLACK).floor() as i32);
    let decades = (last - first + 1).max(0) as usize;
    if decades < 2 {
        let (low, high) = (ten_to(low), ten_to(high));
        let ticks = linear(low, high, most).into_iter().filter(|tick| tick.at > 0.0);
        return ticks.map(|tick| Tick { at: log10(tick.at), ..tick }).collect();
    }
    let stride = decades.div_ceil(most.max(2)) as i32;
    let short = first >= -3 && last <= 4;
    let label = |k: i32| match k {
        k if k.rem_euclid(stride) != 0 => String::new(),
        k if short => decimal(1, k),
        0 => "1".to_string(),
        k => format!("10{}", superscript(k)),
    };
    let mut ticks: Vec<Tick> = (first..=last).map(|k| Tick { at: f64::from(k), label: label(k) }).collect();
    const ROOM_FOR_MULTIPLES: f64 = 5.0;
    if high - low <= ROOM_FOR_MULTIPLES {
        let between = (first - 1..=last).flat_map(|k| (2..=9).map(move |m| log10(f64::from(m)) + f64::from(k)));
        let between = between.filter(|at| (low..=high).contains(at));
        ticks.extend(between.map(|at| Tick { at, label: String::new() }));
    }
    ticks
}

/// 10 to any power within the range of reals.
fn ten_to(x: f64) -> f64 {
    let whole = x.floor();
    let part = (x - whole) * std::f64::consts::LN_10;
    let series = (1..30).rev().fold(1.0, |sum, k| 1.0 + sum * part / f64::from(k));
    power_of_ten(whole as i32) * series
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(ticks: Vec<Tick>) -> String {
        let labels = ticks.iter().map(|tick| tick.label.as_str()).filter(|label| !label.is_empty());
        labels.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_numbers() {
        let cases = [
            (0.0, 1.0, "0.0 0.2 0.4 0.6 0.8 1.0"),
            (-3.0, 3.0, "−2 0 2"),
            (0.0, 0.30000000000000004, "0.0 0.1 0.2 0.3"),
            (1999.0, 2004.0, "1999 2000 2001 2002 2003 2004"),
            (-1e-5, 4e-5, "−1×10⁻⁵ 0 1×10⁻⁵ 2×10⁻⁵ 3×10⁻⁵ 4×10⁻⁵"),
            (0.0, 2.5e6, "0 0.5×10⁶ 1.0×10⁶ 1.5×10⁶ 2.0×10⁶ 2.5×10⁶"),
            (-1e300, 1e300, "−1.0×10³⁰⁰ −0.5×10³⁰⁰ 0 0.5×10³⁰⁰ 1.0×10³⁰⁰"),
            (0.0, 5e-324, ""),
            (1.0, 1.0, ""),
            (f64::NAN, 1.0, ""),
        ];
        for (low, high, expected) in cases {
            assert_eq!(written(linear(low, high, 5)), expected, "{low}..{high}");
        }
    }

    #[test]
    fn there_are_never_more_than_asked_for_and_one() {
        for k in 1..400 {
            let high = f64::from(k) * 0.37;
            let count = linear(-high / 3.0, high, 6).len();
            assert!((2..=7).contains(&count), "{count} ticks up to {high}");
        }
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        let labels = |low, high| written(log(low, high, 5));
        assert_eq!(labels(-2.0, 2.0), "0.01 0.1 1 10 100");
        assert_eq!(labels(-9.0, 0.0), "10⁻⁸ 10⁻⁶ 10⁻⁴ 10⁻² 1");
        assert_eq!(labels(0.1, 0.8), "2 4 6");
        assert!(log(-300.0, 300.0, 5).len() < 700);
    }
}
