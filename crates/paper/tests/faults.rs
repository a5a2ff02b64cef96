//! Each fault of the printed text is shown by a program that goes wrong with it and right without it.

use paper::faults::FAULTS;
use paper::{Correction, Corrections, run, run_counted};

#[test]
fn every_fault_shows_and_its_correction_mends_it() {
    for fault in FAULTS {
        let [as_printed, corrected] = fault.run();
        assert_eq!(as_printed.as_deref(), Ok(fault.as_printed), "{} as printed", fault.number);
        assert_eq!(corrected.as_deref(), Ok(fault.corrected), "{} corrected", fault.number);
    }
}

#[test]
fn every_correction_is_shown_by_a_fault() {
    for correction in Correction::ALL {
        let number = format!("{correction:?}");
        assert!(FAULTS.iter().any(|fault| fault.number == number), "{number}");
    }
}

/// As printed, nothing at all can be applied.
#[test]
fn the_text_as_it_stands_gets_stuck_at_the_first_application() {
    let outcomes = run("exp 0", Corrections::NONE).expect("a program");
    assert_eq!(outcomes[0].result, "stuck: no rule for 𝓔 σ (e₁ e₂)");
}

/// D18: **0** and ⊕ are delayed and remembered, and yet a list of n elements takes n² sums; with symbolic zeros it takes n.
#[test]
fn zeros_that_do_not_absorb_are_quadratic_on_lists() {
    let sums = |n: usize, corrections: Corrections| {
        let list: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
        let text = format!(
            "let rec SUM ≜ λv if EMPTY? v then 0 else let (x, u) ≜ v in x + SUM u\n∇ SUM [{}]",
            list.join(", ")
        );
        let (outcomes, count) = run_counted(&text, corrections).expect("a program");
        assert_eq!(outcomes[0].result, format!("[{}]", vec!["1"; n].join(", ")));
        count.sums as f64
    };
    let printed = Corrections::ALL.without(&[Correction::D18]);
    let growth = |corrections| sums(64, corrections) / sums(32, corrections);
    assert!(growth(printed) > 3.8, "{}", growth(printed));
    assert!(growth(Corrections::ALL) < 2.1, "{}", growth(Corrections::ALL));
}

/// With all corrections the calculus has derivatives of derivatives, with and without tags on values.
#[test]
fn corrected_it_differentiates_to_any_order() {
    let program = "
        ∇ (∇ (∇ (λx x × x × x))) 2 ⇒ 6
        ∇ (λx x × ∇ (λy x + y) 1) 1 ⇒ 1
        ∇ (λx x × ∇ (λy x × y × y) x) 3 ⇒ 54
        ∇ (λa ∇ (λx sin (a × x)) 2) 3 ⇒ 2.636663275843921
        ∇ (λp Car p × Cdr p) (3, 4) ⇒ (4, 3)
        ∇ (λa let rec f ≜ λn if n < 0.5 then 1 else a × f (n - 1) in f 5) 2 ⇒ 80";
    let program = program.replace("\n        ", "\n");
    for left_out in [&[][..], &[Correction::D9], &[Correction::D18]] {
        for outcome in run(&program, Corrections::ALL.without(left_out)).expect("a program") {
            assert!(outcome.holds(), "{outcome:?} without {left_out:?}");
        }
    }
}
