/* What every program here is run by: `program FUNCTION SIZE SECONDS` prints, as the other cells do, the least seconds of this thread, no heap,
   no memory, and the sum of the result. */
#ifndef ARRAYS_H
#define ARRAYS_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The inputs of benches/evals/inputs.ev. */
static double *weyl(long n, long start) {
    double *x = malloc(sizeof(double) * n);
    for (long i = 0; i < n; i++) {
        double v = 0.6180339887498949 * (start + i + 1);
        x[i] = v - floor(v);
    }
    return x;
}

static double *zeros(long n) { return calloc(n, sizeof(double)); }

static double total(const double *x, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += x[i];
    return sum;
}

static double busy(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Each program has these: `gradient` may be missing (null). */
static void prepare(long n);
static double primal(void);
static double (*const GRADIENT)(void);

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    double (*run)(void) = strcmp(argv[1], "primal") ? GRADIENT : primal;
    if (!run) {
        puts("- not written");
        return 0;
    }
    prepare(atol(argv[2]));
    double least = INFINITY, spent = 0, value = 0, seconds = atof(argv[3]);
    for (int i = 0; i < 3 || spent < seconds; i++) {
        double start = busy();
        value = run();
        double took = busy() - start;
        least = fmin(least, took);
        spent += took;
    }
    printf("%.9g - 0 %.17g\n", least, value);
    return 0;
}
#endif
