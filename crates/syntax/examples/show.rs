fn main() {
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let tree = syntax::parse(base::FileId(0), &text);
    print!("{}", syntax::sexpr::file(&tree));
    for e in tree.errors() {
        let s = e.span();
        println!("{} {}..{} {:?}: {} {:?}", e.code, s.start, s.end, &text[s.start as usize..s.end as usize], e.message, e.help);
        for l in &e.labels[1..] { println!("     label {}..{} {}", l.span.start, l.span.end, l.text); }
    }
}
