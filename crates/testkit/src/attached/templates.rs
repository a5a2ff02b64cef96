//! The kinds of rules, as text.
//!
//! `TEXT` is the function as it stands, `COPIED` the definition of a copy that is called `COPY`. `@at` and the like are names of their own in each
//! rule. A copy captures what the function captures, under the same labels, so its backpropagator returns what a rule has to return.

pub struct Template {
    pub name: &'static str,
    pub text: &'static str,
}

/// For `fn f(x) = …`.
pub const NAMED: &[Template] = &[
    Template {
        name: "reverse",
        text: "TEXT
  reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    (J_inv(@value), @pull) }",
    },
    Template {
        name: "recomputed",
        text: "TEXT
  reverse @at => { COPIED
    (COPY(@at), @dy => J(COPY)(J(@at)).1(@dy)) }",
    },
    // The value is that of the function with its rule.
    Template {
        name: "calls itself",
        text: "TEXT
  reverse @at => (COPY(@at), @dy => { COPIED
    J(COPY)(J(@at)).1(@dy) })",
    },
    Template {
        name: "forward",
        text: "TEXT
  forward @at => { COPIED
    linearize(COPY)(@at) }",
    },
    Template {
        name: "reverse and forward",
        text: "TEXT
  reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    (J_inv(@value), @dy => @pull(@dy)) }
  forward @at => { COPIED
    let (@value, @push) = linearize(COPY)(@at)
    (@value, (@dx, @dc) => @push(@dx, @dc)) }",
    },
    Template {
        name: "in two parts",
        text: "TEXT
  reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    (J_inv(@value), @dy => @pull(@dy) ⊕ @pull(zero(@dy))) }",
    },
    Template {
        name: "branches",
        text: "TEXT
  reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    if is_real(@at) && @at > 0.2 { (J_inv(@value), @pull) } else { (COPY(@at), @dy => J(COPY)(J(@at)).1(@dy)) } }",
    },
];

/// For `x => …`.
pub const UNNAMED: &[Template] = &[
    Template {
        name: "reverse",
        text: "((TEXT) reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    (J_inv(@value), @pull) })",
    },
    Template {
        name: "recomputed",
        text: "((TEXT) reverse @at => { COPIED
    (COPY(@at), @dy => J(COPY)(J(@at)).1(@dy)) })",
    },
    Template {
        name: "forward",
        text: "((TEXT) forward @at => { COPIED
    linearize(COPY)(@at) })",
    },
    Template {
        name: "forward in two parts",
        text: "((TEXT) forward @at => { COPIED
    let (@value, @push) = linearize(COPY)(@at)
    (@value, (@dx, @dc) => @push(@dx, zero(@dc)) ⊕ @push(zero(@dx), @dc)) })",
    },
    Template {
        name: "reverse and forward",
        text: "((TEXT) reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    (J_inv(@value), @dy => @pull(@dy)) }
  forward @at => { COPIED
    let (@value, @push) = linearize(COPY)(@at)
    (@value, (@dx, @dc) => @push(@dx, @dc)) })",
    },
    Template {
        name: "branches",
        text: "((TEXT) reverse @at => { COPIED
    let (@value, @pull) = J(COPY)(J(@at))
    if is_real(@at) && @at > 0.2 { (J_inv(@value), @pull) } else { (COPY(@at), @dy => J(COPY)(J(@at)).1(@dy)) } })",
    },
    Template { name: "attached", text: "{ COPIED\n    COPY <~ J(COPY) }" },
    Template {
        name: "attached in parts",
        text: "{ COPIED
    COPY <~ (@at => { let (@value, @pull) = J(COPY)(@at)
      (@value, @dy => { let (@dc, @dx) = @pull(@dy); (@dc, @dx) }) }) }",
    },
];
