//! Whatever numbers there are: no panic, gaps where they belong, ticks that can be read, and small files.

mod support;

use plots::{Ansi, Grid, Image, Page, Plot, Screen, Series, Style, Vectors, describe, kitty, svg, terminal};
use support::{kinds, noise, pieces, series, styled};

const NUMBERS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1e300,
    -1e300,
    f64::MAX,
    f64::MIN,
    5e-324,
    1e-300,
    1.0 + f64::EPSILON,
];

/// All kinds of plots of these numbers.
fn plots_of(a: f64, b: f64) -> Vec<Plot> {
    let numbers = vec![a, b, a];
    let pair = Series { xs: numbers.clone(), ys: vec![b, a, b] };
    let (xs, ys) = (numbers.clone(), vec![b, a, b]);
    let vectors = Vectors { xs: xs.clone(), ys: ys.clone(), us: ys.clone(), vs: xs.clone() };
    let grid = Grid { xs: vec![0.0, 1.0, 2.0], ys: vec![a, b], values: vec![a, b, a, b, a, b] };
    vec![
        Plot::Pieces { rows: vec![[a, b, a, b, a, b], [0.0, a, b, 1.0, b, a]], low: a, high: b },
        Plot::Pieces { rows: vec![[0.0, a, b, 1.0, b, a]], low: f64::NEG_INFINITY, high: f64::INFINITY },
        Plot::Line(pair.clone()),
        Plot::Points(pair),
        Plot::Bars { edges: vec![0.0, 1.0, 2.0, 3.0], heights: numbers.clone() },
        Plot::Bars { edges: numbers.clone(), heights: numbers.clone() },
        Plot::Arrows(vectors),
        Plot::Contour(grid),
        Plot::Image(Image::Values { rows: 1, columns: 3, values: numbers.clone() }),
        Plot::Image(Image::Colours { rows: 1, columns: 2, values: vec![[a, b, a], [b, a, b]] }),
        Plot::Image(Image::Values { rows: 0, columns: 0, values: vec![] }),
        Plot::Image(Image::Values { rows: 3, columns: 3, values: numbers }),
    ]
}

/// Draws a plot everywhere; what is drawn has no number that isn't one.
fn draw(plot: &Plot) {
    for page in [Page::File, Page::Inline] {
        let text = svg(plot, page);
        let attributes =
            text.split("<desc>").next().expect("a start").to_string() + text.split("</desc>").nth(1).expect("an end");
        assert!(!attributes.contains("NaN") && !attributes.contains("inf"), "{plot:?}\n{text}");
        assert!(text.len() < 200_000);
    }
    for (columns, rows) in [(80, 24), (1, 1), (0, 0), (500, 200)] {
        let screen = Screen { columns, rows, ansi: Ansi::True };
        terminal(plot, screen);
    }
    kitty(plot, Screen { columns: 40, rows: 10, ansi: Ansi::True }, (4, 8));
    describe(plot);
}

#[test]
fn any_two_numbers_can_be_drawn() {
    for a in NUMBERS {
        for b in NUMBERS {
            plots_of(a, b).iter().for_each(|plot| drop(svg(plot, Page::File)));
        }
    }
    for a in NUMBERS {
        for plot in plots_of(a, 2.0) {
            for (log_x, log_y) in [(false, false), (true, true)] {
                draw(&styled(plot.clone(), |style| (style.log_x, style.log_y) = (log_x, log_y)));
            }
        }
    }
}

#[test]
fn nothing_can_be_drawn() {
    let empty = Series::default;
    let grid = Grid::default();
    for plot in [
        Plot::Pieces { rows: vec![], low: 0.0, high: 0.0 },
        Plot::Line(empty()),
        Plot::Points(empty()),
        Plot::Bars { edges: vec![], heights: vec![] },
        Plot::Arrows(Vectors::default()),
        Plot::Contour(grid),
        Plot::Over(vec![]),
        Plot::Beside(vec![]),
        Plot::Beside(vec![Plot::Over(vec![]), Plot::Over(vec![])]),
        styled(Plot::Over(vec![]), |style| *style = Style { title: Some(String::new()), ..Style::default() }),
    ] {
        draw(&plot);
    }
}

#[test]
fn lengths_that_differ_are_cut_to_the_shortest() {
    let (two, one) = (vec![0.0, 1.0], vec![0.0]);
    draw(&Plot::Line(Series { xs: two.clone(), ys: one.clone() }));
    draw(&Plot::Arrows(Vectors { xs: two.clone(), ys: two.clone(), us: one.clone(), vs: vec![] }));
    draw(&Plot::Contour(Grid { xs: two.clone(), ys: two.clone(), values: one.clone() }));
    draw(&Plot::Bars { edges: one, heights: two });
    draw(&Plot::Image(Image::Colours { rows: 5, columns: 5, values: vec![] }));
}

#[test]
fn every_kind_fits_every_screen() {
    for kind in kinds() {
        draw(&kind.plot);
        for columns in 1..=120 {
            let text = terminal(&kind.plot, Screen { columns, rows: 24, ansi: Ansi::None });
            let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
            // Below 18 columns there is no room for a frame.
            assert!(longest <= columns.max(18), "{} on {columns} columns takes {longest}", kind.name);
        }
    }
}

/// The path of the only line or curve in an SVG.
fn path(plot: &Plot) -> String {
    let text = svg(plot, Page::Inline);
    let start = text.split("stroke-linecap=\"round\" d=\"").nth(1).expect("a path");
    start.split('"').next().unwrap_or("").to_string()
}

#[test]
fn a_line_has_gaps_where_numbers_are_missing() {
    let ys = [1.0, 2.0, f64::NAN, 3.0, 2.0, f64::INFINITY, 1.0];
    let line = Plot::Line(series(7, |i| (i, ys[i as usize])));
    assert_eq!(path(&line).matches('M').count(), 3);
    let jump = Plot::Pieces {
        rows: vec![[0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [1.0, 5.0, 0.0, 2.0, 5.0, 0.0], [2.0, 5.0, 0.0, 3.0, 5.0, 0.0]],
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
    assert_eq!((path(&jump).matches('M').count(), path(&jump).matches('C').count()), (2, 3));
}

/// What stands in the texts of an SVG, in order.
fn texts(plot: &Plot) -> Vec<String> {
    let text = svg(plot, Page::Inline);
    let texts = text.split("<text ").skip(1).filter_map(|rest| rest.split('>').nth(1)?.split('<').next());
    texts.map(String::from).collect()
}

#[test]
fn ticks_can_be_read_whatever_the_numbers() {
    for (low, high, some) in [
        (0.0, 1e300, "0.4×10³⁰⁰"),
        (-1e-300, 1e-300, "0.5×10⁻³⁰⁰"),
        (5.0, 5.0, "5"),
        (1e6, 1e6 + 0.004, "1000000.002"),
        (0.1 + 0.2, 0.3, "0.30"),
        (-1e308, 1e308, "0"),
    ] {
        let found = texts(&Plot::Line(Series { xs: vec![0.0, 1.0], ys: vec![low, high] }));
        assert!(found.iter().any(|text| text == some), "{low}..{high}: {found:?}");
        assert!(found.iter().all(|text| text.chars().count() < 20), "{found:?}");
    }
}

#[test]
fn a_pole_is_cut_off_where_the_plot_says() {
    let rows = vec![[-1.0, -1.0, -1.0, -0.001, -1000.0, -1e6], [0.001, 1000.0, -1e6, 1.0, 1.0, -1.0]];
    let pole = Plot::Pieces { rows, low: -10.0, high: 10.0 };
    assert_eq!(describe(&pole), "<plot: curve, x -1.0..1.0, y -10.0..10.0>");
    assert!(texts(&pole).iter().any(|text| text == "10"), "{:?}", texts(&pole));
}

#[test]
fn a_million_points_are_a_small_file() {
    let walk = |x: f64| (x, noise(x) + x / 1e5);
    let many = [
        Plot::Line(series(1_000_000, walk)),
        Plot::Points(series(1_000_000, |x| (noise(x), noise(x + 1e6)))),
        Plot::Line(series(1_000_000, |x| (noise(x), noise(x + 1e6)))),
        Plot::Bars { edges: (0..=1_000_000).map(f64::from).collect(), heights: vec![1.0; 1_000_000] },
        Plot::Image(Image::Values {
            rows: 1000,
            columns: 1000,
            values: (0..1_000_000).map(|i| noise(f64::from(i))).collect(),
        }),
        pieces(|x| (noise(x * 1e6), 0.0), 0.0, 1.0, 1_000_000),
    ];
    for plot in many {
        let size = svg(&plot, Page::File).len();
        assert!(size < 200_000, "{size} bytes for {}", describe(&plot));
        terminal(&plot, Screen { columns: 80, rows: 24, ansi: Ansi::True });
    }
}

#[test]
fn a_hundred_panels_and_a_thousand_curves_are_drawn() {
    let curve = || pieces(support::wave, 0.0, 1.0, 2);
    let panels = svg(&Plot::Beside((0..100).map(|_| curve()).collect()), Page::File);
    assert_eq!(panels.matches("<svg").count(), 101);
    svg(&Plot::Over((0..1000).map(|_| support::labelled("a name", curve())).collect()), Page::File);
}
