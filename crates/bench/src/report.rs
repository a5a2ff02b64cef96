//! Results as tables.

use std::fmt::Write;
use std::time::Duration;

use crate::jax::Answer;
use crate::kernels::Stages;

/// What was measured of one kernel.
pub struct Row {
    pub name: String,
    pub label: String,
    pub ours: Result<Duration, String>,
    pub stages: Stages,
    pub peak_bytes: usize,
    pub c: Option<Duration>,
    /// Without fused products.
    pub c_as_written: Option<Duration>,
    pub c_primal: Option<Duration>,
    pub jax: Option<Answer>,
    /// Did all who answered give the same value?
    pub agree: bool,
}

/// The table of kernels.
pub fn kernels(rows: &[Row]) -> String {
    let mut text = String::from(
        "| program | kernel | Evert | ÷ C | ÷ C as written | ÷ C primal | ÷ JAX | compiling | JAX compiling | heap |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let ours = row.ours.as_ref().ok();
        let (jax, jax_compiling) = match &row.jax {
            None => (String::new(), String::new()),
            Some(Answer::Not(why)) => (why.split(':').next().unwrap_or(why).to_string(), String::new()),
            Some(Answer::Ran { compiling, time, .. }) => (ratio(ours, Some(time)), milliseconds(*compiling)),
        };
        let time = match &row.ours {
            Ok(time) => milliseconds(*time),
            Err(why) => why.lines().next().unwrap_or("").to_string(),
        };
        writeln!(
            text,
            "| {} | {} | {time}{} | {} | {} | {} | {jax} | {} | {jax_compiling} | {} |",
            row.name,
            row.label,
            if row.agree { "" } else { " (values differ!)" },
            ratio(ours, row.c.as_ref()),
            ratio(ours, row.c_as_written.as_ref()),
            ratio(ours, row.c_primal.as_ref()),
            milliseconds(row.stages.total()),
            bytes(row.peak_bytes),
        )
        .expect("a string takes everything");
    }
    text
}

pub fn ratio(ours: Option<&Duration>, theirs: Option<&Duration>) -> String {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => format!("{:.2}", ours.as_secs_f64() / theirs.as_secs_f64()),
        _ => String::new(),
    }
}

pub fn milliseconds(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    if ms < 10.0 { format!("{ms:.2} ms") } else { format!("{ms:.0} ms") }
}

fn bytes(count: usize) -> String {
    if count < 1 << 20 { format!("{} KiB", count >> 10) } else { format!("{} MiB", count >> 20) }
}
