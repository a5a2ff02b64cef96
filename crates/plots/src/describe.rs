//! A plot in one line, where nothing can be drawn: `<plot: 2 curves, x 0.0..3.0, y -0.98..2.0>`.

use crate::axis::Range;
use crate::figure::{Figure, Panel};
use crate::marks::ranges;
use crate::number::short;
use crate::plot::{Plot, Series};

/// The line for a plot. Ranges of which nothing is known are left out.
pub fn describe(plot: &Plot) -> String {
    let figure = Figure::new(plot);
    let panels: Vec<String> = figure.panels.iter().map(panel).collect();
    format!("<plot{}: {}>", quoted(figure.title), panels.join(" | "))
}

fn quoted(title: Option<&str>) -> String {
    title.map_or(String::new(), |title| format!(" \"{}\"", title.replace(char::is_control, " ")))
}

fn panel(panel: &Panel) -> String {
    let mut words = parts(panel);
    if words.is_empty() {
        words.push("nothing".to_string());
    }
    if let (Some(title), Some(first)) = (panel.title, words.first_mut()) {
        *first = format!("{} {first}", quoted(Some(title)).trim_start());
    }
    let marks = panel.layers.iter().map(|layer| layer.mark).filter(|mark| !matches!(mark, Plot::Image(_)));
    let found = marks.map(|mark| ranges(mark, panel.log_x, panel.log_y));
    let (x, y) = found.fold((Range::EMPTY, Range::EMPTY), |all, (x, y)| (all.0.and(x), all.1.and(y)));
    for (name, range) in [("x", x), ("y", y)] {
        if !range.is_empty() {
            words.push(format!("{name} {}..{}", short(range.low), short(range.high)));
        }
    }
    words.join(", ")
}

/// What a panel consists of: each kind once, with its number.
fn parts(panel: &Panel) -> Vec<String> {
    let marks = || panel.layers.iter().map(|layer| layer.mark);
    let count = |is: fn(&Plot) -> bool| marks().filter(|mark| is(mark)).count();
    let sum = |size: fn(&Plot) -> usize| marks().map(size).sum::<usize>();
    let several = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(one.to_string()),
        n => Some(format!("{n} {many}")),
    };
    let lines: Vec<usize> = marks().filter_map(line_length).collect();
    let line = match lines[..] {
        [n] => Some(format!("line of {}", several(n, "1 point", "points").unwrap_or("no points".into()))),
        _ => several(lines.len(), "line", "lines"),
    };
    let known = [
        several(count(|mark| matches!(mark, Plot::Pieces { .. })), "curve", "curves"),
        line,
        several(sum(points), "1 point", "points"),
        several(sum(bars), "1 bar", "bars"),
        several(count(|mark| matches!(mark, Plot::Contour(_))), "contours", "contours"),
        several(count(|mark| matches!(mark, Plot::Arrows(_))), "field", "fields"),
    ];
    let images = marks().filter_map(|mark| match mark {
        Plot::Image(image) => Some(format!("image of {}×{}", image.size().0, image.size().1)),
        _ => None,
    });
    known.into_iter().flatten().chain(images).collect()
}

fn line_length(mark: &Plot) -> Option<usize> {
    if let Plot::Line(Series { ys, .. }) = mark { Some(ys.len()) } else { None }
}

fn points(mark: &Plot) -> usize {
    if let Plot::Points(Series { ys, .. }) = mark { ys.len() } else { 0 }
}

fn bars(mark: &Plot) -> usize {
    if let Plot::Bars { heights, .. } = mark { heights.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Image, Style};

    fn series(xs: &[f64], ys: &[f64]) -> Series {
        Series { xs: xs.to_vec(), ys: ys.to_vec() }
    }

    #[test]
    fn a_line_says_what_there_is() {
        let curve = Plot::Pieces { rows: vec![[0.0, -0.984, 0.0, 3.0, 1.0, 0.0]], low: -9.0, high: 9.0 };
        let points = Plot::Points(series(&[0.0, 1.0], &[1.0, 2.0]));
        let both = Plot::Over(vec![curve.clone(), curve.clone(), points]);
        assert_eq!(describe(&both), "<plot: 2 curves, 2 points, x 0.0..3.0, y -0.984..2.0>");
        let unknown = Plot::Pieces { rows: vec![[0.0, f64::NAN, 0.0, 3.0, f64::NAN, 0.0]], low: -9.0, high: 9.0 };
        assert_eq!(describe(&unknown), "<plot: curve, x 0.0..3.0>");
        assert_eq!(describe(&Plot::Over(vec![])), "<plot: nothing>");
        let image = Plot::Image(Image::Values { rows: 2, columns: 3, values: vec![0.0; 6] });
        let title = Style { title: Some("A\nB".into()), ..Style::default() };
        let beside = Plot::Beside(vec![image, Plot::Styled(title, Box::new(Plot::Line(Series::default())))]);
        assert_eq!(describe(&beside), "<plot: image of 2×3 | \"A B\" line of no points>");
    }
}
