#include "driver.h"
static volatile long N = 3000000;
static volatile double H = 0.001;
static double primal(void) {
    double h = H, acc = 0;
    for (long n = N; n; n--) acc += sin(h * n);
    return acc;
}
static double gradient(void) {
    double h = H, acc = 0;
    for (long n = N; n; n--) acc += cos(h * n) * n;
    return acc;
}
KERNELS({"primal", primal}, {"gradient", gradient})
