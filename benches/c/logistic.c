#include "driver.h"
static volatile long N = 10000000;
static volatile double R = 3.7;
static double primal(void) {
    double r = R, x = 0.5;
    for (long n = N; n; n--) x = r * x * (1.0 - x);
    return x;
}
KERNELS({"primal", primal})
