//! Lines on which a grid of values has a certain value: marching squares, joined to lines.

use crate::axis::Range;
use crate::ticks;

/// At most so many lines are drawn.
const LEVELS: usize = 14;

/// Round values inside a range.
pub fn levels(range: Range) -> Vec<f64> {
    let ticks = ticks::linear(range.low, range.high, LEVELS).into_iter().map(|tick| tick.at);
    ticks.filter(|level| *level > range.low && *level < range.high).collect()
}

/// The lines of a level, in the order of the grid. Where a value isn't finite there is none.
pub fn lines(xs: &[f64], ys: &[f64], values: &[f64], level: f64) -> Vec<Vec<(f64, f64)>> {
    let grid = Grid { xs, ys, values, level };
    let mut links = Links { next: vec![[NOBODY; 2]; 2 * xs.len() * ys.len()] };
    for row in 0..ys.len() - 1 {
        for column in 0..xs.len() - 1 {
            grid.cross(row, column, &mut links);
        }
    }
    links.walk().into_iter().map(|edges| edges.into_iter().map(|edge| grid.crossing(edge)).collect()).collect()
}

struct Grid<'a> {
    xs: &'a [f64],
    ys: &'a [f64],
    values: &'a [f64],
    level: f64,
}

impl Grid<'_> {
    fn value(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.xs.len() + column]
    }

    /// The edge from a point to the right.
    fn across(&self, row: usize, column: usize) -> usize {
        row * self.xs.len() + column
    }

    /// The edge from a point to the next row.
    fn along(&self, row: usize, column: usize) -> usize {
        self.xs.len() * self.ys.len() + row * self.xs.len() + column
    }

    /// Links the edges of a cell that lines of the level cross.
    fn cross(&self, row: usize, column: usize, links: &mut Links) {
        let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(r, c)| self.value(row + r, column + c));
        if corners.iter().any(|value| !value.is_finite()) {
            return;
        }
        // Edge i goes from corner i to the next one.
        let edges = [
            self.across(row, column),
            self.along(row, column + 1),
            self.across(row + 1, column),
            self.along(row, column),
        ];
        let above = corners.map(|value| value >= self.level);
        let crossed: Vec<usize> = (0..4).filter(|i| above[*i] != above[(i + 1) % 4]).collect();
        match crossed[..] {
            [a, b] => links.link(edges[a], edges[b]),
            [_, _, _, _] => {
                // A saddle: the middle says which corners belong together.
                let middle = corners.iter().fold(0.0, |sum, value| sum + value / 4.0) >= self.level;
                let (first, second) = if middle == above[0] { ((0, 1), (2, 3)) } else { ((3, 0), (1, 2)) };
                links.link(edges[first.0], edges[first.1]);
                links.link(edges[second.0], edges[second.1]);
            }
            _ => {}
        }
    }

    /// Where the level lies on an edge.
    fn crossing(&self, edge: usize) -> (f64, f64) {
        let (columns, points) = (self.xs.len(), self.xs.len() * self.ys.len());
        let (row, column) = (edge % points / columns, edge % columns);
        let (next_row, next_column) = if edge < points { (row, column + 1) } else { (row + 1, column) };
        let range = Range { low: self.value(row, column), high: self.value(next_row, next_column) };
        let half = range.high / 2.0 - range.low / 2.0;
        let part = if half == 0.0 { 0.5 } else { (self.level / 2.0 - range.low / 2.0) / half };
        let between = |a: f64, b: f64| a + (b - a) * part;
        (between(self.xs[column], self.xs[next_column]), between(self.ys[row], self.ys[next_row]))
    }
}

const NOBODY: u32 = u32::MAX;

/// The neighbours of each edge along the lines: two at most.
struct Links {
    next: Vec<[u32; 2]>,
}

impl Links {
    fn link(&mut self, a: usize, b: usize) {
        for (from, to) in [(a, b), (b, a)] {
            let free = usize::from(self.next[from][0] != NOBODY);
            self.next[from][free] = to as u32;
        }
    }

    /// All lines: first those with ends, then the closed ones.
    fn walk(&mut self) -> Vec<Vec<usize>> {
        let mut lines = vec![];
        for ends in [1, 2] {
            for edge in 0..self.next.len() {
                let neighbours = self.next[edge].iter().filter(|next| **next != NOBODY).count();
                if neighbours == ends {
                    lines.push(self.follow(edge));
                }
            }
        }
        lines
    }

    /// Follows a line from an edge, and takes it away.
    fn follow(&mut self, start: usize) -> Vec<usize> {
        let mut line = vec![start];
        let mut at = start;
        while let Some(next) = self.next[at].into_iter().find(|next| *next != NOBODY) {
            let next = next as usize;
            self.unlink(at, next);
            self.unlink(next, at);
            line.push(next);
            at = next;
        }
        line
    }

    fn unlink(&mut self, from: usize, to: usize) {
        if let Some(slot) = self.next[from].iter_mut().find(|next| **next == to as u32) {
            *slot = NOBODY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(f: impl Fn(f64, f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        let places: Vec<f64> = (0..41).map(|i| f64::from(i) / 20.0 - 1.0).collect();
        let values = places.iter().flat_map(|y| places.iter().map(|x| f(*x, *y)).collect::<Vec<_>>()).collect();
        (places, values)
    }

    #[test]
    fn a_circle_is_one_closed_line() {
        let (places, values) = grid(|x, y| x * x + y * y);
        let lines = lines(&places, &places, &values, 0.5);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|(x, y)| (x * x + y * y - 0.5).abs() < 2e-3));
    }

    #[test]
    fn a_line_may_end_at_the_border_or_at_a_hole() {
        let (places, values) = grid(|x, _| x);
        assert_eq!(lines(&places, &places, &values, 0.01).len(), 1);
        let (places, values) = grid(|x, y| if y.abs() < 0.1 { f64::NAN } else { x });
        assert_eq!(lines(&places, &places, &values, 0.01).len(), 2);
    }

    #[test]
    fn a_saddle_has_two_lines() {
        let (places, values) = grid(|x, y| x * y);
        let lines = lines(&places, &places, &values, 0.25);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().flatten().all(|(x, y)| (x * y - 0.25).abs() < 2e-3));
    }

    #[test]
    fn levels_are_round_and_inside() {
        assert_eq!(levels(Range { low: 0.0, high: 1.0 }).len(), 9);
        assert!(levels(Range { low: 2.0, high: 2.0 }).is_empty());
    }
}
