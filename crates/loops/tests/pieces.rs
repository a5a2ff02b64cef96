//! The checker refuses pieces whose turns disturb each other.

use loops::{check, parse};

/// A program whose function `f1` does turns with this body; it gets the arrays `v2` and `v3`, whose elements are arrays of reals for `v4`.
fn verdict(turn: &str) -> Result<(), String> {
    let text = format!(
        "descriptor d0 = array of 1 words, pointers []
descriptor d1 = array of 1 words, pointers [0]
elements real in d0
entry f0

f0 main(v0: object, v1: object, v2: object, v3: int) -> () {{
  pieces f1(v0, v1, v2) of v3 work [1]
  release v0
  release v1
  release v2
  yield
}}

f1 piece(v0: int, v1: int, v2: object, v3: object, v4: object) -> () borrows {{
  loop v5: int = v0 {{
    v6: bool = int_lt(v5, v1)
    if v6 {{
      {turn}
      v7: int = v5 + 1
      again v7
    }} else {{
      yield
    }}
    yield
  }}
  yield
}}
"
    );
    let program = parse(&text).map_err(|error| error.to_string())?;
    assert_eq!(parse(&program.to_string()).map(|again| again.to_string()).ok(), Some(program.to_string()));
    check::check(&program)
}

#[test]
fn turns_that_write_elements_of_their_own_are_accepted() {
    for turn in [
        "v2[v5] <- 1.0",
        "v8: real = v3[v5]\n v2[v5] <- v8",
        "v8: real = v2[v5]\n v9: real = add(v8, 1.0)\n v2[v5] <- v9",
        "v8: int = v5 * 2\n v2[v8] <- 1.0\n v9: int = v8 + 1\n v2[v9] <- 2.0",
        "v8: object = array d0[v1]\n v8[0] <- 1.0\n v9: real = v8[0]\n release v8\n v2[v5] <- v9",
    ] {
        assert_eq!(verdict(turn), Ok(()), "{turn}");
    }
}

#[test]
fn turns_that_disturb_each_other_are_refused() {
    for (turn, why) in [
        ("v2[0] <- 1.0", "Writes"),
        ("v8: int = v5 + 1\n v2[v5] <- 1.0\n v2[v8] <- 1.0", "Writes"),
        ("v8: int = v5 * v1\n v2[v8] <- 1.0", "Writes"),
        ("v8: int = v5 * 2\n v2[v8] <- 1.0\n v9: int = v8 + 2\n v2[v9] <- 2.0", "Writes"),
        ("v8: int = v5 + 1\n v9: real = v2[v8]\n v2[v5] <- v9", "Reads"),
        ("retain v2\n release v2", "Counts"),
        ("v8: object = v4[v5]\n retain v8\n release v8", "Counts"),
        ("t0", "text"),
    ] {
        let found = verdict(turn);
        assert!(found.as_ref().is_err_and(|text| text.contains(why) || why == "text"), "{turn}: {found:?}");
    }
}
