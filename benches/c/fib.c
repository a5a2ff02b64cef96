#include "driver.h"
static volatile long N = 32;
static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static double primal(void) { return fib(N); }
KERNELS({"primal", primal})
