#include "driver.h"
static volatile long M = 3, N = 9;
static long ackermann(long m, long n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static double primal(void) { return ackermann(M, N); }
KERNELS({"primal", primal})
