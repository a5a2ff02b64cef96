//! What comprehensions become.

use crate::support::check_code;

#[test]
fn over_an_array_it_is_tabulate_of_its_elements() {
    check_code(
        "fn f(xs, a) = [a * x for x in xs]",
        "__2 = check __0: arguments 2
         xs_3 = __2.0
         a_4 = __2.1
         __5 = len(xs_3)
         __6 = group captures [xs, a] from [xs_3, a_4] {
           fn (__0) captures [xs_1, a_2] members [__3] {
             __4 = (xs_1, __0)
             x_5 = index(__4)
             __6 = (a_2, x_5)
             __7 = mul(__6)
             return __7
           }
         }
         __7 = (__5, __6)
         __8 = tabulate(__7)
         return __8",
    );
}

#[test]
fn over_a_range_no_array_is_built() {
    check_code(
        "fn f(n) = [i for i in 0..n]",
        "__2 = group {
           fn (i_0) members [__1] {
             return i_0
           }
         }
         __3 = (n_0, __2)
         __4 = tabulate(__3)
         return __4",
    );
}

#[test]
fn a_range_counts_from_its_start() {
    check_code(
        "fn f(n) = sum(i for i in n..9)",
        "__2 = (9, n_0)
         __3 = sub(__2)
         __4 = group captures [n] from [n_0] {
           fn (__0) captures [n_1] members [__2] {
             __3 = (n_1, __0)
             i_4 = add(__3)
             return i_4
           }
         }
         __5 = (__3, __4)
         __6 = tabulate(__5)
         __7 = sum(__6)
         return __7",
    );
}

#[test]
fn several_clauses_nest_and_see_earlier_variables() {
    check_code(
        "fn f() = [j for i in 0..3, j in 0..i]",
        "__2 = check __0: arguments 0
         __3 = group {
           fn (i_0) members [__1] {
             __2 = group {
               fn (j_0) members [__1] {
                 return j_0
               }
             }
             __3 = (i_0, __2)
             __4 = tabulate(__3)
             return __4
           }
         }
         __4 = (3, __3)
         __5 = tabulate(__4)
         return __5",
    );
}

#[test]
fn a_filter_finds_the_indices_first() {
    check_code(
        "fn f(n) = [i * i for i in 0..n if i > 2]",
        "__2 = group {
           fn (i_0) members [__1] {
             __2 = (i_0, 2)
             __3 = gt(__2)
             return __3
           }
         }
         __3 = (n_0, __2)
         __4 = tabulate(__3)
         __5 = where(__4)
         __6 = len(__5)
         __7 = group captures [_] from [__5] {
           fn (__0) captures [__1] members [__2] {
             __3 = (__1, __0)
             i_4 = index(__3)
             __5 = (i_4, i_4)
             __6 = mul(__5)
             return __6
           }
         }
         __8 = (__6, __7)
         __9 = tabulate(__8)
         return __9",
    );
}

#[test]
fn several_clauses_with_a_filter_join_their_parts() {
    check_code(
        "fn f(n) = [i for i in 0..n, j in 0..i if true]",
        "__2 = group {
           fn (i_0) members [__1] {
             __2 = group {
               fn (j_0) members [__1] {
                 return true
               }
             }
             __3 = (i_0, __2)
             __4 = tabulate(__3)
             __5 = where(__4)
             __6 = len(__5)
             __7 = group captures [_, i] from [__5, i_0] {
               fn (__0) captures [__1, i_2] members [__3] {
                 __4 = (__1, __0)
                 j_5 = index(__4)
                 return i_2
               }
             }
             __8 = (__6, __7)
             __9 = tabulate(__8)
             return __9
           }
         }
         __3 = (n_0, 0)
         __4 = le(__3)
         __9 = if __4 {
           __5 = []
           yield __5
         } else {
           __6 = group captures [_] from [__2] {
             fn (__0) captures [__1] members [__2] {
               __3 = check __0: arguments 2
               __4 = __3.0
               __5 = __3.1
               __6 = (__5, __4)
               __7 = sub(__6)
               __8 = (__7, 1)
               __9 = eq(__8)
               __21 = if __9 {
                 __10 = __1(__4)
                 yield __10
               } else {
                 __11 = (__4, __5)
                 __12 = add(__11)
                 __13 = (__12, 2)
                 __14 = div(__13)
                 __15 = (__4, __14)
                 __16 = __2(__15)
                 __17 = (__14, __5)
                 __18 = __2(__17)
                 __19 = (__16, __18)
                 __20 = concat(__19)
                 yield __20
               }
               return __21
             }
           }
           __7 = (0, n_0)
           __8 = __6(__7)
           yield __8
         }
         return __9",
    );
}
