//! A survey as a text: a table of what is kept, what the types predict, what was measured.

use base::Span;

use super::table::Table;
use super::{Surveyed, Unsurveyed};
use crate::engine::Ran;
use crate::session::Session;

/// What the call's reverse pass remembers, as a table, and what the heap counts.
pub fn listing(session: &Session, call: &str, surveyed: &Surveyed) -> String {
    let table = Table::new(session, surveyed);
    let mut out = if table.rows.is_empty() {
        format!("{call}: the reverse pass remembers nothing on the heap, only what is in registers and on the stack\n")
    } else {
        format!("{call}: the reverse pass remembers\n\n{table}")
    };
    out += &format!("\npredicted by the types: {} bytes\n", table.bytes());
    let shared: usize = table.shared.iter().map(|(bytes, _)| bytes).sum();
    let measured = surveyed.found.live_bytes;
    out += &format!("measured after the forward half: {} bytes", measured.saturating_sub(shared));
    if shared > 0 {
        let parts: Vec<String> = table.shared.iter().map(|(bytes, whose)| format!("{bytes} of {whose}")).collect();
        out += &format!(" ({measured} less {}, which the caller has)", parts.join(", "));
    }
    out += &format!(
        "\nthe heap at its largest, in both halves: {} bytes, taken from the system in chunks of 1 MiB or more\n",
        surveyed.peak_bytes
    );
    out + &format!("result: {}\n", shortened(&crate::show(&surveyed.gradient), 120))
}

/// The text that stands at a place, on one line and not too long.
pub(super) fn quoted(session: &Session, span: Span) -> String {
    let text = session.sources.get(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default();
    shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "), 60)
}

fn shortened(line: &str, most: usize) -> String {
    if line.chars().count() <= most {
        return line.to_string();
    }
    format!("{} …", line.chars().take(most - 2).collect::<String>().trim_end())
}

/// Why there is no survey of a call, in words, if not because the program is wrong.
pub fn left(call: &str, why: &Unsurveyed) -> Option<String> {
    let left = |why: &dyn std::fmt::Display| format!("{call} is left to the reference evaluator: {why}");
    Some(match why {
        Unsurveyed::Failed(_) => return None,
        Unsurveyed::Left(Ran::Dynamic(dynamic)) => left(&dynamic.reason),
        Unsurveyed::Left(Ran::TooLarge(why) | Ran::Interpreted(why)) => left(why),
        Unsurveyed::Left(Ran::Fallback(why)) => left(why),
        Unsurveyed::Left(Ran::Compiled | Ran::Brief | Ran::Failed { .. }) => format!("{call} can't be surveyed"),
        Unsurveyed::NoEngine(why) => format!("there is no native engine, whose memory is shown here: {why}"),
    })
}
