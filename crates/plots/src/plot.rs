//! What is drawn: a plot without functions.

use crate::colour::Colour;

#[derive(Clone, PartialEq, Debug)]
pub enum Plot {
    /// Cubic pieces of a curve: x, y and slope at both ends of each. Where a slope isn't finite the piece is straight; where
    /// a piece doesn't begin at the end of the last one there is a gap. Values outside of `low..high` aren't worth showing.
    Pieces {
        rows: Vec<[f64; 6]>,
        low: f64,
        high: f64,
    },
    Line(Series),
    Points(Series),
    /// Bars from each edge to the next.
    Bars {
        edges: Vec<f64>,
        heights: Vec<f64>,
    },
    Arrows(Vectors),
    /// Lines of the same value.
    Contour(Grid),
    Image(Image),
    Styled(Style, Box<Plot>),
    /// Several in one frame.
    Over(Vec<Plot>),
    /// Several side by side.
    Beside(Vec<Plot>),
}

/// Points in the order in which they are connected.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
}

/// Arrows (u, v) at points (x, y).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Vectors {
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    pub us: Vec<f64>,
    pub vs: Vec<f64>,
}

/// Values at all pairs of an x and a y, one row for each y.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Grid {
    pub xs: Vec<f64>,
    pub ys: Vec<f64>,
    pub values: Vec<f64>,
}

/// Pixels row by row, the first row at the top.
#[derive(Clone, PartialEq, Debug)]
pub enum Image {
    /// One number for each pixel, shown in colours of a scale.
    Values { rows: usize, columns: usize, values: Vec<f64> },
    /// Red, green and blue from 0 to 1.
    Colours { rows: usize, columns: usize, values: Vec<[f64; 3]> },
}

impl Image {
    pub fn size(&self) -> (usize, usize) {
        match self {
            Image::Values { rows, columns, .. } | Image::Colours { rows, columns, .. } => (*rows, *columns),
        }
    }
}

/// What a plot says about how it looks. What isn't said is inherited from outside, or chosen.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Style {
    pub title: Option<String>,
    /// The names of the axes.
    pub x: Option<String>,
    pub y: Option<String>,
    /// The name in the legend.
    pub label: Option<String>,
    pub colour: Option<Colour>,
    pub log_x: bool,
    pub log_y: bool,
}
