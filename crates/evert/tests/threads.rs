//! Sessions on several threads don't disturb each other.

use evert::{Session, show};

#[test]
fn differentiating_on_several_threads_gives_the_same_everywhere() {
    let program = "fn f(x) = fold((a, k) => a + sin(k * x) / k, 0.0, [1.0, 2.0, 3.0])\ngrad(grad(f))(0.3)";
    let run = move || show(&Session::offline().evaluate(program).expect("a value"));
    let expected = run();
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(run)).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), expected);
    }
}
