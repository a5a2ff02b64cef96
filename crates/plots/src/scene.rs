//! The scene: where everything is, before anybody says how it is drawn.
//!
//! In: a figure and the sizes of a page or screen. Out: views, each with a frame, ticks, names, and marks in the coordinates of
//! its frame. Widths of texts aren't known: room for labels is reserved by their number of characters, and texts are
//! anchored where they belong.

use crate::axis::{Axis, Direction, Range, Scale};
use crate::colour::{Colour, Rgb};
use crate::figure::{Figure, Panel};
use crate::marks::{self, Extent};
use crate::plot::{Image, Plot};
use crate::ticks::Tick;

pub struct Scene {
    pub width: f64,
    pub height: f64,
    pub title: Option<String>,
    pub views: Vec<View>,
}

/// A rectangle.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rect {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// One frame with everything around it.
pub struct View {
    /// What the view may use.
    pub area: Rect,
    pub frame: Rect,
    pub title: Option<String>,
    pub x_label: Option<String>,
    pub y_label: Option<String>,
    /// Places inside the frame.
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    pub legend: Vec<Entry>,
    /// In the coordinates of the frame, and only visible there.
    pub marks: Vec<Mark>,
    /// What the colours of numbers mean.
    pub bar: Option<Bar>,
}

/// A row of the legend.
pub struct Entry {
    pub label: String,
    pub colour: Option<Colour>,
    pub swatch: Swatch,
    /// Which line of the legend it is on, and where it begins there, from the left of the frame.
    pub row: usize,
    pub x: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Swatch {
    Line,
    Dashes,
    Dot,
    Box,
}

/// A scale of colours beside the frame; ticks are places on its height.
pub struct Bar {
    pub rect: Rect,
    pub ticks: Vec<Tick>,
    pub soft: bool,
}

/// Something inside a frame.
#[derive(Debug)]
pub enum Mark {
    Path {
        segments: Vec<Segment>,
        stroke: Stroke,
    },
    Dots {
        at: Vec<(f64, f64)>,
        colour: Option<Colour>,
    },
    Boxes {
        rects: Vec<Rect>,
        colour: Option<Colour>,
    },
    /// From and to.
    Arrows {
        arrows: Vec<[(f64, f64); 2]>,
        colour: Option<Colour>,
    },
    Picture {
        rect: Rect,
        picture: Picture,
    },
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Segment {
    Move(f64, f64),
    Line(f64, f64),
    Cubic([f64; 6]),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Stroke {
    Solid(Option<Colour>),
    Dashed(Option<Colour>),
    /// A contour: how large its value is, from 0 to 1.
    Level(f64),
}

#[derive(Debug)]
pub struct Picture {
    pub rows: usize,
    pub columns: usize,
    pub pixels: Vec<Rgb>,
    /// It lies under something else: pale, and its pixels flow into each other.
    pub soft: bool,
}

/// The sizes of a page or screen, in its own units.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Width and height of a view.
    pub view: (f64, f64),
    /// So many views stand side by side.
    pub columns: usize,
    /// A character of a label is about so wide.
    pub character: f64,
    /// Heights of lines: of a title, of the legend, of the names of axes, and of the ticks below a frame.
    pub title: f64,
    pub legend: f64,
    pub name: f64,
    pub ticks: f64,
    /// Room at the left, right, top and bottom; labels of ticks at the left come on top of it.
    pub edges: [f64; 4],
    /// What the swatch of an entry of the legend takes, and the room to the next entry.
    pub swatch: f64,
    /// The least distance of labels along both axes.
    pub distance: (f64, f64),
    /// The width of a scale of colours, and its distance from the frame.
    pub bar: (f64, f64),
    /// How many times wider than high a square is drawn.
    pub aspect: f64,
    /// Lines and points that are closer to each other can't be told apart.
    pub grain: f64,
}

impl Scene {
    pub fn new(plot: &Plot, metrics: &Metrics) -> Scene {
        let figure = Figure::new(plot);
        let columns = metrics.columns.clamp(1, figure.panels.len());
        let rows = figure.panels.len().div_ceil(columns);
        let (width, height) = metrics.view;
        let top = if figure.title.is_some() { metrics.title } else { 0.0 };
        let view = |(i, panel): (usize, &Panel)| {
            let (x, y) = ((i % columns) as f64 * width, top + (i / columns) as f64 * height);
            View::new(panel, Rect { x, y, width, height }, metrics)
        };
        let views: Vec<View> = figure.panels.iter().enumerate().map(view).collect();
        // An image may be narrower than a page; what stands beside others keeps its place.
        let (width, height) = match &views[..] {
            [view] => view.needed(metrics),
            _ => (width * columns as f64, height * rows as f64),
        };
        Scene { width, height: top + height, title: figure.title.map(String::from), views }
    }
}

impl View {
    fn new(panel: &Panel, area: Rect, metrics: &Metrics) -> View {
        let [left, right, top, bottom] = metrics.edges;
        let extent = marks::extent(panel);
        let values = panel.layers.iter().find_map(|layer| marks::values(layer.mark));
        let has_image = panel.layers.iter().any(|layer| matches!(layer.mark, Plot::Image(_)));
        let up = if has_image { Direction::Forward } else { Direction::Backward };

        let above = panel.title.map_or(0.0, |_| metrics.title) + panel.y.map_or(0.0, |_| metrics.name);
        let below = metrics.ticks + panel.x.map_or(0.0, |_| metrics.name);
        // The legend is as wide as the frame, and the frame as high as the legend leaves it: begin with the widths.
        let (x, y) = axes(panel, &extent, up, area.height);
        let most = |length: f64, distance: f64| (length / distance) as usize;
        let room = (area.height - above - below - top - bottom).max(metrics.distance.1);
        let labels = y.ticks(most(room, metrics.distance.1));
        let left = left + longest(&labels) as f64 * metrics.character;
        let bar_axis = values.map(|range| Axis::new(Scale::Linear, range, [0.0; 2], room, Direction::Backward));
        let bar_ticks = bar_axis.map_or(vec![], |axis| axis.ticks(most(room, metrics.distance.1)));
        let beside = match bar_axis {
            Some(_) => {
                metrics.bar.0 + metrics.bar.1 + longest(&bar_ticks) as f64 * metrics.character + metrics.character
            }
            None => 0.0,
        };
        let width = (area.width - left - right - beside).max(metrics.distance.0 / 2.0);
        let legend = legend(panel, width, metrics);
        let legend_rows = legend.last().map_or(0, |entry| entry.row + 1);
        let above = above + legend_rows as f64 * metrics.legend;
        let height = (area.height - above - below - top - bottom).max(metrics.distance.1);

        let mut frame = Rect { x: area.x + left, y: area.y + top + above, width, height };
        if let Some(ratio) = ratio(panel) {
            frame = fitted(frame, ratio * metrics.aspect, metrics);
        }
        let (x, y) = (x.with_length(frame.width), y.with_length(frame.height));
        let bar = bar_axis.map(|axis| Bar {
            rect: Rect { x: frame.x + frame.width + metrics.bar.1, width: metrics.bar.0, ..frame },
            ticks: axis.with_length(frame.height).ticks(most(frame.height, metrics.distance.1)),
            soft: !has_image,
        });
        View {
            area,
            frame,
            title: panel.title.map(String::from),
            x_label: panel.x.map(String::from),
            y_label: panel.y.map(String::from),
            x_ticks: inside(x.ticks(most(frame.width, metrics.distance.0)), frame.width),
            y_ticks: inside(y.ticks(most(frame.height, metrics.distance.1)), frame.height),
            legend,
            marks: marks::marks(panel, &x, &y, metrics.grain),
            bar,
        }
    }
}

impl View {
    /// The width and height that are used of the area.
    fn needed(&self, metrics: &Metrics) -> (f64, f64) {
        let [_, right, _, bottom] = metrics.edges;
        let labels = self.bar.as_ref().map_or(0, |bar| longest(&bar.ticks) + 1);
        let content = self.bar.as_ref().map_or(self.frame, |bar| bar.rect);
        let width = content.x + content.width + labels as f64 * metrics.character + right;
        let below = metrics.ticks + self.x_label.as_ref().map_or(0.0, |_| metrics.name) + bottom;
        let legend = self.legend.iter().map(|entry| entry.x + metrics.swatch + text_width(&entry.label, metrics));
        let title = self.title.iter().map(|title| 1.3 * text_width(title, metrics));
        let texts = legend.chain(title).fold(0.0, f64::max) + self.frame.x;
        (width.max(texts).min(self.area.width), (self.frame.y + self.frame.height + below).min(self.area.height))
    }
}

fn text_width(text: &str, metrics: &Metrics) -> f64 {
    (text.chars().count() as f64 + 1.0) * metrics.character
}

fn axes(panel: &Panel, extent: &Extent, up: Direction, height: f64) -> (Axis, Axis) {
    let scale = |log: bool| if log { Scale::Log } else { Scale::Linear };
    let x = Axis::new(scale(panel.log_x), extent.x, extent.free_x, 1.0, Direction::Forward);
    let y = Axis::new(scale(panel.log_y), extent.y, extent.free_y, height, up);
    (x, y)
}

/// Rounding may put a tick just outside.
fn inside(ticks: Vec<Tick>, length: f64) -> Vec<Tick> {
    ticks.into_iter().filter(|tick| (-0.5..=length + 0.5).contains(&tick.at)).collect()
}

fn longest(ticks: &[Tick]) -> usize {
    ticks.iter().map(|tick| tick.label.chars().count()).max().unwrap_or(0)
}

/// The width of a panel's images by their height: their pixels are squares.
fn ratio(panel: &Panel) -> Option<f64> {
    let mut largest: Option<(usize, usize)> = None;
    for layer in &panel.layers {
        if let Plot::Image(image @ (Image::Values { .. } | Image::Colours { .. })) = layer.mark {
            let (rows, columns) = image.size();
            let (most_rows, most_columns) = largest.unwrap_or((0, 0));
            largest = Some((most_rows.max(rows), most_columns.max(columns)));
        }
    }
    let (rows, columns) = largest?;
    let ratio = columns.max(1) as f64 / rows.max(1) as f64;
    // A row of numbers would be a line: pixels that are much longer than wide are better than none.
    Some(ratio.clamp(0.1, 10.0))
}

/// The largest frame of that ratio inside another.
fn fitted(frame: Rect, ratio: f64, metrics: &Metrics) -> Rect {
    let width = frame.width.min(frame.height * ratio).max(metrics.grain * 4.0);
    let height = frame.height.min(width / ratio).max(metrics.grain * 4.0);
    Rect { width, height, ..frame }
}

fn legend(panel: &Panel, width: f64, metrics: &Metrics) -> Vec<Entry> {
    let (mut row, mut x) = (0, 0.0);
    let mut entries = vec![];
    for layer in &panel.layers {
        let Some(label) = layer.label else { continue };
        let needed = metrics.swatch + text_width(label, metrics);
        if x > 0.0 && x + needed > width {
            (row, x) = (row + 1, 0.0);
        }
        let swatch = match layer.mark {
            Plot::Points(_) => Swatch::Dot,
            Plot::Bars { .. } | Plot::Image(_) => Swatch::Box,
            _ if layer.dashed => Swatch::Dashes,
            _ => Swatch::Line,
        };
        entries.push(Entry { label: label.to_string(), colour: layer.colour, swatch, row, x });
        x += needed;
    }
    entries
}

impl Range {
    /// A part of the way through the range, from 0 to 1; nan if there is no way.
    pub fn part(self, value: f64) -> f64 {
        let half = self.high / 2.0 - self.low / 2.0;
        if half > 0.0 { (value / 2.0 - self.low / 2.0) / half } else { 0.5 }
    }
}
