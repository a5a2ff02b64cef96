fn main() {
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let tree = syntax::parse(base::FileId(0), &text);
    for e in tree.errors() { println!("{} {}", e.code, e.message); }
    print!("{}", syntax::format(&tree).unwrap_or_default());
}
