fn main() {
    let mut args = std::env::args().skip(1);
    let text = args.next().unwrap_or_default();
    let mut session = evert::Session::offline();
    let failed = session.run("<eval>", &text, |outcome| println!("{}", evert::show(&outcome.value)));
    if let Err(errors) = failed {
        for error in errors {
            println!("{}: {} {:?} {:?} `{}` {:?}", error.code, error.message, error.notes, error.help, session.sources.text(error.span()), error.trace.iter().map(|t| &t.text).collect::<Vec<_>>());
        }
    }
}
