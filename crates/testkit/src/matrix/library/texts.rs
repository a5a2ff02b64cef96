//! Texts: questions about them, which have no derivative themselves.

use crate::matrix::row::{Class, Row, empty, int, mixed, scalar_array, smooth, structured};

const SMOOTH: (Class, &str) = (Class::Degenerate, "it is discrete: there is no point where it isn't smooth");

pub const ROWS: &[Row] = &[
    Row::library(
        "contains",
        &[
            smooth("x => if contains(\"banana\", \"nan\") { x^3 } else { x }", &["0.7"]),
            int("x => if contains(\"banana\", \"nan\") { 2 * x^3 } else { x }", &["0.7"]),
            mixed("p => if contains(\"banana\", \"nan\") { p.0 * p.1^3 } else { 0.0 }", &["(2, 0.7)"]),
            empty("p => if contains(\"banana\", \"nan\") { sum(p.0) + p.1^3 } else { 0.0 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if contains(\"banana\", \"nan\") { v^3 } else { v }", &["[0.5, 0.7]"]),
            structured("r => if contains(\"banana\", \"nan\") { r.a^3 } else { r.a }", &["{a: 0.7, b: 1}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "starts_with",
        &[
            smooth("x => if starts_with(\"banana\", \"ban\") { x^3 } else { x }", &["0.7"]),
            int("x => if starts_with(\"banana\", \"ban\") { 2 * x^3 } else { x }", &["0.7"]),
            mixed("p => if starts_with(\"banana\", \"ban\") { p.0 * p.1^3 } else { 0.0 }", &["(2, 0.7)"]),
            empty("p => if starts_with(\"banana\", \"ban\") { sum(p.0) + p.1^3 } else { 0.0 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if starts_with(\"banana\", \"ban\") { v^3 } else { v }", &["[0.5, 0.7]"]),
            structured("r => if starts_with(\"banana\", \"ban\") { r.a^3 } else { r.a }", &["{a: 0.7, b: 1}"]),
        ],
    )
    .without(&[SMOOTH]),
    Row::library(
        "ends_with",
        &[
            smooth("x => if ends_with(\"banana\", \"ana\") { x^3 } else { x }", &["0.7"]),
            int("x => if ends_with(\"banana\", \"ana\") { 2 * x^3 } else { x }", &["0.7"]),
            mixed("p => if ends_with(\"banana\", \"ana\") { p.0 * p.1^3 } else { 0.0 }", &["(2, 0.7)"]),
            empty("p => if ends_with(\"banana\", \"ana\") { sum(p.0) + p.1^3 } else { 0.0 }", &["(zeros(0), 0.7)"]),
            scalar_array("v => if ends_with(\"banana\", \"ana\") { v^3 } else { v }", &["[0.5, 0.7]"]),
            structured("r => if ends_with(\"banana\", \"ana\") { r.a^3 } else { r.a }", &["{a: 0.7, b: 1}"]),
        ],
    )
    .without(&[SMOOTH]),
];
