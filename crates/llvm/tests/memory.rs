//! Unlinking gives memory back. Alone in its program, because it watches the size of the process.
#![cfg(target_os = "linux")]

mod common;

use common::{build, llvm};
use llvm::Effort;

/// The memory this process holds, in KiB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("this process");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("its size");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn many_compiles_links_and_unlinks_do_not_grow_the_process() {
    let Some(llvm) = llvm() else { return };
    let function = |n: usize| format!("define i64 @f{n}() {{\n  ret i64 {n}\n}}\n");
    let ir: String = (0..100).map(function).collect();
    let object = llvm.compile(&ir, Effort::Quick).expect("valid");
    let link = |times: usize| {
        for _ in 0..times {
            let code = llvm.link(&object, &[]).expect("complete");
            assert_eq!(call!(code, "f7", fn() -> i64,), 7);
        }
    };
    link(200);
    let before = resident();
    link(1000);
    let linked = resident().saturating_sub(before);
    eprintln!("1000 links: {linked} KiB more");
    assert!(linked < 2048, "1000 links took {linked} KiB");
    for n in 0..50 {
        drop(build(&llvm, &function(n), Effort::Full, &[]));
        let _ = llvm.compile("nonsense", Effort::Full);
        let _ = llvm.compile("define i64 @f() {\n  ret i64 %x\n}", Effort::Full);
    }
    let before = resident();
    for n in 0..500 {
        drop(build(&llvm, &function(n), Effort::Full, &[]));
        let _ = llvm.compile("nonsense", Effort::Full);
        let _ = llvm.compile("define i64 @f() {\n  ret i64 %x\n}", Effort::Full);
    }
    let compiled = resident().saturating_sub(before);
    eprintln!("500 compiles: {compiled} KiB more");
    assert!(compiled < 4096, "500 compiles took {compiled} KiB");
}
