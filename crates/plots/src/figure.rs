//! From nested plots to panels of layers: who inherits which style, which colours are taken, what the legend says.

use crate::colour::{Colour, SERIES};
use crate::plot::{Plot, Style};

/// Panels side by side.
#[derive(Debug)]
pub struct Figure<'a> {
    /// The title of all panels together.
    pub title: Option<&'a str>,
    pub panels: Vec<Panel<'a>>,
}

/// What is drawn in one frame.
#[derive(Default, Debug)]
pub struct Panel<'a> {
    pub title: Option<&'a str>,
    pub x: Option<&'a str>,
    pub y: Option<&'a str>,
    pub log_x: bool,
    pub log_y: bool,
    pub layers: Vec<Layer<'a>>,
}

#[derive(Debug)]
pub struct Layer<'a> {
    /// Neither styled nor composed.
    pub mark: &'a Plot,
    /// Nothing has the colour of the text.
    pub colour: Option<Colour>,
    pub label: Option<&'a str>,
    /// All colours were taken: the line has gaps.
    pub dashed: bool,
}

/// What a plot inherits.
#[derive(Clone, Copy, Default)]
struct Inherited<'a> {
    title: Option<&'a str>,
    x: Option<&'a str>,
    y: Option<&'a str>,
    label: Option<&'a str>,
    colour: Option<Colour>,
    log_x: bool,
    log_y: bool,
}

impl<'a> Inherited<'a> {
    /// The inner style goes before the outer one.
    fn with(self, style: &'a Style) -> Inherited<'a> {
        Inherited {
            title: style.title.as_deref().or(self.title),
            x: style.x.as_deref().or(self.x),
            y: style.y.as_deref().or(self.y),
            label: style.label.as_deref().or(self.label),
            colour: style.colour.or(self.colour),
            log_x: style.log_x || self.log_x,
            log_y: style.log_y || self.log_y,
        }
    }
}

impl<'a> Figure<'a> {
    pub fn new(plot: &'a Plot) -> Figure<'a> {
        let mut figure = Figure { title: None, panels: vec![] };
        figure.arrange(plot, Inherited::default());
        if figure.panels.is_empty() {
            figure.panels.push(Panel::default());
        }
        // One panel needs one title.
        if let [panel] = &mut figure.panels[..] {
            panel.title = panel.title.or(figure.title.take());
        }
        figure.panels.iter_mut().for_each(Panel::choose_colours);
        figure
    }

    /// Makes a panel of what isn't side by side with something.
    fn arrange(&mut self, plot: &'a Plot, inherited: Inherited<'a>) {
        match plot {
            Plot::Styled(style, inner) => self.arrange(inner, inherited.with(style)),
            Plot::Beside(plots) => {
                self.title = self.title.or(inherited.title);
                plots.iter().for_each(|plot| self.arrange(plot, Inherited { title: None, ..inherited }));
            }
            _ => {
                let mut panel = Panel::default();
                panel.take(plot, inherited);
                self.panels.push(panel);
            }
        }
    }
}

impl<'a> Panel<'a> {
    fn take(&mut self, plot: &'a Plot, inherited: Inherited<'a>) {
        match plot {
            Plot::Styled(style, inner) => self.take(inner, inherited.with(style)),
            Plot::Over(plots) | Plot::Beside(plots) => {
                self.settle(&inherited);
                let before = self.layers.len();
                plots.iter().for_each(|plot| self.take(plot, inherited));
                // One name for several layers is one entry of the legend.
                let own = self.layers[before..].iter_mut().filter(|layer| layer.label == inherited.label);
                own.skip(1).for_each(|layer| layer.label = None);
            }
            mark => {
                self.settle(&inherited);
                let Inherited { colour, label, .. } = inherited;
                self.layers.push(Layer { mark, colour, label, dashed: false });
            }
        }
    }

    /// Titles, names and scales of the frame: the first to say something is heard.
    fn settle(&mut self, inherited: &Inherited<'a>) {
        self.title = self.title.or(inherited.title);
        self.x = self.x.or(inherited.x);
        self.y = self.y.or(inherited.y);
        self.log_x |= inherited.log_x;
        self.log_y |= inherited.log_y;
    }

    /// Gives a colour to what has none yet: each its own, but for what lies on a contour plot.
    fn choose_colours(&mut self) {
        let has_contour = self.layers.iter().any(|layer| matches!(layer.mark, Plot::Contour(_)));
        let mut taken = 0;
        for layer in self.layers.iter_mut().filter(|layer| layer.colour.is_none()) {
            match layer.mark {
                Plot::Contour(_) | Plot::Image(_) => {}
                Plot::Arrows(_) if has_contour => {}
                _ => {
                    layer.colour = Some(Colour::series(taken));
                    layer.dashed = taken >= SERIES;
                    taken += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Named;
    use crate::plot::Series;

    fn line() -> Plot {
        Plot::Line(Series::default())
    }

    fn styled(change: impl FnOnce(&mut Style), plot: Plot) -> Plot {
        let mut style = Style::default();
        change(&mut style);
        Plot::Styled(style, Box::new(plot))
    }

    #[test]
    fn inner_styles_go_before_outer_ones() {
        let red = Some(Colour::Named(Named::Red));
        let inner = styled(|style| style.colour = red, line());
        let grey = Some(Colour::Named(Named::Grey));
        let plot = styled(|style| style.colour = grey, Plot::Over(vec![inner, line()]));
        let figure = Figure::new(&plot);
        assert_eq!([0, 1].map(|i| figure.panels[0].layers[i].colour), [red, grey]);
    }

    #[test]
    fn colours_are_taken_in_turn_and_then_with_gaps() {
        let plot = Plot::Over((0..7).map(|_| line()).collect());
        let figure = Figure::new(&plot);
        let layers = &figure.panels[0].layers;
        assert_eq!(layers[0].colour, layers[6].colour);
        assert_eq!((layers[5].dashed, layers[6].dashed), (false, true));
    }

    #[test]
    fn a_title_of_several_panels_belongs_to_all_of_them() {
        let titled = |plot| styled(|style| style.title = Some("t".into()), plot);
        let together = titled(Plot::Beside(vec![line(), titled(line())]));
        let figure = Figure::new(&together);
        assert_eq!((figure.title, figure.panels[0].title, figure.panels[1].title), (Some("t"), None, Some("t")));
        let alone = titled(Plot::Beside(vec![line()]));
        assert_eq!(Figure::new(&alone).panels[0].title, Some("t"));
    }

    #[test]
    fn nothing_at_all_is_an_empty_frame() {
        let (nothing, several) = (Plot::Beside(vec![]), Plot::Over(vec![]));
        assert_eq!((Figure::new(&nothing).panels.len(), Figure::new(&several).panels.len()), (1, 1));
    }
}
