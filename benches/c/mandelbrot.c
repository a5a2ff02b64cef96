#include "driver.h"
static volatile long N = 300;
static long escape(double cx, double cy) {
    double x = 0, y = 0;
    long k = 200;
    for (; k && !(x * x + y * y > 4.0); k--) {
        double t = x * x - y * y + cx;
        y = 2.0 * x * y + cy;
        x = t;
    }
    return k;
}
static double primal(void) {
    long n = N, acc = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) acc += escape(3.0 * j / n - 2.0, 2.0 * i / n - 1.0);
    return acc;
}
KERNELS({"primal", primal})
