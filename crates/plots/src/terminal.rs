//! Scenes as characters: curves in braille, two by four dots in a character, images in half blocks, arrows as arrows.
//!
//! In: the size of the screen in characters, and how many colours it has. Out: lines of text. Where a terminal shows pixels
//! (kitty's protocol), what is inside the frames is pixels and the rest is text.

use crate::colour::{Colour, Named, Rgb, scale};
use crate::pixels;
use crate::plot::Plot;
use crate::png::base64;
use crate::scene::{Bar, Entry, Mark, Metrics, Picture, Rect, Scene, Segment, Stroke, Swatch, View};
use crate::ticks::Tick;

/// A terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Its size in characters.
    pub columns: usize,
    pub rows: usize,
    pub ansi: Ansi,
}

/// Which colours a terminal has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ansi {
    None,
    /// 256 of them.
    Indexed,
    /// All.
    True,
}

/// Dots of a character.
const ACROSS: usize = 2;
const DOWN: usize = 4;

/// Lines of text, each ended.
pub fn terminal(plot: &Plot, screen: Screen) -> String {
    let scene = Scene::new(plot, &metrics(plot, screen, (ACROSS as f64, DOWN as f64)));
    let mut canvas = Canvas::new(&scene, (ACROSS as f64, DOWN as f64));
    for view in &scene.views {
        canvas.around(view);
        view.marks.iter().for_each(|mark| canvas.mark(view.frame, mark));
    }
    canvas.text(screen.ansi)
}

/// The same with the insides of frames as pixels; a character has so many, in width and height.
pub fn kitty(plot: &Plot, screen: Screen, character: (usize, usize)) -> String {
    let cell = (character.0.clamp(2, 100) as f64, character.1.clamp(4, 200) as f64);
    let scene = Scene::new(plot, &metrics(plot, screen, cell));
    let mut canvas = Canvas::new(&scene, cell);
    scene.views.iter().for_each(|view| canvas.around(view));
    let mut out = canvas.text(screen.ansi);
    let lines = out.lines().count();
    for view in &scene.views {
        let (column, row) = ((view.frame.x / cell.0) as usize, (view.frame.y / cell.1) as usize);
        let up = lines - row;
        let picture = pixels::rgba(view);
        out.push_str(&format!("\x1b[{up}A\x1b[{column}C{}\r\x1b[{up}B", transmission(&picture)));
    }
    out
}

/// The escape codes that show pixels where the cursor is, without moving it.
fn transmission(picture: &pixels::Pixels) -> String {
    /// Bytes of a chunk.
    const CHUNK: usize = 4096;
    let data = base64(&picture.rgba);
    let chunks: Vec<&[u8]> = data.as_bytes().chunks(CHUNK).collect();
    let mut out = String::new();
    for (i, chunk) in chunks.iter().enumerate() {
        let more = usize::from(i + 1 < chunks.len());
        let (width, height) = (picture.width, picture.height);
        let head = if i == 0 { format!("a=T,f=32,s={width},v={height},C=1,q=2,") } else { String::new() };
        out.push_str(&format!("\x1b_G{head}m={more};{}\x1b\\", String::from_utf8_lossy(chunk)));
    }
    out
}

/// Sizes in dots or pixels, of which a character has so many.
fn metrics(plot: &Plot, screen: Screen, (across, down): (f64, f64)) -> Metrics {
    /// Narrower views would have no room for a curve.
    const LEAST_COLUMNS: usize = 36;
    /// A curve isn't better seen on a whole large screen.
    const MOST: (usize, usize) = (100, 26);
    let panels = crate::figure::Figure::new(plot).panels.len();
    let columns = (screen.columns.max(LEAST_COLUMNS) / LEAST_COLUMNS).clamp(1, panels);
    let width = (screen.columns / columns).clamp(LEAST_COLUMNS / 2, MOST.0);
    let height = screen.rows.saturating_sub(2).clamp(8, MOST.1).min(width / 3 + 6);
    Metrics {
        view: (width as f64 * across, height as f64 * down),
        columns,
        character: across,
        title: down,
        legend: down,
        name: down,
        ticks: 2.0 * down,
        // The axis has a column of its own.
        edges: [across, 2.0 * across, 0.0, 0.0],
        swatch: 4.0 * across,
        distance: (11.0 * across, 3.0 * down),
        bar: (2.0 * across, across),
        aspect: down / across / 2.0,
        grain: across / ACROSS as f64,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ink {
    Plain,
    Faint,
    Strong,
    /// One of the palette.
    Named(Named),
    Rgb(Rgb),
}

#[derive(Clone, Copy, Debug)]
struct Cell {
    /// A character, or braille dots if it is a space.
    character: char,
    dots: u8,
    ink: Ink,
    /// The colour behind, for the lower half of a half block.
    behind: Option<Rgb>,
}

const EMPTY: Cell = Cell { character: ' ', dots: 0, ink: Ink::Plain, behind: None };

struct Canvas {
    columns: usize,
    rows: usize,
    cells: Vec<Cell>,
    /// The size of a character in the scene's units.
    cell: (f64, f64),
}

fn ink(colour: Option<Colour>) -> Ink {
    match colour {
        None => Ink::Plain,
        Some(Colour::Named(named)) => Ink::Named(named),
        Some(Colour::Rgb(rgb)) => Ink::Rgb(rgb),
    }
}

impl Canvas {
    fn new(scene: &Scene, cell: (f64, f64)) -> Canvas {
        let (columns, rows) = ((scene.width / cell.0).ceil() as usize, (scene.height / cell.1).ceil() as usize);
        let mut canvas = Canvas { columns, rows, cells: vec![EMPTY; columns * rows], cell };
        if let Some(title) = &scene.title {
            canvas.write(0, canvas.column(scene.views[0].frame.x) as isize, title, Ink::Strong);
        }
        canvas
    }

    fn column(&self, x: f64) -> usize {
        (x / self.cell.0 + 1e-9) as usize
    }

    fn row(&self, y: f64) -> usize {
        (y / self.cell.1 + 1e-9) as usize
    }

    fn at(&mut self, row: usize, column: usize) -> Option<&mut Cell> {
        if row < self.rows && column < self.columns { self.cells.get_mut(row * self.columns + column) } else { None }
    }

    fn put(&mut self, row: usize, column: usize, character: char, ink: Ink) {
        if let Some(cell) = self.at(row, column) {
            *cell = Cell { character, ink, dots: 0, behind: cell.behind };
        }
    }

    /// Writes a text; what is outside is cut off.
    fn write(&mut self, row: usize, column: isize, text: &str, ink: Ink) {
        for (i, c) in (0..).zip(text.chars()) {
            let c = if c.is_control() { ' ' } else { c };
            if let Ok(column) = usize::try_from(column + i) {
                self.put(row, column, c, ink);
            }
        }
    }

    /// Everything outside of the frame.
    fn around(&mut self, view: &View) {
        let Rect { x, y, width, height } = view.frame;
        let (left, right) = (self.column(x), self.column(x + width - 1e-6));
        let (top, bottom) = (self.row(y), self.row(y + height - 1e-6));
        let mut above = self.row(view.area.y);
        if let Some(title) = &view.title {
            self.write(above, left as isize, title, Ink::Strong);
            above += 1;
        }
        for entry in &view.legend {
            self.entry(above + entry.row, left, entry);
        }
        if let Some(name) = &view.y_label {
            self.write(top.saturating_sub(1), self.column(view.area.x) as isize, name, Ink::Plain);
        }
        self.vertical_axis(view, left, top, bottom);
        self.horizontal_axis(view, left, right, bottom + 1);
        if let Some(name) = &view.x_label {
            let start = right as isize + 1 - name.chars().count() as isize;
            self.write(bottom + 3, start, name, Ink::Plain);
        }
        if let Some(bar) = &view.bar {
            self.bar(bar);
        }
    }

    fn vertical_axis(&mut self, view: &View, left: usize, top: usize, bottom: usize) {
        let Some(axis) = left.checked_sub(1) else { return };
        (top..=bottom).for_each(|row| self.put(row, axis, '│', Ink::Faint));
        for tick in view.y_ticks.iter().filter(|tick| !tick.label.is_empty()) {
            let row = self.row(view.frame.y + tick.at).clamp(top, bottom);
            self.put(row, axis, '┤', Ink::Faint);
            self.write(row, axis as isize - tick.label.chars().count() as isize, &tick.label, Ink::Plain);
        }
    }

    fn horizontal_axis(&mut self, view: &View, left: usize, right: usize, row: usize) {
        if let Some(axis) = left.checked_sub(1) {
            self.put(row, axis, '└', Ink::Faint);
        }
        (left..=right).for_each(|column| self.put(row, column, '─', Ink::Faint));
        let mut free = 0;
        for tick in view.x_ticks.iter().filter(|tick| !tick.label.is_empty()) {
            let column = self.column(view.frame.x + tick.at).clamp(left, right);
            self.put(row, column, '┬', Ink::Faint);
            let length = tick.label.chars().count() as isize;
            let last = self.columns as isize - length;
            let start = (column as isize - length / 2).clamp(0, last.max(0));
            if start >= free {
                self.write(row + 1, start, &tick.label, Ink::Plain);
                free = start + length + 1;
            }
        }
    }

    fn entry(&mut self, row: usize, left: usize, entry: &Entry) {
        let column = left + self.column(entry.x);
        let swatch = match entry.swatch {
            Swatch::Line => "──",
            Swatch::Dashes => "╌╌",
            Swatch::Dot => "•",
            Swatch::Box => "█",
        };
        self.write(row, column as isize, swatch, ink(entry.colour));
        self.write(row, column as isize + 3, &entry.label, Ink::Plain);
    }

    fn bar(&mut self, bar: &Bar) {
        let rows = self.row(bar.rect.y + bar.rect.height - 1e-6) - self.row(bar.rect.y) + 1;
        let pixels = (0..2 * rows).map(|i| scale(1.0 - i as f64 / (2 * rows - 1) as f64)).collect();
        self.picture(bar.rect, bar.rect, &Picture { rows: 2 * rows, columns: 1, pixels, soft: false });
        let column = self.column(bar.rect.x + bar.rect.width) + 1;
        for Tick { at, label } in &bar.ticks {
            let row = self.row(bar.rect.y + at.clamp(0.0, bar.rect.height - 1e-6));
            self.write(row, column as isize, label, Ink::Plain);
        }
    }

    fn mark(&mut self, frame: Rect, mark: &Mark) {
        match mark {
            Mark::Path { segments, stroke } => self.path(frame, segments, *stroke),
            Mark::Dots { at, colour } => {
                // Two by two dots: one alone is hard to see.
                let few = at.len() <= 500;
                for (x, y) in at {
                    let around = if few { [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] } else { [(0.0, 0.0); 4] };
                    around.iter().for_each(|(dx, dy)| self.dot(frame, x + dx - 0.5, y + dy - 0.5, ink(*colour)));
                }
            }
            Mark::Boxes { rects, colour } => rects.iter().for_each(|rect| self.filled(frame, *rect, ink(*colour))),
            Mark::Arrows { arrows, colour } => {
                for [from, to] in arrows {
                    self.arrow(frame, *from, *to, ink(*colour));
                }
            }
            // What is pale lies behind lines, and there is nothing behind characters.
            Mark::Picture { picture, .. } if picture.soft => {}
            Mark::Picture { rect, picture } => {
                let placed = Rect { x: frame.x + rect.x, y: frame.y + rect.y, ..*rect };
                self.picture(frame, placed, picture);
            }
        }
    }

    /// A dot at a place of the frame.
    fn dot(&mut self, frame: Rect, x: f64, y: f64, ink: Ink) {
        // The ends of the frame belong to it.
        let inside = |at: f64, length: f64| {
            if at >= -0.5 && at <= length + 0.5 { Some(at.clamp(0.0, length - 1e-6)) } else { None }
        };
        let (Some(x), Some(y)) = (inside(x, frame.width), inside(y, frame.height)) else { return };
        let (x, y) = ((frame.x + x) as usize, (frame.y + y) as usize);
        if let Some(cell) = self.at(y / DOWN, x / ACROSS) {
            // The bits of a braille character: three rows of two, then the fourth row.
            const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
            cell.dots |= BITS[y % DOWN][x % ACROSS];
            cell.ink = ink;
        }
    }

    fn path(&mut self, frame: Rect, segments: &[Segment], stroke: Stroke) {
        let (ink, dashed) = match stroke {
            Stroke::Solid(colour) => (ink(colour), false),
            Stroke::Dashed(colour) => (ink(colour), true),
            // The darkest colours can't be seen on black.
            Stroke::Level(part) => (Ink::Rgb(scale(0.3 + 0.7 * part)), false),
        };
        let mut steps = 0;
        pixels::flattened(segments, &mut |from, to| {
            pixels::along(frame, from, to, 0.7, &mut |x, y| {
                steps += 1;
                if !dashed || steps / 6 % 2 == 0 {
                    self.dot(frame, x, y, ink);
                }
            });
        });
    }

    fn filled(&mut self, frame: Rect, rect: Rect, ink: Ink) {
        let gap = if rect.width >= 4.0 { 1.0 } else { 0.0 };
        let dots = |start: f64, length: f64, most: f64| {
            let (first, last) = (start.max(0.0).round() as usize, (start + length).min(most).round() as usize);
            (first..last.max(first + 1)).map(|dot| dot as f64)
        };
        for y in dots(rect.y, rect.height, frame.height) {
            for x in dots(rect.x, rect.width - gap, frame.width) {
                self.dot(frame, x, y, ink);
            }
        }
    }

    fn arrow(&mut self, frame: Rect, from: (f64, f64), to: (f64, f64), ink: Ink) {
        const ARROWS: [char; 8] = ['→', '↘', '↓', '↙', '←', '↖', '↑', '↗'];
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        // Eighths of a turn: the tangent of an eighth of a right angle decides.
        const TANGENT: f64 = 0.414_213_562_373_095;
        let turn = match (dx.abs(), dy.abs()) {
            (a, b) if b <= TANGENT * a => {
                if dx >= 0.0 {
                    0
                } else {
                    4
                }
            }
            (a, b) if a <= TANGENT * b => {
                if dy >= 0.0 {
                    2
                } else {
                    6
                }
            }
            _ => match (dx >= 0.0, dy >= 0.0) {
                (true, true) => 1,
                (false, true) => 3,
                (false, false) => 5,
                (true, false) => 7,
            },
        };
        let (x, y) = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        if (0.0..frame.width).contains(&x) && (0.0..frame.height).contains(&y) {
            self.put(self.row(frame.y + y), self.column(frame.x + x), ARROWS[turn], ink);
        }
    }

    /// A picture in half blocks: each character shows two pixels, one above the other.
    fn picture(&mut self, frame: Rect, rect: Rect, picture: &Picture) {
        if picture.pixels.is_empty() {
            return;
        }
        let (left, right) = (self.column(frame.x.max(rect.x)), self.column(frame.x + frame.width - 1e-6));
        let (top, bottom) = (self.row(frame.y.max(rect.y)), self.row(frame.y + frame.height - 1e-6));
        let (cell, columns, rows) = (self.cell, picture.columns, picture.rows);
        let pixel = |x: f64, y: f64| {
            let (across, down) = ((x - rect.x) / rect.width, (y - rect.y) / rect.height);
            let known = (0.0..1.0).contains(&across) && (0.0..1.0).contains(&down);
            let at = (down * rows as f64) as usize * columns + (across * columns as f64) as usize;
            if known { picture.pixels.get(at).copied() } else { None }
        };
        for row in top..=bottom {
            for column in left..=right {
                let x = (column as f64 + 0.5) * cell.0;
                let halves = [0.25, 0.75].map(|part| pixel(x, (row as f64 + part) * cell.1));
                let Some(place) = self.at(row, column) else { continue };
                *place = match halves {
                    [Some(upper), lower] => Cell { character: '▀', dots: 0, ink: Ink::Rgb(upper), behind: lower },
                    [None, Some(lower)] => Cell { character: '▄', dots: 0, ink: Ink::Rgb(lower), behind: None },
                    [None, None] => continue,
                };
            }
        }
    }

    fn text(&self, ansi: Ansi) -> String {
        let mut out = String::new();
        for row in self.cells.chunks(self.columns.max(1)) {
            let line = out.len();
            let used = row.iter().rposition(|cell| cell.character != ' ' || cell.dots != 0).map_or(0, |last| last + 1);
            let mut last = String::new();
            for cell in &row[..used] {
                let codes = codes(cell, ansi);
                if codes != last {
                    out.push_str(if last.is_empty() { "" } else { "\x1b[0m" });
                    out.push_str(&codes);
                    last = codes;
                }
                out.push(character(cell, ansi));
            }
            if ansi == Ansi::None {
                // Shades may be spaces.
                out.truncate(line + out[line..].trim_end().len());
            }
            out.push_str(if last.is_empty() { "\n" } else { "\x1b[0m\n" });
        }
        out
    }
}

/// The character of a cell; without colours pictures are shades.
fn character(cell: &Cell, ansi: Ansi) -> char {
    match (cell.character, cell.ink) {
        (' ', _) if cell.dots != 0 => char::from_u32(0x2800 + u32::from(cell.dots)).unwrap_or(' '),
        ('▀' | '▄', Ink::Rgb(upper)) if ansi == Ansi::None => {
            const SHADES: [char; 5] = [' ', '░', '▒', '▓', '█'];
            let light = |[r, g, b]: Rgb| 0.3 * f64::from(r) + 0.59 * f64::from(g) + 0.11 * f64::from(b);
            let mean = (light(upper) + cell.behind.map_or(0.0, light)) / 2.0;
            SHADES[((mean / 256.0 * 5.0) as usize).min(4)]
        }
        (c, _) => c,
    }
}

/// The escape codes of a cell.
fn codes(cell: &Cell, ansi: Ansi) -> String {
    if ansi == Ansi::None || (cell.character == ' ' && cell.dots == 0) {
        return String::new();
    }
    let front = match cell.ink {
        Ink::Plain | Ink::Named(Named::Ink) => String::new(),
        Ink::Faint => "2".to_string(),
        Ink::Strong => "1".to_string(),
        Ink::Named(named) => format!("38;5;{}", named.tone().terminal),
        Ink::Rgb(rgb) => format!("38;{}", number(rgb, ansi)),
    };
    let back = cell.behind.map_or(String::new(), |rgb| format!("48;{}", number(rgb, ansi)));
    match (front.is_empty(), back.is_empty()) {
        (true, true) => String::new(),
        (false, false) => format!("\x1b[{front};{back}m"),
        _ => format!("\x1b[{front}{back}m"),
    }
}

/// A colour in the codes of a terminal: itself, or the nearest of its cube of 6 × 6 × 6.
fn number([r, g, b]: Rgb, ansi: Ansi) -> String {
    if ansi == Ansi::True {
        return format!("2;{r};{g};{b}");
    }
    // The steps of the cube are 0, 95, 135, 175, 215, 255.
    let step = |c: u8| if c < 48 { 0 } else { (u32::from(c.max(75)) - 35) / 40 };
    format!("5;{}", 16 + 36 * step(r) + 6 * step(g) + step(b))
}
