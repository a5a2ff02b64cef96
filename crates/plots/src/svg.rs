//! Scenes as SVG: no script, two decimals, colours that follow the page.
//!
//! In a page the text has the page's colour (`currentColor`), and the palette can be set by variables (`--plot-blue` and so
//! on). A file brings its own colours and paper, for light and for dark.

use std::fmt::Write;

use crate::colour::{Colour, Named, PALETTE, PAPER, Tone, hex, scale};
use crate::describe::describe;
use crate::number::{coordinate, push_coordinate};
use crate::plot::Plot;
use crate::png::data_uri;
use crate::scene::{Bar, Entry, Mark, Metrics, Picture, Rect, Scene, Segment, Stroke, Swatch, View};

/// Where an SVG is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Page {
    /// A file of its own, also as an image in a document.
    File,
    /// Inside a page, whose colours it takes.
    Inline,
}

pub fn svg(plot: &Plot, page: Page) -> String {
    let scene = Scene::new(plot, &metrics(plot));
    let mut writer = Writer { out: String::new() };
    writer.scene(&scene, page, &describe(plot));
    writer.out
}

/// Sizes in pixels for letters of 12 pixels. Views are smaller where there are several.
fn metrics(plot: &Plot) -> Metrics {
    let panels = crate::figure::Figure::new(plot).panels.len();
    let (view, columns) = match panels {
        1 => ((640.0, 400.0), 1),
        2 | 4 => ((440.0, 320.0), 2),
        _ => ((360.0, 280.0), 3),
    };
    Metrics {
        view,
        columns,
        character: 7.0,
        title: 26.0,
        legend: 20.0,
        name: 20.0,
        ticks: 22.0,
        edges: [22.0, 18.0, 14.0, 8.0],
        swatch: 30.0,
        distance: (75.0, 45.0),
        bar: (12.0, 14.0),
        aspect: 1.0,
        grain: 1.0,
    }
}

struct Writer {
    out: String,
}

/// What the text is written in.
const FONT: &str =
    "font-family=\"system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif\" font-size=\"12\"";

impl Writer {
    fn put(&mut self, text: std::fmt::Arguments) {
        let _ = self.out.write_fmt(text);
    }

    fn scene(&mut self, scene: &Scene, page: Page, description: &str) {
        let (width, height) = (coordinate(scene.width), coordinate(scene.height));
        let ink = match page {
            Page::File => format!(" color=\"{}\"", hex(Named::Ink.tone().light)),
            Page::Inline => String::new(),
        };
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"evert-plot\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" {FONT}{ink}>\n<desc>{}</desc>\n",
            escaped(description)
        ));
        if page == Page::File {
            self.put(format_args!("{}\n", paper()));
        }
        if let Some(title) = &scene.title {
            self.title(title, scene.views[0].frame.x, 21.0, 16);
        }
        scene.views.iter().for_each(|view| self.view(view));
        self.out.push_str("</svg>\n");
    }

    fn title(&mut self, title: &str, x: f64, y: f64, size: u32) {
        let (x, y) = (coordinate(x), coordinate(y));
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" fill=\"currentColor\" font-size=\"{size}\" font-weight=\"600\">{}</text>\n",
            escaped(title)
        ));
    }

    fn view(&mut self, view: &View) {
        let Rect { x, y, width, height } = view.frame;
        if let Some(title) = &view.title {
            self.title(title, x, view.area.y + 26.0, 14);
        }
        let above = if view.y_label.is_some() { 20.0 } else { 0.0 };
        let rows = view.legend.last().map_or(0, |entry| entry.row + 1);
        for entry in &view.legend {
            let from_frame = above + 20.0 * (rows - entry.row) as f64;
            self.entry(entry, x, y - from_frame + 8.0);
        }
        self.grid(view);
        let frame = [x, y, width, height].map(coordinate);
        let [left, top, across, up] = &frame;
        self.put(format_args!("<svg x=\"{left}\" y=\"{top}\" width=\"{across}\" height=\"{up}\">\n"));
        view.marks.iter().for_each(|mark| self.mark(mark));
        self.out.push_str("</svg>\n");
        self.labels(view);
        if let Some(bar) = &view.bar {
            self.bar(bar);
        }
    }

    /// Lines at the ticks, and stronger ones at the left and at the bottom.
    fn grid(&mut self, view: &View) {
        let Rect { x, y, width, height } = view.frame;
        // Ticks without a label are between others, as on a logarithmic axis.
        for (minor, opacity) in [(true, ".06"), (false, ".13")] {
            let mut lines = String::new();
            for tick in view.x_ticks.iter().filter(|tick| tick.label.is_empty() == minor) {
                let _ = write!(lines, "M{} {}v{}", coordinate(x + tick.at), coordinate(y), coordinate(height));
            }
            for tick in view.y_ticks.iter().filter(|tick| tick.label.is_empty() == minor) {
                let _ = write!(lines, "M{} {}h{}", coordinate(x), coordinate(y + tick.at), coordinate(width));
            }
            if !lines.is_empty() {
                self.put(format_args!("<path d=\"{lines}\" stroke=\"currentColor\" stroke-opacity=\"{opacity}\"/>\n"));
            }
        }
        let corner = format!("M{} {}v{}h{}", coordinate(x), coordinate(y), coordinate(height), coordinate(width));
        self.put(format_args!("<path d=\"{corner}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\".45\"/>\n"));
    }

    fn labels(&mut self, view: &View) {
        let Rect { x, y, width, height } = view.frame;
        let below = view.x_ticks.iter().map(|tick| (x + tick.at, y + height + 17.0, tick.label.as_str()));
        self.texts("middle", below);
        let beside = view.y_ticks.iter().map(|tick| (x - 7.0, y + tick.at + 4.0, tick.label.as_str()));
        self.texts("end", beside);
        self.texts("end", view.x_label.iter().map(|name| (x + width, y + height + 36.0, name.as_str())));
        self.texts("start", view.y_label.iter().map(|name| (view.area.x + 12.0, y - 10.0, name.as_str())));
    }

    fn texts<'a>(&mut self, anchor: &str, texts: impl Iterator<Item = (f64, f64, &'a str)>) {
        let texts: Vec<_> = texts.filter(|(_, _, text)| !text.is_empty()).collect();
        if texts.is_empty() {
            return;
        }
        self.put(format_args!("<g fill=\"currentColor\" fill-opacity=\".85\" text-anchor=\"{anchor}\">"));
        for (x, y, text) in texts {
            self.put(format_args!("<text x=\"{}\" y=\"{}\">{}</text>", coordinate(x), coordinate(y), escaped(text)));
        }
        self.out.push_str("</g>\n");
    }

    fn entry(&mut self, entry: &Entry, left: f64, middle: f64) {
        let x = left + entry.x;
        let (from, centre, line) = (coordinate(x), coordinate(x + 9.0), coordinate(middle));
        let (stroke, fill) = (painted("stroke", entry.colour), painted("fill", entry.colour));
        match entry.swatch {
            Swatch::Line => self.put(format_args!("<path d=\"M{from} {line}h18\" {stroke} stroke-width=\"2.5\"/>")),
            Swatch::Dashes => self.put(format_args!(
                "<path d=\"M{from} {line}h18\" {stroke} stroke-width=\"2.5\" stroke-dasharray=\"{DASHES}\"/>"
            )),
            Swatch::Dot => self.put(format_args!("<circle cx=\"{centre}\" cy=\"{line}\" r=\"3.5\" {fill}/>")),
            Swatch::Box => {
                let (corner, top) = (coordinate(x + 3.0), coordinate(middle - 5.0));
                self.put(format_args!(
                    "<rect x=\"{corner}\" y=\"{top}\" width=\"12\" height=\"10\" {fill} fill-opacity=\".8\"/>"
                ));
            }
        }
        self.put(format_args!(
            "<text x=\"{}\" y=\"{}\" fill=\"currentColor\">{}</text>\n",
            coordinate(x + 24.0),
            coordinate(middle + 4.0),
            escaped(&entry.label)
        ));
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Path { segments, stroke } => self.path(segments, *stroke),
            Mark::Dots { at, colour } => self.dots(at, *colour),
            Mark::Boxes { rects, colour } => self.boxes(rects, *colour),
            Mark::Arrows { arrows, colour } => self.arrows(arrows, *colour),
            Mark::Picture { rect, picture } => self.picture(*rect, picture),
        }
    }

    fn path(&mut self, segments: &[Segment], stroke: Stroke) {
        if segments.is_empty() {
            return;
        }
        let look = match stroke {
            Stroke::Solid(colour) => format!("{} stroke-width=\"2\"", painted("stroke", colour)),
            Stroke::Dashed(colour) => {
                format!("{} stroke-width=\"2\" stroke-dasharray=\"{DASHES}\"", painted("stroke", colour))
            }
            Stroke::Level(_) => "stroke=\"currentColor\" stroke-opacity=\".5\"".to_string(),
        };
        self.put(format_args!(
            "<path fill=\"none\" {look} stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"{}\"/>\n",
            path_data(segments)
        ));
    }

    fn dots(&mut self, at: &[(f64, f64)], colour: Option<Colour>) {
        if at.is_empty() {
            return;
        }
        let size = match at.len() {
            0..=300 => 6,
            301..=2000 => 4,
            _ => 3,
        };
        let mut data = String::new();
        for (x, y) in at {
            point(&mut data, 'M', *x, *y);
            data.push_str("h0");
        }
        self.put(format_args!(
            "<path fill=\"none\" {} stroke-width=\"{size}\" stroke-linecap=\"round\" d=\"{data}\"/>\n",
            painted("stroke", colour)
        ));
    }

    fn boxes(&mut self, rects: &[Rect], colour: Option<Colour>) {
        if rects.is_empty() {
            return;
        }
        let mut data = String::new();
        for rect in rects {
            // Neighbours are told apart by the paper between them.
            let gap = if rect.width > 4.0 { 0.5 } else { 0.0 };
            point(&mut data, 'M', rect.x + gap, rect.y);
            let (width, height) = (coordinate(rect.width - 2.0 * gap), coordinate(rect.height));
            let _ = write!(data, "h{width}v{height}h-{width}z");
        }
        self.put(format_args!("<path {} fill-opacity=\".8\" d=\"{data}\"/>\n", painted("fill", colour)));
    }

    fn arrows(&mut self, arrows: &[[(f64, f64); 2]], colour: Option<Colour>) {
        if arrows.is_empty() {
            return;
        }
        let mut data = String::new();
        for [from, to] in arrows {
            point(&mut data, 'M', from.0, from.1);
            point(&mut data, 'L', to.0, to.1);
            let [first, second] = head(*from, *to);
            point(&mut data, 'M', first.0, first.1);
            point(&mut data, 'L', to.0, to.1);
            point(&mut data, 'L', second.0, second.1);
        }
        // Black arrows would hide what they are on.
        let pale = if colour.is_none() { " stroke-opacity=\".7\"" } else { "" };
        self.put(format_args!(
            "<path fill=\"none\" {}{pale} stroke-width=\"1.4\" stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"{data}\"/>\n",
            painted("stroke", colour)
        ));
    }

    fn picture(&mut self, rect: Rect, picture: &Picture) {
        if picture.pixels.is_empty() {
            return;
        }
        let look = if picture.soft { "opacity=\".5\"" } else { "style=\"image-rendering:pixelated\"" };
        let [x, y, width, height] = [rect.x, rect.y, rect.width, rect.height].map(coordinate);
        self.put(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" {look} href=\"{}\"/>\n",
            if picture.soft {
                data_uri(picture.rows, picture.columns, &picture.pixels)
            } else {
                enlarged(picture, rect)
            }
        ));
    }

    fn bar(&mut self, bar: &Bar) {
        const STEPS: usize = 64;
        let pixels = (0..STEPS).map(|i| scale(1.0 - i as f64 / (STEPS - 1) as f64)).collect();
        self.picture(bar.rect, &Picture { rows: STEPS, columns: 1, pixels, soft: bar.soft });
        let right = bar.rect.x + bar.rect.width;
        let texts = bar.ticks.iter().map(|tick| (right + 6.0, bar.rect.y + tick.at + 4.0, tick.label.as_str()));
        self.texts("start", texts);
    }
}

/// A picture with pixels of several pixels, as many as are shown: not every program knows that they are squares.
fn enlarged(picture: &Picture, rect: Rect) -> String {
    let times = |shown: f64, count: usize| (shown / count as f64).ceil().max(1.0) as usize;
    let (down, across) = (times(rect.height, picture.rows), times(rect.width, picture.columns));
    let mut pixels = Vec::with_capacity(picture.pixels.len() * down * across);
    for row in picture.pixels.chunks(picture.columns) {
        let wide: Vec<_> = row.iter().flat_map(|pixel| std::iter::repeat_n(*pixel, across)).collect();
        (0..down).for_each(|_| pixels.extend_from_slice(&wide));
    }
    data_uri(picture.rows * down, picture.columns * across, &pixels)
}

const DASHES: &str = "6 4";

/// The two ends of an arrow's head.
fn head(from: (f64, f64), to: (f64, f64)) -> [(f64, f64); 2] {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt();
    let size = (0.4 * length).min(6.0) / length;
    let size = if size.is_finite() { size } else { 0.0 };
    let back = (to.0 - size * dx, to.1 - size * dy);
    let side = (-0.5 * size * dy, 0.5 * size * dx);
    [(back.0 + side.0, back.1 + side.1), (back.0 - side.0, back.1 - side.1)]
}

fn path_data(segments: &[Segment]) -> String {
    let mut data = String::new();
    for segment in segments {
        match segment {
            Segment::Move(x, y) => point(&mut data, 'M', *x, *y),
            Segment::Line(x, y) => point(&mut data, 'L', *x, *y),
            Segment::Cubic([a, b, c, d, x, y]) => {
                point(&mut data, 'C', *a, *b);
                point(&mut data, ' ', *c, *d);
                point(&mut data, ' ', *x, *y);
            }
        }
    }
    data
}

fn point(data: &mut String, letter: char, x: f64, y: f64) {
    data.push(letter);
    push_coordinate(data, x);
    data.push(' ');
    push_coordinate(data, y);
}

/// A colour as an attribute. Programs that don't know variables take the first one.
fn painted(attribute: &str, colour: Option<Colour>) -> String {
    match colour {
        None | Some(Colour::Named(Named::Ink)) => format!("{attribute}=\"currentColor\""),
        Some(Colour::Rgb(rgb)) => format!("{attribute}=\"{}\"", hex(rgb)),
        Some(Colour::Named(named)) => {
            let Tone { name, light, .. } = named.tone();
            let light = hex(*light);
            format!("{attribute}=\"{light}\" style=\"{attribute}:var(--plot-{name},{light})\"")
        }
    }
}

/// The colours of a file, for light and dark surroundings.
fn paper() -> String {
    let named = PALETTE.iter().filter(|tone| tone.named != Named::Ink);
    let dark: String = named.map(|tone| format!("--plot-{}:{};", tone.name, hex(tone.dark))).collect();
    let (white, black) = (hex(PAPER.0), hex(PAPER.1));
    let ink = hex(Named::Ink.tone().dark);
    format!(
        "<style>.evert-paper{{fill:{white}}}@media(prefers-color-scheme:dark){{.evert-plot{{color:{ink};{dark}}}\
         .evert-paper{{fill:{black}}}}}</style>\n\
         <rect class=\"evert-paper\" width=\"100%\" height=\"100%\" rx=\"6\" fill=\"{white}\"/>"
    )
}

/// Text for XML; characters that it doesn't allow become a mark.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_safe() {
        assert_eq!(escaped("a<b> & \"c\"\u{1b}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd} ");
    }

    #[test]
    fn colours_follow_the_page() {
        assert_eq!(painted("stroke", None), "stroke=\"currentColor\"");
        assert_eq!(painted("fill", Some(Colour::Rgb([1, 2, 3]))), "fill=\"#010203\"");
        let blue = painted("fill", Some(Colour::Named(Named::Blue)));
        assert_eq!(blue, "fill=\"#0072b2\" style=\"fill:var(--plot-blue,#0072b2)\"");
    }

    #[test]
    fn a_head_lies_behind_the_tip() {
        assert_eq!(head((0.0, 0.0), (10.0, 0.0)), [(6.0, 2.0), (6.0, -2.0)]);
        assert_eq!(head((1.0, 1.0), (1.0, 1.0)), [(1.0, 1.0); 2]);
    }
}
