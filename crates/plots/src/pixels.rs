//! Scenes as pixels: the inside of a frame, with smooth edges, on nothing.

use crate::colour::{Colour, Rgb, scale};
use crate::scene::{Mark, Picture, Rect, Segment, Stroke, View};

/// Red, green, blue and opacity, row by row.
pub struct Pixels {
    pub width: usize,
    pub height: usize,
    pub rgba: Vec<u8>,
}

/// The inside of a view's frame.
pub fn rgba(view: &View) -> Pixels {
    let (width, height) = (view.frame.width.ceil() as usize, view.frame.height.ceil() as usize);
    let mut pixels = Pixels { width, height, rgba: vec![0; 4 * width * height] };
    pixels.grid(view);
    view.marks.iter().for_each(|mark| pixels.mark(mark));
    pixels
}

/// The colours for pixels are between those for white and for black: what is behind isn't known.
fn rgb(colour: Option<Colour>) -> Rgb {
    match colour {
        None => GREY,
        Some(Colour::Rgb(rgb)) => rgb,
        Some(Colour::Named(named)) => {
            let tone = named.tone();
            std::array::from_fn(|i| ((u32::from(tone.light[i]) + u32::from(tone.dark[i])) / 2) as u8)
        }
    }
}

const GREY: Rgb = [136, 136, 136];

impl Pixels {
    fn grid(&mut self, view: &View) {
        let (width, height) = (view.frame.width, view.frame.height);
        let across = view.y_ticks.iter().map(|tick| ((0.0, tick.at), (width, tick.at)));
        let down = view.x_ticks.iter().map(|tick| ((tick.at, 0.0), (tick.at, height)));
        across.chain(down).for_each(|(from, to)| self.stroke(from, to, 1.0, GREY, 0.25));
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Path { segments, stroke } => {
                let (colour, thickness) = match stroke {
                    Stroke::Solid(colour) | Stroke::Dashed(colour) => (rgb(*colour), 2.5),
                    Stroke::Level(part) => (scale(0.3 + 0.7 * part), 1.5),
                };
                flattened(segments, &mut |from, to| self.stroke(from, to, thickness, colour, 1.0));
            }
            Mark::Dots { at, colour } => {
                let thickness = if at.len() <= 500 { 7.0 } else { 3.0 };
                at.iter().for_each(|place| self.stroke(*place, *place, thickness, rgb(*colour), 1.0));
            }
            Mark::Boxes { rects, colour } => rects.iter().for_each(|rect| self.fill(*rect, rgb(*colour))),
            Mark::Arrows { arrows, colour } => arrows.iter().for_each(|[from, to]| {
                self.stroke(*from, *to, 1.5, rgb(*colour), 1.0);
                self.stroke(*to, *to, 5.0, rgb(*colour), 1.0);
            }),
            Mark::Picture { rect, picture } => self.picture(*rect, picture),
        }
    }

    /// A line with round ends: opaque within half its thickness, and less so over one pixel around.
    fn stroke(&mut self, from: (f64, f64), to: (f64, f64), thickness: f64, colour: Rgb, opacity: f64) {
        let half = thickness / 2.0;
        let bounds = |a: f64, b: f64, most: usize| {
            let (low, high) = (a.min(b) - half - 1.0, a.max(b) + half + 1.0);
            low.clamp(0.0, most as f64) as usize..high.clamp(0.0, most as f64) as usize
        };
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let square = dx * dx + dy * dy;
        for row in bounds(from.1, to.1, self.height) {
            for column in bounds(from.0, to.0, self.width) {
                let (x, y) = (column as f64 + 0.5 - from.0, row as f64 + 0.5 - from.1);
                let along = if square > 0.0 { ((x * dx + y * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
                let (a, b) = (x - along * dx, y - along * dy);
                let cover = (half + 0.5 - (a * a + b * b).sqrt()).clamp(0.0, 1.0);
                self.blend(row, column, colour, cover * opacity);
            }
        }
    }

    fn fill(&mut self, rect: Rect, colour: Rgb) {
        let bounds = |start: f64, length: f64, most: usize| {
            start.clamp(0.0, most as f64) as usize..(start + length).clamp(0.0, most as f64) as usize
        };
        for row in bounds(rect.y, rect.height, self.height) {
            for column in bounds(rect.x + 1.0, rect.width - 1.0, self.width) {
                self.blend(row, column, colour, 0.8);
            }
        }
    }

    fn picture(&mut self, rect: Rect, picture: &Picture) {
        let opacity = if picture.soft { 0.5 } else { 1.0 };
        for row in 0..self.height {
            for column in 0..self.width {
                let across = (column as f64 + 0.5 - rect.x) / rect.width;
                let down = (row as f64 + 0.5 - rect.y) / rect.height;
                if !(0.0..1.0).contains(&across) || !(0.0..1.0).contains(&down) {
                    continue;
                }
                let (r, c) = ((down * picture.rows as f64) as usize, (across * picture.columns as f64) as usize);
                if let Some(pixel) = picture.pixels.get(r * picture.columns + c) {
                    self.blend(row, column, *pixel, opacity);
                }
            }
        }
    }

    /// Lays a colour over what is there.
    fn blend(&mut self, row: usize, column: usize, colour: Rgb, opacity: f64) {
        if opacity <= 0.0 {
            return;
        }
        let at = 4 * (row * self.width + column);
        let below = f64::from(self.rgba[at + 3]) / 255.0 * (1.0 - opacity);
        let all = opacity + below;
        for (i, part) in colour.into_iter().enumerate() {
            let mixed = (f64::from(part) * opacity + f64::from(self.rgba[at + i]) * below) / all;
            self.rgba[at + i] = (mixed + 0.5) as u8;
        }
        self.rgba[at + 3] = (all * 255.0 + 0.5) as u8;
    }
}

/// A path as straight lines.
pub fn flattened(segments: &[Segment], each: &mut dyn FnMut((f64, f64), (f64, f64))) {
    let mut at = (0.0, 0.0);
    for segment in segments {
        match segment {
            Segment::Move(x, y) => at = (*x, *y),
            Segment::Line(x, y) => {
                each(at, (*x, *y));
                at = (*x, *y);
            }
            Segment::Cubic([a, b, c, d, x, y]) => {
                let start = at;
                let length = (x - start.0).abs() + (b - start.1).abs() + (d - b).abs() + (y - d).abs();
                let count = (length / 4.0).clamp(2.0, 64.0) as usize;
                for i in 1..=count {
                    let t = i as f64 / count as f64;
                    let s = 1.0 - t;
                    let mix = |p: f64, q: f64, r: f64, e: f64| {
                        s * s * s * p + 3.0 * s * s * t * q + 3.0 * s * t * t * r + t * t * t * e
                    };
                    let next = (mix(start.0, *a, *c, *x), mix(start.1, *b, *d, *y));
                    each(at, next);
                    at = next;
                }
            }
        }
    }
}

/// Places along a line, so close to each other, as far as they are inside of the frame.
pub fn along(frame: Rect, from: (f64, f64), to: (f64, f64), step: f64, each: &mut dyn FnMut(f64, f64)) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    // The part of the line that may be inside.
    let (mut first, mut last) = (0.0_f64, 1.0_f64);
    for (start, way, length) in [(from.0, dx, frame.width), (from.1, dy, frame.height)] {
        if way == 0.0 {
            if !(-1.0..=length + 1.0).contains(&start) {
                return;
            }
            continue;
        }
        let (a, b) = ((-1.0 - start) / way, (length + 1.0 - start) / way);
        (first, last) = (first.max(a.min(b)), last.min(a.max(b)));
    }
    if first > last {
        return;
    }
    let count = ((last - first) * dx.abs().max(dy.abs()) / step).ceil().clamp(1.0, 100_000.0) as usize;
    for i in 0..=count {
        let t = first + (last - first) * i as f64 / count as f64;
        each(from.0 + t * dx, from.1 + t * dy);
    }
}
