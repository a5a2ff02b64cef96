//! What finding, compiling and linking cost here: `cargo run --release -p llvm --example times`.
//!
//! The passes of each effort were chosen with this. The first search starts with an empty cache, the second finds its verdict.

use llvm::{Cache, Effort, Llvm, Search, SelfTest, self_test_child};
use std::time::Instant;

fn main() {
    self_test_child();
    let folder = std::env::temp_dir().join(format!("evert-times-{}", std::process::id()));
    let cache = Cache::at(&folder);
    if let Some(folder) = std::env::args().nth(1) {
        return warm_start(&Cache::at(folder));
    }
    let search = Search::from_environment(cache.clone(), SelfTest::this_program());
    let cold = time("find, never seen before", || Llvm::find(&search));
    let llvm = match cold {
        Ok(llvm) => llvm,
        Err(unavailable) => return eprintln!("{unavailable}"),
    };
    println!("{llvm:?} for {}", llvm.cpu());
    for lines in [200, 2000, 20000] {
        for (shape, ir) in
            [("functions of 20 lines", many(lines)), ("one function", one(lines, 8)), ("one block", one(lines, lines))]
        {
            for effort in Effort::ALL {
                let compile = || llvm.compile(&ir, effort).expect("valid IR");
                let object = time(&format!("{lines} lines, {shape}, {effort:?}"), compile);
                time(&format!("  link {} bytes", object.len()), || llvm.link(&object, &[]).expect("complete"));
            }
        }
    }
    let small = llvm.compile_cached(&cache, &many(200), Effort::Standard, "").expect("valid IR").0;
    time("1000 links and unlinks of a small object", || {
        for _ in 0..1000 {
            drop(llvm.link(&small, &[]).expect("complete"));
        }
    });
    for _ in 0..3 {
        let program = std::env::current_exe().expect("this program");
        std::process::Command::new(program).arg(&folder).status().expect("it starts");
    }
    let _ = std::fs::remove_dir_all(folder);
}

/// A process that finds everything in the cache.
fn warm_start(cache: &Cache) {
    println!("a new process:");
    let start = Instant::now();
    let search = Search::from_environment(cache.clone(), SelfTest::this_program());
    let llvm = time("  find", || Llvm::find(&search)).expect("found before");
    let ir = many(200);
    let (object, hit) =
        time("  get", || llvm.compile_cached(cache, &ir, Effort::Standard, "")).expect("compiled before");
    let code = time("  link", || llvm.link(&object, &[])).expect("linked before");
    let total = start.elapsed();
    assert!(hit && code.address("f0").is_some());
    println!("  together {:.2} ms", total.as_secs_f64() * 1e3);
}

fn time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what}: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    result
}

/// Functions of 20 lines with a loop and a call of another.
fn many(lines: usize) -> String {
    let function = |index: usize| {
        let call = match index % 4 {
            0 => "fadd double %z, 1.0".into(),
            _ => format!("call double @f{}(ptr %a, i64 %next)", index / 4 * 4),
        };
        format!(
            "define double @f{index}(ptr %a, i64 %n) nounwind {{
entry:
  %slot = alloca double
  store double 0.0, ptr %slot
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = load double, ptr %slot
  %p = getelementptr double, ptr %a, i64 %i
  %x = load double, ptr %p
  %y = fmul double %x, {index}.5
  %z = fadd double %y, %sum
  store double %z, ptr %slot
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  %c = {call}
  %r = fdiv double %c, %z
  ret double %r
}}
"
        )
    };
    (0..lines / 20).map(function).collect()
}

/// One function without loops: arithmetic with loads, and a store under a branch every so many steps.
fn one(lines: usize, branch: usize) -> String {
    let mut ir = String::from("define double @f0(ptr %a) nounwind {\nentry:\n  %v0 = load double, ptr %a\n");
    for index in 1..lines / 5 {
        let (before, old) = (index - 1, index / 2);
        ir += &format!(
            "  %p{index} = getelementptr double, ptr %a, i64 {index}\n  %x{index} = load double, ptr %p{index}\n  \
             %y{index} = fmul double %x{index}, %v{old}\n  %v{index} = fadd double %y{index}, %v{before}\n"
        );
        if index % branch == 0 {
            ir += &format!(
                "  %c{index} = fcmp olt double %v{index}, 0.0\n  br i1 %c{index}, label %neg{index}, label %b{index}\n\
                 neg{index}:\n  store double %v{index}, ptr %p{index}\n  br label %b{index}\nb{index}:\n"
            );
        }
    }
    ir + &format!("  ret double %v{}\n}}\n", lines / 5 - 1)
}
