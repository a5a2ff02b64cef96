//! Fewer points for the same picture: what lies closer together than can be seen is left out.

use crate::scene::Rect;

/// Lines and point sets of up to so many points are drawn as they are.
const FEW: usize = 2_000;
/// No more points than these are drawn, whatever they are.
pub const MOST: usize = 10_000;

/// The parts of a line between places that are nan, each thinned to the least and the largest place of every column.
pub fn runs(places: Vec<(f64, f64)>, grain: f64) -> Vec<Vec<(f64, f64)>> {
    let is_known = |place: &(f64, f64)| !place.0.is_nan() && !place.1.is_nan();
    let many = places.len() > FEW;
    let runs = places.split(|place| !is_known(place)).filter(|run| !run.is_empty());
    let runs: Vec<Vec<_>> = runs.map(|run| if many { columns(run, grain) } else { run.to_vec() }).collect();
    // A line that goes to and fro has many columns: only some of its points can be drawn.
    let count: usize = runs.iter().map(Vec::len).sum();
    if count <= MOST {
        return runs;
    }
    let stride = count.div_ceil(MOST);
    if runs.len() <= MOST / 2 {
        return runs.into_iter().map(|run| every(run, stride)).collect();
    }
    let stride = runs.len().div_ceil(MOST / 2);
    runs.into_iter().step_by(stride).map(|run| every(run, MOST)).collect()
}

/// Every so many points, and the last one.
fn every(run: Vec<(f64, f64)>, stride: usize) -> Vec<(f64, f64)> {
    let last = run.last().copied();
    let rest = if run.len() > 1 && !(run.len() - 1).is_multiple_of(stride) { last } else { None };
    run.into_iter().step_by(stride).chain(rest).collect()
}

/// For each stretch of points in one column the least and the largest, in their order; also the first and the last point
/// of all.
fn columns(run: &[(f64, f64)], grain: f64) -> Vec<(f64, f64)> {
    let column = |place: &(f64, f64)| (place.0 / grain).floor();
    let mut thinned = vec![];
    for stretch in run.chunk_by(|a, b| column(a) == column(b)) {
        let (mut least, mut largest) = (0, 0);
        for (i, place) in stretch.iter().enumerate() {
            least = if place.1 < stretch[least].1 { i } else { least };
            largest = if place.1 > stretch[largest].1 { i } else { largest };
        }
        thinned.push(stretch[least.min(largest)]);
        if least != largest {
            thinned.push(stretch[least.max(largest)]);
        }
    }
    if thinned.first() != run.first() {
        thinned.splice(0..0, run.first().copied());
    }
    if thinned.last() != run.last() {
        thinned.extend(run.last());
    }
    thinned
}

/// Points that are at known places; of many only one in each cell of a grid.
pub fn points(mut places: Vec<(f64, f64)>, grain: f64) -> Vec<(f64, f64)> {
    places.retain(|place| place.0.is_finite() && place.1.is_finite());
    let mut cell = 2.0 * grain;
    while places.len() > FEW {
        let thinned = one_in_each_cell(&places, cell);
        if thinned.len() <= MOST {
            return thinned;
        }
        places = thinned;
        cell *= 1.5;
    }
    places
}

fn one_in_each_cell(places: &[(f64, f64)], cell: f64) -> Vec<(f64, f64)> {
    let least = places.iter().fold((f64::MAX, f64::MAX), |least, place| (least.0.min(place.0), least.1.min(place.1)));
    let index = |place: &(f64, f64)| {
        // Frames have some thousands of cells along a side at most.
        let [column, row] = [place.0 - least.0, place.1 - least.1].map(|way| (way / cell).min(4095.0) as usize);
        (row << 12) | column
    };
    let rows = places.iter().map(|place| index(place) >> 12).max().unwrap_or(0);
    let mut taken = vec![false; (rows + 1) << 12];
    places.iter().filter(|place| !std::mem::replace(&mut taken[index(place)], true)).copied().collect()
}

/// Boxes; of many that are narrower than can be seen, one that covers all of a column.
pub fn boxes(rects: Vec<Rect>, grain: f64) -> Vec<Rect> {
    if rects.len() <= FEW {
        return rects;
    }
    let column = |rect: &Rect| (rect.x / grain).floor();
    let cover = |stretch: &[Rect]| {
        let edge =
            |side: fn(&Rect) -> f64, pick: fn(f64, f64) -> f64| stretch.iter().map(side).reduce(pick).unwrap_or(0.0);
        let (x, y) = (edge(|rect| rect.x, f64::min), edge(|rect| rect.y, f64::min));
        let (right, bottom) = (edge(|rect| rect.x + rect.width, f64::max), edge(|rect| rect.y + rect.height, f64::max));
        Rect { x, y, width: right - x, height: bottom - y }
    };
    rects.chunk_by(|a, b| column(a) == column(b)).take(MOST).map(cover).collect()
}

/// Means of a table of numbers over equal parts of it; what is nan doesn't count.
pub fn means<const N: usize>(
    rows: usize,
    columns: usize,
    shown_rows: usize,
    shown_columns: usize,
    value: impl Fn(usize) -> [f64; N],
) -> Vec<[f64; N]> {
    let part = |i: usize, shown: usize, all: usize| i * all / shown..((i + 1) * all / shown).max(i * all / shown + 1);
    let mut means = Vec::with_capacity(shown_rows * shown_columns);
    for row in 0..shown_rows {
        for column in 0..shown_columns {
            let (mut sums, mut counts) = ([0.0; N], [0.0; N]);
            for r in part(row, shown_rows, rows) {
                for c in part(column, shown_columns, columns) {
                    for (i, value) in value(r * columns + c).into_iter().enumerate().filter(|(_, v)| v.is_finite()) {
                        // A mean as it goes along doesn't overflow.
                        counts[i] += 1.0;
                        sums[i] += value / counts[i] - sums[i] / counts[i];
                    }
                }
            }
            means.push(std::array::from_fn(|i| if counts[i] > 0.0 { sums[i] } else { f64::NAN }));
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_keeps_two_points_in_each_column() {
        let line: Vec<_> = (0..100_000).map(|i| (f64::from(i) / 1000.0, f64::from(i * 7919 % 1000))).collect();
        let thinned = runs(line, 1.0);
        assert_eq!(thinned.len(), 1);
        assert!((200..=202).contains(&thinned[0].len()));
        assert!(thinned[0].iter().any(|place| place.1 == 0.0) && thinned[0].iter().any(|place| place.1 == 999.0));
    }

    #[test]
    fn a_scribble_is_bounded() {
        let line: Vec<_> = (0..1_000_000).map(|i| (f64::from(i * 31 % 600), f64::from(i * 17 % 400))).collect();
        assert!(runs(line, 1.0)[0].len() <= MOST + 1);
        let gaps: Vec<_> = (0..1_000_000).map(|i| (if i % 2 == 0 { f64::NAN } else { f64::from(i) }, 0.0)).collect();
        assert!(runs(gaps, 1.0).len() <= MOST);
    }

    #[test]
    fn gaps_separate_runs() {
        let line = vec![(0.0, 0.0), (f64::NAN, 1.0), (2.0, 2.0), (3.0, 3.0), (4.0, f64::NAN)];
        assert_eq!(runs(line, 1.0), [vec![(0.0, 0.0)], vec![(2.0, 2.0), (3.0, 3.0)]]);
    }

    #[test]
    fn of_many_points_one_stays_in_each_cell() {
        let cloud: Vec<_> = (0..50_000).map(|i| (f64::from(i * 7919 % 500), f64::from(i * 211 % 300))).collect();
        let thinned = points(cloud, 1.0);
        assert!((1_000..=MOST).contains(&thinned.len()), "{}", thinned.len());
        assert_eq!(points(vec![(1.0, f64::NAN), (2.0, 3.0)], 1.0), [(2.0, 3.0)]);
    }

    #[test]
    fn means_leave_out_what_is_missing() {
        let table = [1.0, 3.0, f64::NAN, f64::NAN, 1e308, 1e308];
        let means = means(1, 6, 1, 3, |at| [table[at]]);
        assert_eq!((means[0], means[2]), ([2.0], [1e308]));
        assert!(means[1][0].is_nan());
    }
}
