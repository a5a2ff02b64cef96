//! Layers of a panel to marks in its frame: what a number is to become a place, where a line has gaps, what is thinned.

use crate::axis::{Axis, Range, Scale};
use crate::colour::{MISSING, Rgb, scale};
use crate::contour;
use crate::figure::{Layer, Panel};
use crate::plot::{Grid, Image, Plot, Series, Vectors};
use crate::scene::{Mark, Picture, Rect, Segment, Stroke};
use crate::thin;

/// The ranges of a panel's data, and which part of each is left free before and after.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub x: Range,
    pub y: Range,
    pub free_x: [f64; 2],
    pub free_y: [f64; 2],
}

/// Curves and grids fill the frame in width; points and lines keep off its edges; bars stand on it.
pub fn extent(panel: &Panel) -> Extent {
    let mut all = Extent { x: Range::EMPTY, y: Range::EMPTY, free_x: [0.0; 2], free_y: [0.0; 2] };
    for layer in &panel.layers {
        let (x, y) = ranges(layer.mark, panel.log_x, panel.log_y);
        let (free_x, free_y) = match layer.mark {
            Plot::Pieces { .. } => (0.0, 0.05),
            Plot::Line(_) => (0.02, 0.05),
            Plot::Points(_) => (0.04, 0.06),
            Plot::Bars { .. } => (0.02, 0.05),
            _ => (0.0, 0.0),
        };
        all.x = all.x.and(x);
        all.y = all.y.and(y);
        all.free_x = all.free_x.map(|free| free.max(free_x));
        all.free_y = all.free_y.map(|free| free.max(free_y));
    }
    // A picture fills the frame, whatever lies on it.
    if panel.layers.iter().any(|layer| matches!(layer.mark, Plot::Contour(_) | Plot::Image(_))) {
        (all.free_x, all.free_y) = ([0.0; 2], [0.0; 2]);
    }
    let has_bars = panel.layers.iter().any(|layer| matches!(layer.mark, Plot::Bars { .. }));
    if has_bars && all.y.low == 0.0 {
        all.free_y[0] = 0.0;
    }
    all
}

/// The ranges of a mark; on a logarithmic axis of what is positive.
pub fn ranges(mark: &Plot, log_x: bool, log_y: bool) -> (Range, Range) {
    let on = |log: bool, values: &mut dyn Iterator<Item = f64>| {
        if log { Range::of(values.filter(|value| *value > 0.0)) } else { Range::of(values) }
    };
    let pair = |xs: &[f64], ys: &[f64]| (on(log_x, &mut xs.iter().copied()), on(log_y, &mut ys.iter().copied()));
    match mark {
        Plot::Pieces { rows, low, high } => {
            let x = on(log_x, &mut rows.iter().flat_map(|row| [row[0], row[3]]));
            let y = on(log_y, &mut rows.iter().flat_map(|row| extremes(row, log_x || log_y)));
            (x, Range { low: y.low.max(*low), high: y.high.min(*high) })
        }
        Plot::Line(Series { xs, ys }) | Plot::Points(Series { xs, ys }) => pair(xs, ys),
        Plot::Bars { edges, heights } => {
            let (x, y) = pair(edges, heights);
            // Bars stand on zero; where there is none they stand on the frame.
            (x, if log_y || y.is_empty() { y } else { y.with(0.0) })
        }
        Plot::Arrows(Vectors { xs, ys, .. }) | Plot::Contour(Grid { xs, ys, .. }) => {
            let (x, y) = pair(xs, ys);
            if matches!(mark, Plot::Contour(_)) { (x, y) } else { (around(x, xs), around(y, ys)) }
        }
        Plot::Image(image) => {
            let (rows, columns) = image.size();
            let range = |n: usize| if n == 0 { Range::EMPTY } else { Range { low: -0.5, high: n as f64 - 0.5 } };
            (range(columns), range(rows))
        }
        Plot::Styled(..) | Plot::Over(_) | Plot::Beside(_) => (Range::EMPTY, Range::EMPTY),
    }
}

/// Arrows stand in the middle of cells: half of the least distance is added around them.
fn around(range: Range, values: &[f64]) -> Range {
    let next = values.iter().copied().filter(|value| *value > range.low).fold(f64::INFINITY, f64::min);
    let half = if next.is_finite() && next < range.high { next / 2.0 - range.low / 2.0 } else { 0.0 };
    if range.is_empty() { range } else { Range { low: range.low - half, high: range.high + half } }
}

/// The least and largest values of a cubic piece.
fn extremes(row: &[f64; 6], ends_only: bool) -> [f64; 4] {
    let [x0, y0, s0, x1, y1, s1] = *row;
    let (h, d) = (x1 - x0, y1 - y0);
    // y(t) = y0 + h s0 t + b t² + a t³
    let (a, b, c) = (h * (s0 + s1) - 2.0 * d, 3.0 * d - h * (2.0 * s0 + s1), h * s0);
    let root = (b * b - 3.0 * a * c).sqrt();
    if ends_only || !root.is_finite() {
        return [y0, y1, f64::NAN, f64::NAN];
    }
    let inner = |t: f64| if t > 0.0 && t < 1.0 { y0 + t * (c + t * (b + t * a)) } else { f64::NAN };
    // The stable form of the roots of 3a t² + 2b t + c.
    let q = -(b + if b < 0.0 { -root } else { root });
    [y0, y1, inner(q / (3.0 * a)), inner(c / q)]
}

/// The range of numbers that a mark shows as colours.
pub fn values(mark: &Plot) -> Option<Range> {
    let range = match mark {
        Plot::Contour(Grid { values, .. }) | Plot::Image(Image::Values { values, .. }) => {
            Range::of(values.iter().copied())
        }
        _ => return None,
    };
    (!range.is_empty()).then_some(range)
}

/// The marks of all layers; images and contours are below the others.
pub fn marks(panel: &Panel, x: &Axis, y: &Axis, grain: f64) -> Vec<Mark> {
    let is_ground = |layer: &&Layer| matches!(layer.mark, Plot::Image(_) | Plot::Contour(_));
    let (ground, rest): (Vec<&Layer>, Vec<&Layer>) = panel.layers.iter().partition(is_ground);
    ground.into_iter().chain(rest).flat_map(|layer| of_layer(layer, x, y, grain)).collect()
}

fn of_layer(layer: &Layer, x: &Axis, y: &Axis, grain: f64) -> Vec<Mark> {
    let colour = layer.colour;
    let stroke = if layer.dashed { Stroke::Dashed(colour) } else { Stroke::Solid(colour) };
    let mark = match layer.mark {
        Plot::Pieces { rows, .. } if rows.len() > thin::MOST => {
            Mark::Path { segments: line(ends(rows, x, y), grain), stroke }
        }
        Plot::Pieces { rows, .. } => Mark::Path { segments: curve(rows, x, y), stroke },
        Plot::Line(series) => Mark::Path { segments: line(places(series, x, y), grain), stroke },
        Plot::Points(series) => Mark::Dots { at: thin::points(places(series, x, y), grain), colour },
        Plot::Bars { edges, heights } => Mark::Boxes { rects: thin::boxes(boxes(edges, heights, x, y), grain), colour },
        Plot::Arrows(vectors) => Mark::Arrows { arrows: arrows(vectors, x, y), colour },
        Plot::Contour(grid) => return contours(grid, x, y),
        Plot::Image(image) => picture(image, x, y, grain),
        Plot::Styled(..) | Plot::Over(_) | Plot::Beside(_) => return vec![],
    };
    vec![mark]
}

/// Places may be far outside of the frame, but not beyond all numbers.
const FAR: f64 = 20_000.0;

fn far(place: f64) -> f64 {
    place.clamp(-FAR, FAR)
}

fn curve(rows: &[[f64; 6]], x: &Axis, y: &Axis) -> Vec<Segment> {
    let mut segments = vec![];
    let mut end = None;
    for row in rows {
        let (start, finish) = ((x.place(row[0]), y.place(row[1])), (x.place(row[3]), y.place(row[4])));
        if [start.0, start.1, finish.0, finish.1].iter().any(|place| place.is_nan()) {
            end = None;
            continue;
        }
        if end != Some((row[0], row[1])) {
            segments.push(Segment::Move(far(start.0), far(start.1)));
        }
        segments.push(piece(row, start, finish, x, y));
        end = Some((row[3], row[4]));
    }
    segments
}

/// A cubic with these slopes: its inner control points lie on the tangents, a third of the way.
fn piece(row: &[f64; 6], start: (f64, f64), end: (f64, f64), x: &Axis, y: &Axis) -> Segment {
    let third = (end.0 - start.0) / 3.0;
    let tangent = |x_value: f64, y_value: f64, slope: f64| {
        let units = slope * y.unit_slope(y_value) / x.unit_slope(x_value);
        third * (units / x.unit_length() * y.unit_length())
    };
    let (first, last) = (start.1 + tangent(row[0], row[1], row[2]), end.1 - tangent(row[3], row[4], row[5]));
    if !first.is_finite() || !last.is_finite() {
        return Segment::Line(far(end.0), far(end.1));
    }
    Segment::Cubic([start.0 + third, far(first), end.0 - third, far(last), far(end.0), far(end.1)])
}

fn places(series: &Series, x: &Axis, y: &Axis) -> Vec<(f64, f64)> {
    series.xs.iter().zip(&series.ys).map(|(a, b)| (x.place(*a), y.place(*b))).collect()
}

/// The ends of pieces, of which there are so many that they may be straight; gaps are nan.
fn ends(rows: &[[f64; 6]], x: &Axis, y: &Axis) -> Vec<(f64, f64)> {
    let mut places = vec![];
    let mut end = None;
    for row in rows {
        if end != Some((row[0], row[1])) {
            places.extend([(f64::NAN, f64::NAN), (x.place(row[0]), y.place(row[1]))]);
        }
        places.push((x.place(row[3]), y.place(row[4])));
        end = Some((row[3], row[4]));
    }
    places
}

/// Straight segments through the places; a gap where there is none. A place alone is a dot.
fn line(places: Vec<(f64, f64)>, grain: f64) -> Vec<Segment> {
    let mut segments = vec![];
    for run in thin::runs(places, grain) {
        let mut run = run.into_iter();
        let Some((a, b)) = run.next() else { continue };
        segments.push(Segment::Move(far(a), far(b)));
        if run.len() == 0 {
            segments.push(Segment::Line(far(a), far(b)));
        }
        segments.extend(run.map(|(a, b)| Segment::Line(far(a), far(b))));
    }
    segments
}

fn boxes(edges: &[f64], heights: &[f64], x: &Axis, y: &Axis) -> Vec<Rect> {
    let ground = match y.scale {
        Scale::Linear => y.place(0.0),
        Scale::Log => y.length,
    };
    let one = |(edges, height): (&[f64], &f64)| {
        let (left, right, top) = (x.place(edges[0]), x.place(edges[1]), y.place(*height));
        let known = left.is_finite() && right.is_finite() && top.is_finite();
        let (left, right) = (left.min(right), left.max(right));
        let (low, high) = (far(top.min(ground)), far(top.max(ground)));
        known.then_some(Rect { x: left, y: low, width: right - left, height: high - low })
    };
    edges.windows(2).zip(heights).filter_map(one).filter(|rect| rect.height > 0.0).collect()
}

/// Arrows around their points, the longest as long as a cell.
fn arrows(vectors: &Vectors, x: &Axis, y: &Axis) -> Vec<[(f64, f64); 2]> {
    let Vectors { xs, ys, us, vs } = vectors;
    // Lengths on the page: a direction in the data is that direction in the picture.
    let (unit_x, unit_y) = (x.unit_length(), y.unit_length());
    let on_page = |i: usize| {
        let (u, v) = (us[i] * x.unit_slope(xs[i]) * unit_x, vs[i] * y.unit_slope(ys[i]) * unit_y);
        let place = (x.place(xs[i]), y.place(ys[i]));
        [u, v, place.0, place.1].iter().all(|part| part.is_finite()).then_some((place, (u, v)))
    };
    let count = [xs.len(), ys.len(), us.len(), vs.len()].into_iter().min().unwrap_or(0);
    let found: Vec<_> = (0..count).filter_map(on_page).collect();
    let largest = found.iter().map(|(_, (u, v))| u.abs().max(v.abs())).fold(0.0, f64::max);
    let cell = (x.length * y.length / count.max(1) as f64).sqrt();
    let arrow = |(place, (u, v)): ((f64, f64), (f64, f64))| {
        let (u, v) = (u / largest, v / largest);
        let length = (u * u + v * v).sqrt();
        // Short arrows keep a direction that can be seen: lengths go with the root.
        let half = 0.45 * cell * length.sqrt() / length;
        let tip = (place.0 + half * u, place.1 + half * v);
        [(place.0 - half * u, place.1 - half * v), tip]
    };
    found.into_iter().map(arrow).filter(|ends| ends.iter().all(|(a, b)| a.is_finite() && b.is_finite())).collect()
}

/// The values as a pale picture, and lines of the same value on it.
fn contours(grid: &Grid, x: &Axis, y: &Axis) -> Vec<Mark> {
    let Grid { xs, ys, values } = grid;
    let range = Range::of(values.iter().copied());
    if range.is_empty() || xs.len() < 2 || ys.len() < 2 || values.len() < xs.len() * ys.len() {
        return vec![];
    }
    let mut marks = vec![ground(grid, range, x, y)];
    let across: Vec<f64> = xs.iter().map(|value| x.place(*value)).collect();
    let up: Vec<f64> = ys.iter().map(|value| y.place(*value)).collect();
    for level in contour::levels(range) {
        let lines = contour::lines(&across, &up, values, level);
        let segments = lines.into_iter().flat_map(|line| {
            let mut line = line.into_iter();
            let first = line.next().map(|(a, b)| Segment::Move(a, b));
            first.into_iter().chain(line.map(|(a, b)| Segment::Line(a, b)).collect::<Vec<_>>())
        });
        let segments: Vec<Segment> = segments.collect();
        if !segments.is_empty() {
            marks.push(Mark::Path { segments, stroke: Stroke::Level(range.part(level)) });
        }
    }
    marks
}

/// A picture whose pixels have their centres at the grid's points. On logarithmic axes they aren't at equal distances,
/// so that there is no picture, only lines.
fn ground(grid: &Grid, range: Range, x: &Axis, y: &Axis) -> Mark {
    let (columns, rows) = (grid.xs.len(), grid.ys.len());
    let ends = |values: &[f64], axis: &Axis| {
        let (a, b) = (axis.place(values[0]), axis.place(values[values.len() - 1]));
        let half = (b - a).abs() / (values.len() - 1) as f64 / 2.0;
        (a.min(b) - half, (b - a).abs() + 2.0 * half, b < a)
    };
    let ((left, width, left_first), (top, height, down)) = (ends(&grid.xs, x), ends(&grid.ys, y));
    let regular = x.scale == Scale::Linear && y.scale == Scale::Linear;
    let pixel = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        let row = if down { rows - 1 - row } else { row };
        let column = if left_first { columns - 1 - column } else { column };
        colour_of(grid.values[row * columns + column], range)
    };
    let pixels = if regular { (0..rows * columns).map(pixel).collect() } else { vec![] };
    let (rows, columns) = if regular { (rows, columns) } else { (0, 0) };
    let rect = Rect { x: far(left), y: far(top), width, height };
    Mark::Picture { rect, picture: Picture { rows, columns, pixels, soft: true } }
}

fn colour_of(value: f64, range: Range) -> Rgb {
    if value.is_finite() { scale(range.part(value)) } else { MISSING }
}

fn picture(image: &Image, x: &Axis, y: &Axis, grain: f64) -> Mark {
    let (rows, columns) = image.size();
    let (left, top) = (x.place(-0.5), y.place(-0.5));
    let (right, bottom) = (x.place(columns as f64 - 0.5), y.place(rows as f64 - 0.5));
    let rect =
        Rect { x: left.min(right), y: top.min(bottom), width: (right - left).abs(), height: (bottom - top).abs() };
    // More pixels than the page has can't be seen, and a file shouldn't be large.
    const MOST: f64 = 100_000.0;
    let coarse = (rect.width * rect.height / MOST).sqrt().max(grain);
    let most = |length: f64| ((length / coarse) as usize).max(1);
    let (shown_rows, shown_columns) = (rows.min(most(rect.height)), columns.min(most(rect.width)));
    let pixels = match image {
        Image::Values { values, .. } => {
            let range = Range::of(values.iter().copied());
            let means = thin::means(rows, columns, shown_rows, shown_columns, |at| {
                [values.get(at).copied().unwrap_or(f64::NAN)]
            });
            means.into_iter().map(|[value]| colour_of(value, range)).collect()
        }
        Image::Colours { values, .. } => {
            let means = thin::means(rows, columns, shown_rows, shown_columns, |at| {
                values.get(at).copied().unwrap_or([f64::NAN; 3])
            });
            means.into_iter().map(shade).collect()
        }
    };
    Mark::Picture { rect, picture: Picture { rows: shown_rows, columns: shown_columns, pixels, soft: false } }
}

fn shade(channels: [f64; 3]) -> Rgb {
    if channels.iter().any(|channel| channel.is_nan()) {
        return MISSING;
    }
    channels.map(|channel| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}
