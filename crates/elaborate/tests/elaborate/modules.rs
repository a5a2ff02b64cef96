//! Imports and qualified names.

use calculus::{Binding, Expr};

use crate::support::{Session, check_error_in, errors};

fn library() -> Session {
    Session::with_library("type T = A | B(x)\nfn double(x) = 2 * x\nfn triple(x) = 3 * x")
}

#[test]
fn a_module_goes_by_its_library_name_alias_or_file_stem() {
    library().run("import library\nlibrary.double(1)");
    library().run("import library as l\nl.double(1)");
    library().run("import \"lib/library.ev\"\nlibrary.double(1)");
}

#[test]
fn constructors_of_a_module_are_known_in_expressions_and_patterns() {
    let module = library().run("import library as l\nfn f(v) = match v { l.A => l.B(1), l.B(x) => l.A, _ => l.B }");
    let first = &module.functions[0].1.members[0].body.bindings[0];
    assert!(
        matches!(first, Binding::Let { expr: Expr::Is(_, calculus::Form::Constructor(made)), .. } if made.name.as_str() == "A")
    );
}

#[test]
fn a_local_variable_shadows_a_module() {
    let module = library().run("import library as l\nfn f(l) = l.double");
    assert!(matches!(&module.functions[0].1.members[0].body.bindings[0], Binding::Let { expr: Expr::Get(..), .. }));
}

#[test]
fn e0206_an_import_that_is_not_there_is_reported_once() {
    let found = errors("import nowhere\nfn f(x) = nowhere.f(nowhere.g(x))");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].code.to_string(), "E0206");
}

#[test]
fn e0208_a_name_that_the_module_does_not_define() {
    let source = "import library as l\nl.duoble(1)";
    check_error_in(&mut library(), source, "E0208", "duoble", "`l.double`");
}

#[test]
fn e0201_a_module_is_no_value() {
    check_error_in(&mut library(), "import library as l\nl", "E0201", "l", "l.something");
}
