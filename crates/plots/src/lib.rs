//! Plots: from a picture as data to SVG, to the characters of a terminal, and to pixels.
//!
//! ```text
//! Plot ──figure──▶ panels and layers ──scene──▶ Scene ──▶ SVG | characters | pixels
//! ```
//!
//! In: a [`Plot`] without functions, whatever numbers it holds. Out: text or pixels, the same bytes on every machine: there is
//! no I/O here, nothing is measured, and no function is used whose last digits differ between platforms.
//!
//! ```
//! use plots::{Plot, Series, Page};
//! let plot = Plot::Line(Series { xs: vec![0.0, 1.0, 2.0], ys: vec![1.0, 4.0, 2.0] });
//! assert_eq!(plots::describe(&plot), "<plot: line of 3 points, x 0.0..2.0, y 1.0..4.0>");
//! assert!(plots::svg(&plot, Page::File).starts_with("<svg"));
//! ```

mod axis;
mod colour;
mod contour;
mod describe;
mod figure;
mod marks;
mod number;
mod pixels;
mod plot;
mod png;
mod scene;
mod svg;
mod terminal;
mod thin;
mod ticks;

pub use colour::{Colour, Named};
pub use describe::describe;
pub use plot::{Grid, Image, Plot, Series, Style, Vectors};
pub use svg::{Page, svg};
pub use terminal::{Ansi, Screen, kitty, terminal};
