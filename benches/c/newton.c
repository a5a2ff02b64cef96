#include "driver.h"
static volatile long N = 200000;
static volatile double C = 2.0;
static double root(double c, double x) {
    for (;;) {
        double next = x - (x * x * x - c) / (3.0 * x * x);
        if (fabs(next - x) <= 1e-15 * fabs(next)) return next;
        x = next;
    }
}
static double primal(void) {
    double c = C, acc = 0;
    for (long n = N; n; n--, c += 0.001) acc += root(c, c);
    return acc;
}
KERNELS({"primal", primal})
