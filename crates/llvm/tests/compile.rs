//! IR in, object out: what runs, what is refused, and that numbers are exactly those of the IR.

mod common;

use common::{Folder, build, llvm};
use llvm::{Cache, Effort, Stage};

const ARITHMETIC: &str = "define double @f(double %x, i64 %n) {
  %y = sitofp i64 %n to double
  %z = fmul double %x, %y
  %w = fadd double %z, 1.0
  ret double %w
}";

#[test]
fn arithmetic_runs_at_every_effort() {
    let Some(llvm) = llvm() else { return };
    for effort in Effort::ALL {
        let code = build(&llvm, ARITHMETIC, effort, &[]);
        assert_eq!(call!(code, "f", fn(f64, i64) -> f64, 2.5, 4), 11.0);
    }
}

#[test]
fn structs_are_returned() {
    #[repr(C)]
    #[derive(Debug, PartialEq)]
    struct Pair {
        sum: f64,
        difference: f64,
    }
    let Some(llvm) = llvm() else { return };
    let ir = "define { double, double } @f(double %x, double %y) {
      %s = fadd double %x, %y
      %d = fsub double %x, %y
      %a = insertvalue { double, double } poison, double %s, 0
      %b = insertvalue { double, double } %a, double %d, 1
      ret { double, double } %b
    }";
    for effort in Effort::ALL {
        let pair = call!(build(&llvm, ir, effort, &[]), "f", fn(f64, f64) -> Pair, 5.0, 3.0);
        assert_eq!(pair, Pair { sum: 8.0, difference: 2.0 });
    }
}

#[test]
fn nothing_is_fused_unless_the_ir_says_so() {
    let Some(llvm) = llvm() else { return };
    let ir = "define double @plain(double %a, double %b, double %c) {
      %p = fmul double %a, %b
      %s = fadd double %p, %c
      ret double %s
    }
    define <4 x double> @lanes(<4 x double> %a, <4 x double> %b, <4 x double> %c) {
      %p = fmul <4 x double> %a, %b
      %s = fsub <4 x double> %p, %c
      ret <4 x double> %s
    }
    define double @lane(double %a, double %b, double %c) {
      %a1 = insertelement <4 x double> zeroinitializer, double %a, i32 2
      %b1 = insertelement <4 x double> zeroinitializer, double %b, i32 2
      %c1 = insertelement <4 x double> zeroinitializer, double %c, i32 2
      %r = call <4 x double> @lanes(<4 x double> %a1, <4 x double> %b1, <4 x double> %c1)
      %x = extractelement <4 x double> %r, i32 2
      ret double %x
    }
    declare double @llvm.fma.f64(double, double, double)
    define double @fused(double %a, double %b, double %c) {
      %s = call double @llvm.fma.f64(double %a, double %b, double %c)
      ret double %s
    }";
    let (a, c) = (1.0 + f64::EPSILON, -(1.0 + 2.0 * f64::EPSILON));
    assert_ne!(a * a + c, a.mul_add(a, c), "the inputs tell them apart");
    for effort in Effort::ALL {
        let code = build(&llvm, ir, effort, &[]);
        assert_eq!(call!(code, "plain", fn(f64, f64, f64) -> f64, a, a, c), a * a + c, "{effort:?}");
        assert_eq!(call!(code, "lane", fn(f64, f64, f64) -> f64, a, a, -c), a * a + c, "{effort:?}");
        assert_eq!(call!(code, "fused", fn(f64, f64, f64) -> f64, a, a, c), a.mul_add(a, c), "{effort:?}");
    }
}

#[test]
fn sums_keep_their_order() {
    let Some(llvm) = llvm() else { return };
    let ir = "define double @sum(ptr %a, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %next, %loop ]
      %s = phi double [ 0.0, %entry ], [ %t, %loop ]
      %p = getelementptr double, ptr %a, i64 %i
      %x = load double, ptr %p
      %t = fadd double %s, %x
      %next = add i64 %i, 1
      %more = icmp slt i64 %next, %n
      br i1 %more, label %loop, label %done
    done:
      ret double %t
    }";
    let numbers: Vec<f64> = (0..1000).map(|i| (f64::from(i) * 0.37).sin() * 10f64.powi(i % 30)).collect();
    let expected = numbers.iter().fold(0.0, |sum, x| sum + x);
    for effort in Effort::ALL {
        let code = build(&llvm, ir, effort, &[]);
        assert_eq!(call!(code, "sum", fn(*const f64, i64) -> f64, numbers.as_ptr(), 1000), expected);
    }
}

#[test]
fn text_that_is_not_ir_is_refused_with_its_line() {
    let Some(llvm) = llvm() else { return };
    let error = llvm.compile("define double @f() {\n  ret dbl 1.0\n}", Effort::Quick).expect_err("not IR");
    assert_eq!(error.stage, Stage::Parse);
    let line = error.line.clone().expect("a line");
    assert_eq!((line.number, line.text.as_str()), (2, "ret dbl 1.0"));
    assert!(error.message.contains("expected type"), "{error}");
    for garbage in ["", "BC\u{c0}\u{de}", "define", &"(".repeat(10_000)] {
        // Empty text is an empty module; nothing else here is one, and nothing ends the process.
        assert_eq!(llvm.compile(garbage, Effort::Full).is_ok(), garbage.is_empty(), "{garbage:.10}");
    }
}

#[test]
fn ir_with_the_wrong_types_is_refused_with_its_line() {
    let Some(llvm) = llvm() else { return };
    let ir = "define double @f(double %x) {\nentry:\n  br label %use\nuse:\n  %z = fadd   double %y, 1.0 ; too early\n  \
              %y = fadd double %x, 1.0\n  ret double %z\n}";
    let error = llvm.compile(ir, Effort::Quick).expect_err("not in order");
    assert_eq!(error.stage, Stage::Verify);
    assert!(error.message.contains("does not dominate"), "{error}");
    assert!(error.line.is_some(), "{error}");
    assert!(error.to_string().contains("line"), "{error}");
}

#[test]
fn what_the_code_generator_cannot_do_is_an_error() {
    let Some(llvm) = llvm() else { return };
    let ir = "define void @f() {\n  call void asm sideeffect \"nonsense\", \"\"()\n  ret void\n}";
    let error = llvm.compile(ir, Effort::Quick);
    assert!(error.is_err(), "{error:?}");
}

#[test]
fn the_same_ir_gives_the_same_bytes() {
    let Some(llvm) = llvm() else { return };
    for effort in Effort::ALL {
        let first = llvm.compile(ARITHMETIC, effort).expect("valid");
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let llvm = llvm.clone();
                std::thread::spawn(move || llvm.compile(ARITHMETIC, effort).expect("valid"))
            })
            .collect();
        for thread in threads {
            assert_eq!(thread.join().expect("no panic"), first);
        }
    }
}

#[test]
fn the_cache_answers_the_second_time_and_knows_what_differs() {
    let Some(llvm) = llvm() else { return };
    let folder = Folder::new("compile-cached");
    let cache = Cache::at(folder.path());
    let compile = |ir: &str, effort, interface| llvm.compile_cached(&cache, ir, effort, interface).expect("valid");
    let (object, hit) = compile(ARITHMETIC, Effort::Quick, "one");
    assert!(!hit);
    assert_eq!(compile(ARITHMETIC, Effort::Quick, "one"), (object.clone(), true));
    assert!(!compile(ARITHMETIC, Effort::Quick, "two").1, "another runtime");
    assert!(!compile(ARITHMETIC, Effort::Full, "one").1, "another effort");
    assert!(!compile(&format!("{ARITHMETIC}\n"), Effort::Quick, "one").1, "another text");
    assert!(llvm.compile_cached(&cache, "nonsense", Effort::Quick, "one").is_err());
    let without = llvm.compile_cached(&Cache::none(), ARITHMETIC, Effort::Quick, "one").expect("valid");
    assert_eq!(without, (object, false));
}
