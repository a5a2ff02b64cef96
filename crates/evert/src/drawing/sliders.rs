//! Sliders of plots, where somebody may move them.
//!
//! In: a plot, and positions that were chosen for sliders by their names. Out: the plot with those sliders where they were put and the others in the
//! middle, and a list of all. Sliders of one name move together.

use base::{Diagnostic, Span, codes};
use eval::array::Array;
use eval::plot::constructor;
use eval::{Value, force};

use super::{BRIEF, rebuilt};
use crate::session::Session;

/// A slider of a plot, and where it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Slider {
    pub name: String,
    pub from: f64,
    pub to: f64,
    pub position: f64,
}

/// A plot that makes more sliders than this in turn isn't drawn.
const MOST: usize = 20;

impl Session {
    /// The plot without sliders, and the sliders in the order in which they are met.
    pub(super) fn put(
        &mut self,
        plot: &Value,
        span: Span,
        chosen: &dyn Fn(&str) -> Option<f64>,
    ) -> base::Result<(Value, Vec<Slider>)> {
        let mut found = vec![];
        let plot = self.put_in(plot, span, chosen, &mut found, 0)?;
        Ok((plot, found))
    }

    fn put_in(
        &mut self,
        plot: &Value,
        span: Span,
        chosen: &dyn Fn(&str) -> Option<f64>,
        found: &mut Vec<Slider>,
        depth: usize,
    ) -> base::Result<Value> {
        let Ok(Value::Data(data)) = force(plot) else { return Ok(plot.clone()) };
        let Some(kind) = constructor(&data) else { return Ok(plot.clone()) };
        match (kind.name.as_str(), &data.fields[..]) {
            ("Slider", [name, from, to, make]) => {
                let (Ok(Value::Text(name)), Ok(Value::Real(from)), Ok(Value::Real(to))) =
                    (force(name), force(from), force(to))
                else {
                    return Ok(plot.clone());
                };
                if depth == MOST {
                    let words = format!("a plot has more than {MOST} sliders in one another");
                    return Diagnostic::new(codes::NOT_A_PLOT, span, words).err();
                }
                let name = name.as_str().to_string();
                let known = found.iter().find(|slider| slider.name == name).map(|slider| slider.position);
                let wanted = known.or_else(|| chosen(&name)).unwrap_or(from + (to - from) / 2.0);
                let position = wanted.max(from.min(to)).min(from.max(to));
                if known.is_none() {
                    found.push(Slider { name, from, to, position });
                }
                let made = self.made(make, position, span)?;
                self.put_in(&made, span, chosen, found, depth + 1)
            }
            ("Styled", [style, inner]) => {
                let inner = self.put_in(inner, span, chosen, found, depth)?;
                Ok(rebuilt(&data, vec![style.clone(), inner]))
            }
            ("Over" | "Beside", [plots]) => {
                let Ok(Value::Array(array)) = force(plots) else { return Ok(plot.clone()) };
                let rows: Vec<Value> = (0..array.len()).map(|i| array.row(i)).collect();
                let put = rows.iter().map(|row| self.put_in(row, span, chosen, found, depth));
                let put = put.collect::<base::Result<Vec<_>>>()?;
                let plots = Array::from_values(put).map_or_else(|_| plots.clone(), Value::array);
                Ok(rebuilt(&data, vec![plots]))
            }
            _ => Ok(plot.clone()),
        }
    }

    /// The plot of a slider at a position.
    fn made(&mut self, make: &Value, position: f64, span: Span) -> base::Result<Value> {
        let limit = self.machine.max_steps;
        self.machine.max_steps = Some(limit.map_or(10 * BRIEF, |steps| steps.min(10 * BRIEF)));
        let made = self.machine.call(make, Value::Real(position), span);
        self.machine.max_steps = limit;
        made
    }
}
