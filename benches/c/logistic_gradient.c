#include "driver.h"
static volatile long N = 2000000;
static volatile double R = 3.0;
static double primal(void) {
    double r = R, x = 0.5;
    for (long n = N; n; n--) x = r * x * (1.0 - x);
    return x;
}
static double forward(void) {
    double r = R, x = 0.5, d = 0;
    for (long n = N; n; n--) {
        d = x * (1.0 - x) + r * (d * (1.0 - x) - x * d);
        x = r * x * (1.0 - x);
    }
    return d;
}
/* Reverse mode with a tape of the states. */
static double gradient(void) {
    double r = R, x = 0.5, r_bar = 0, x_bar = 1;
    long n = N;
    double *tape = malloc(n * sizeof *tape);
    for (long i = 0; i < n; i++) {
        tape[i] = x;
        x = r * x * (1.0 - x);
    }
    for (long i = n - 1; i >= 0; i--) {
        double v = tape[i];
        r_bar += x_bar * v * (1.0 - v);
        x_bar = x_bar * r * (1.0 - 2.0 * v);
    }
    free(tape);
    return r_bar;
}
KERNELS({"primal", primal}, {"gradient", gradient}, {"forward", forward})
