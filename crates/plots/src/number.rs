//! Numbers as text, and logarithms: the same on every machine.

/// A coordinate in SVG: two decimals at most. What two engines compute may differ in its last digits, so that halves
/// of the last decimal are no place to change one's mind: the border lies beside them.
pub fn coordinate(x: f64) -> String {
    let mut out = String::new();
    push_coordinate(&mut out, x);
    out
}

/// So far from a half of the last decimal numbers are rounded up. In hundredths.
const NUDGE: f64 = 1e-5;

pub fn push_coordinate(out: &mut String, x: f64) {
    let hundredths = (x * 100.0 + 0.5 + NUDGE).floor();
    let bounded = if hundredths.is_nan() { 0.0 } else { hundredths.clamp(-1e9, 1e9) };
    let whole = bounded as i64;
    if whole < 0 {
        out.push('-');
    }
    let (units, rest) = (whole.unsigned_abs() / 100, whole.unsigned_abs() % 100);
    out.push_str(&units.to_string());
    if rest > 0 {
        out.push('.');
        out.push((b'0' + (rest / 10) as u8) as char);
        if rest % 10 > 0 {
            out.push((b'0' + (rest % 10) as u8) as char);
        }
    }
}

/// A number in three significant digits, written as the language writes reals.
pub fn short(x: f64) -> String {
    if x.is_nan() {
        return "nan".to_string();
    }
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    format!("{:?}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// The decimal exponent of a number that isn't 0: 2 for 123.
pub fn exponent(x: f64) -> i32 {
    let text = format!("{x:e}");
    text.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0)
}

/// 10 to a whole power.
pub fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::INFINITY)
}

/// `n * 10^exponent`, correctly rounded.
pub fn scaled(n: i64, exponent: i32) -> f64 {
    format!("{n}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// `n * 10^exponent` with that many decimals, and a real minus.
pub fn decimal(n: i64, exponent: i32) -> String {
    let digits = n.unsigned_abs().to_string();
    let text = match exponent {
        0.. => digits + &"0".repeat(if n == 0 { 0 } else { exponent as usize }),
        _ => {
            let decimals = exponent.unsigned_abs() as usize;
            let digits = format!("{digits:0>width$}", width = decimals + 1);
            let (whole, rest) = digits.split_at(digits.len() - decimals);
            format!("{whole}.{rest}")
        }
    };
    if n < 0 { format!("−{text}") } else { text }
}

/// A whole number in superscripts.
pub fn superscript(n: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raised = |c: char| c.to_digit(10).map_or('⁻', |digit| DIGITS[digit as usize]);
    n.to_string().chars().map(raised).collect()
}

/// The logarithm to base 10 of a positive number; nan of others. log x = e log 2 + 2 artanh((m - 1)/(m + 1)) for x = m 2^e.
pub fn log10(x: f64) -> f64 {
    const LOG10_2: f64 = std::f64::consts::LOG10_2;
    const LOG10_E: f64 = std::f64::consts::LOG10_E;
    /// Terms of the series: the last one is below 1e-18.
    const TERMS: i32 = 12;
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    if x.is_infinite() {
        return f64::INFINITY;
    }
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * (1u64 << 54) as f64, 54) } else { (x, 0) };
    let bits = x.to_bits();
    let mut exponent = ((bits >> 52) as i32) - 1023 - shift;
    let mut mantissa = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa /= 2.0;
        exponent += 1;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let series = (0..TERMS).rev().fold(0.0, |sum, k| sum * z * z + 1.0 / f64::from(2 * k + 1));
    f64::from(exponent) * LOG10_2 + 2.0 * z * series * LOG10_E
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_have_two_decimals() {
        let texts = [1.0, 1.5, -0.25, 0.125, 0.12499999999, 99.999, -0.004, 1e300, f64::NAN].map(coordinate);
        assert_eq!(texts, ["1", "1.5", "-0.25", "0.13", "0.13", "100", "0", "10000000", "0"]);
    }

    #[test]
    fn short_numbers_read_as_reals() {
        let texts = [0.0, -0.0, 3.0, 0.98412, 123456.0, 1e300, f64::INFINITY].map(short);
        assert_eq!(texts, ["0.0", "0.0", "3.0", "0.984", "123000.0", "1e300", "inf"]);
    }

    #[test]
    fn decimals_are_exact() {
        let texts = [(15, -1), (-5, -2), (2, 3), (0, 4), (0, -1), (-12, 0)].map(|(n, e)| decimal(n, e));
        assert_eq!(texts, ["1.5", "−0.05", "2000", "0", "0.0", "−12"]);
        assert_eq!(superscript(-12), "⁻¹²");
    }

    #[test]
    fn logarithms_are_right_to_the_last_digits() {
        for k in -300..=300 {
            assert!((log10(power_of_ten(k)) - f64::from(k)).abs() < 1e-13, "1e{k}");
        }
        assert!((log10(2.0) - std::f64::consts::LOG10_2).abs() < 1e-16);
        assert!((log10(5e-324) + 323.306215343115).abs() < 1e-11);
        assert!(log10(0.0).is_nan() && log10(-1.0).is_nan());
    }
}
