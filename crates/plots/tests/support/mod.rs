//! Plots of every kind, and files to compare pictures with.

#![allow(dead_code, reason = "not every test uses everything")]

use std::path::Path;

use plots::{Colour, Grid, Image, Named, Plot, Series, Style, Vectors};

pub struct Kind {
    pub name: &'static str,
    pub plot: Plot,
}

/// Is a text what the file says? With `EVERT_BLESS` set, the file is written.
pub fn is_golden(file: &str, text: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    if std::env::var_os("EVERT_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(&path, text).expect("the file can be written");
    }
    std::fs::read_to_string(&path).is_ok_and(|golden| golden == text)
}

/// Exact arithmetic only, so that the data are the same bits everywhere: a wave made of parabolas, and its slope.
pub fn wave(x: f64) -> (f64, f64) {
    let turn = x - 2.0 * (x / 2.0).floor();
    if turn < 1.0 {
        (4.0 * turn * (1.0 - turn), 4.0 - 8.0 * turn)
    } else {
        (-4.0 * (turn - 1.0) * (2.0 - turn), 8.0 * turn - 12.0)
    }
}

/// Cubic pieces of a function with its slope.
pub fn pieces(f: impl Fn(f64) -> (f64, f64), from: f64, to: f64, n: u32) -> Plot {
    let node = |i: u32| from + (to - from) * f64::from(i) / f64::from(n);
    let row = |i: u32| {
        let ((y0, s0), (y1, s1)) = (f(node(i)), f(node(i + 1)));
        [node(i), y0, s0, node(i + 1), y1, s1]
    };
    Plot::Pieces { rows: (0..n).map(row).collect(), low: f64::NEG_INFINITY, high: f64::INFINITY }
}

pub fn series(n: u32, f: impl Fn(f64) -> (f64, f64)) -> Series {
    let (xs, ys) = (0..n).map(|i| f(f64::from(i))).unzip();
    Series { xs, ys }
}

pub fn styled(plot: Plot, change: impl FnOnce(&mut Style)) -> Plot {
    let mut style = Style::default();
    change(&mut style);
    Plot::Styled(style, Box::new(plot))
}

pub fn labelled(label: &str, plot: Plot) -> Plot {
    styled(plot, |style| style.label = Some(label.to_string()))
}

/// Numbers without a pattern, from 0 to 1.
pub fn noise(i: f64) -> f64 {
    f64::from((i as u32).wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24)
}

fn grid(n: usize, f: impl Fn(f64, f64) -> f64) -> Grid {
    let places: Vec<f64> = (0..=n).map(|i| i as f64 / n as f64 * 4.0 - 2.0).collect();
    let values = places.iter().flat_map(|y| places.iter().map(|x| f(*x, *y)).collect::<Vec<_>>()).collect();
    Grid { xs: places.clone(), ys: places, values }
}

fn vectors(f: impl Fn(f64, f64) -> (f64, f64)) -> Vectors {
    let mut vectors = Vectors::default();
    for (x, y) in (0..12).flat_map(|j| (0..16).map(move |i| (i, j))) {
        let (x, y) = (f64::from(x) / 4.0 - 1.875, f64::from(y) / 3.0 - 11.0 / 6.0);
        let (u, v) = f(x, y);
        vectors.xs.push(x);
        vectors.ys.push(y);
        vectors.us.push(u);
        vectors.vs.push(v);
    }
    vectors
}

/// A valley with two lowest places, and its gradient.
fn valley(x: f64, y: f64) -> f64 {
    (x * x - 1.0) * (x * x - 1.0) + y * y
}

fn valley_slope(x: f64, y: f64) -> (f64, f64) {
    (4.0 * x * (x * x - 1.0), 2.0 * y)
}

fn image() -> Image {
    let values = (0..12 * 20).map(|i| noise(f64::from(i)) + f64::from(i % 20) / 10.0).collect();
    Image::Values { rows: 12, columns: 20, values }
}

fn colours() -> Image {
    let pixel = |i: usize| [(i % 16) as f64 / 15.0, (i / 16) as f64 / 15.0, 0.5];
    Image::Colours { rows: 16, columns: 16, values: (0..256).map(pixel).collect() }
}

fn losses() -> Series {
    series(200, |i| (i, 10.0 / (1.0 + i * i / 8.0) + 0.002 * noise(i)))
}

pub fn kinds() -> Vec<Kind> {
    let kind = |name, plot| Kind { name, plot };
    let curve = pieces(wave, -3.0, 3.0, 24);
    let slope = pieces(|x| (wave(x).1, f64::NAN), -3.0, 3.0, 24);
    let curves = Plot::Over(vec![labelled("f", curve.clone()), labelled("grad(f)", slope)]);
    let data = Plot::Points(series(60, |i| (i / 10.0 - 3.0, wave(i / 10.0 - 3.0).0 + noise(i) - 0.5)));
    let fit = Plot::Over(vec![labelled("data", data.clone()), labelled("fit", curve.clone())]);
    let bars = Plot::Bars {
        edges: (0..=16).map(|i| f64::from(i) / 4.0 - 2.0).collect(),
        heights: (0..16).map(|i| f64::from(64 - (i - 8) * (i - 8))).collect(),
    };
    let descent = Plot::Line(series(12, |i| (1.9 - i / 13.0, 1.8 / (1.0 + i))));
    vec![
        kind("curve", styled(curve.clone(), |style| style.title = Some("A wave of parabolas".into()))),
        kind("curves", curves.clone()),
        kind(
            "line",
            styled(Plot::Line(losses()), |style| {
                style.x = Some("step".into());
                style.y = Some("loss".into());
            }),
        ),
        kind(
            "log_y",
            styled(Plot::Line(losses()), |style| {
                style.title = Some("Training".into());
                style.log_y = true;
                style.x = Some("step".into());
                style.y = Some("loss".into());
            }),
        ),
        kind(
            "log_log",
            styled(
                Plot::Over(vec![
                    labelled(
                        "error",
                        Plot::Line(series(9, |i| (f64::from(1 << i as u32), 3.0 / f64::from(1 << (2 * i as u32))))),
                    ),
                    labelled(
                        "measured",
                        Plot::Points(series(9, |i| {
                            (f64::from(1 << i as u32), (3.0 + noise(i)) / f64::from(1 << (2 * i as u32)))
                        })),
                    ),
                ]),
                |style| (style.log_x, style.log_y) = (true, true),
            ),
        ),
        kind("points", data),
        kind("fit", fit.clone()),
        kind("histogram", styled(bars.clone(), |style| style.colour = Some(Colour::Named(Named::Green)))),
        kind("field", Plot::Arrows(vectors(|x, y| (-y, x)))),
        kind("contour", Plot::Contour(grid(48, valley))),
        kind(
            "slopes",
            Plot::Over(vec![
                Plot::Contour(grid(48, valley)),
                Plot::Arrows(vectors(valley_slope)),
                labelled("descent", styled(descent, |style| style.colour = Some(Colour::Named(Named::Red)))),
            ]),
        ),
        kind("image", Plot::Image(image())),
        kind("colours", Plot::Image(colours())),
        kind(
            "beside",
            styled(
                Plot::Beside(vec![
                    styled(curves, |style| style.title = Some("Slopes".into())),
                    styled(fit, |style| style.title = Some("A fit".into())),
                ]),
                |style| style.title = Some("Side by side".into()),
            ),
        ),
        kind(
            "grid",
            Plot::Beside(vec![bars, curve, Plot::Image(image()), Plot::Image(colours()), Plot::Line(losses())]),
        ),
        kind(
            "many",
            Plot::Over(
                (0..8)
                    .map(|k| {
                        labelled(
                            &format!("curve {k}"),
                            pieces(move |x| (wave(x).0 + f64::from(k), wave(x).1), 0.0, 4.0, 16),
                        )
                    })
                    .collect(),
            ),
        ),
    ]
}
