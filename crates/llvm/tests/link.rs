//! Objects in, addresses out: symbols that are given, missing, far away, the same in two objects.

mod common;

use common::{build, llvm};
use llvm::{Effort, LinkError};
use std::sync::atomic::{AtomicU64, Ordering};

extern "C" fn runtime_add(x: f64, y: f64) -> f64 {
    x + y
}

static COUNTER: AtomicU64 = AtomicU64::new(40);

unsafe extern "C" {
    fn strlen(text: *const std::ffi::c_char) -> usize;
}

#[test]
fn code_calls_this_program_and_the_c_library() {
    let Some(llvm) = llvm() else { return };
    let ir = "declare double @runtime_add(double, double)
    declare i64 @length(ptr)
    @counter = external global i64
    define double @f(double %x) {
      %y = call double @runtime_add(double %x, double 2.0)
      ret double %y
    }
    define i64 @g(ptr %text) {
      %n = call i64 @length(ptr %text)
      %c = load i64, ptr @counter
      %s = add i64 %n, %c
      ret i64 %s
    }
    define ptr @address() {
      ret ptr @runtime_add
    }";
    let symbols = [
        ("runtime_add", runtime_add as *const ()),
        ("length", strlen as *const ()),
        ("counter", (&raw const COUNTER).cast()),
        ("never_used", std::ptr::dangling()),
    ];
    for effort in Effort::ALL {
        let code = build(&llvm, ir, effort, &symbols);
        assert_eq!(call!(code, "f", fn(f64) -> f64, 40.0), 42.0);
        assert_eq!(call!(code, "g", fn(*const std::ffi::c_char) -> i64, c"ab".as_ptr()), 42);
        assert_eq!(call!(code, "address", fn() -> *const (),), runtime_add as *const ());
        assert_eq!(code.address("h"), None);
    }
    assert_eq!(COUNTER.load(Ordering::Relaxed), 40);
}

#[test]
fn a_symbol_nobody_gave_is_named() {
    let Some(llvm) = llvm() else { return };
    let ir = "declare double @exp(double)
    declare void @evert_missing()
    define double @f(double %x) {
      call void @evert_missing()
      %y = call double @exp(double %x)
      ret double %y
    }";
    let object = llvm.compile(ir, Effort::Quick).expect("valid");
    let error = llvm.link(&object, &[]).expect_err("incomplete");
    // The process has an `exp`, which isn't found by accident.
    assert_eq!(error, LinkError::Undefined(vec!["evert_missing".into(), "exp".into()]));
    assert!(error.to_string().contains("`evert_missing`"), "{error}");
    let error = llvm.link(&object, &[("exp", runtime_add as *const ())]).expect_err("incomplete");
    assert_eq!(error, LinkError::Undefined(vec!["evert_missing".into()]));
}

#[test]
fn what_llvm_calls_on_its_own_is_there() {
    let Some(llvm) = llvm() else { return };
    let ir = "define double @f(double %x, double %y) {
      %r = frem double %x, %y
      ret double %r
    }
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
    define void @copy(ptr %to, ptr %from, i64 %n) {
      call void @llvm.memset.p0.i64(ptr %to, i8 1, i64 %n, i1 false)
      call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
      ret void
    }";
    for effort in Effort::ALL {
        let code = build(&llvm, ir, effort, &[]);
        assert_eq!(call!(code, "f", fn(f64, f64) -> f64, -7.5, 2.0), -1.5);
        let (from, mut to) = ([3u8; 100], [0u8; 100]);
        call!(code, "copy", fn(*mut u8, *const u8, usize) -> (), to.as_mut_ptr(), from.as_ptr(), 100);
        assert_eq!(from, to);
    }
}

#[test]
fn codes_with_the_same_names_live_side_by_side() {
    let Some(llvm) = llvm() else { return };
    let number = |number: i64| {
        format!("@data = global i64 {number}\ndefine i64 @f() {{\n  %x = load i64, ptr @data\n  ret i64 %x\n}}")
    };
    let make = |n| build(&llvm, &number(n), Effort::Quick, &[]);
    let mut codes: Vec<_> = (0..50).map(|n| (n, make(n))).collect();
    codes.retain(|(n, _)| n % 3 == 0);
    codes.extend((50..80).map(|n| (n, make(n))));
    for (n, code) in &codes {
        assert_eq!(call!(code, "f", fn() -> i64,), *n);
    }
}

#[test]
fn threads_link_at_the_same_time() {
    let Some(llvm) = llvm() else { return };
    let work = |thread: i64| {
        for n in 0..20 {
            let number = thread * 100 + n;
            let ir = format!("define i64 @f() {{\n  ret i64 {number}\n}}");
            let code = build(&llvm, &ir, Effort::Quick, &[]);
            assert_eq!(call!(code, "f", fn() -> i64,), number);
        }
    };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || work(thread));
        }
    });
}

#[test]
fn damaged_objects_are_refused() {
    let Some(llvm) = llvm() else { return };
    assert!(matches!(llvm.link(b"", &[]), Err(LinkError::NotAnObject(_))));
    assert!(matches!(llvm.link(b"not an object", &[]), Err(LinkError::NotAnObject(_))));
    let object = llvm.compile("define void @f() {\n  ret void\n}", Effort::Quick).expect("valid");
    for length in (0..object.len()).step_by(7) {
        assert!(llvm.link(&object[..length], &[]).is_err(), "the first {length} bytes");
    }
    assert!(llvm.link(&object, &[]).is_ok(), "the linker still works");
}

#[test]
fn what_the_linker_refuses_is_an_error_and_the_next_object_links() {
    let Some(llvm) = llvm() else { return };
    // `dso_local` promises that the data is near, which it isn't.
    let ir = "@far = external dso_local global i64\ndefine i64 @f() {\n  %x = load i64, ptr @far\n  ret i64 %x\n}";
    let object = llvm.compile(ir, Effort::Quick).expect("valid");
    let far = [("far", 0x1000 as *const ())];
    for _ in 0..3 {
        let error = llvm.link(&object, &far).expect_err("too far");
        assert!(matches!(&error, LinkError::Refused(reason) if reason.contains("far")), "{error}");
        let code = build(&llvm, "define i64 @f() {\n  ret i64 1\n}", Effort::Quick, &[]);
        assert_eq!(call!(code, "f", fn() -> i64,), 1);
    }
}
