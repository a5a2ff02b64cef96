#include "arrays.h"
enum { K = 5 };
static long n;
static double *w, *x, *dw, *dx;

static void prepare(long size) {
    n = size;
    w = weyl(K * K, 0), x = weyl(n * n, 100), dw = zeros(K * K), dx = zeros(n * n);
    for (long i = 0; i < K * K; i++) w[i] -= 0.5;
}

static double at(long i, long j) {
    double sum = 0;
    for (long p = 0; p < K; p++)
        for (long q = 0; q < K; q++) sum += w[p * K + q] * x[(i + p) * n + j + q];
    return sum;
}

static double primal(void) {
    double sum = 0;
    for (long i = 0; i + K <= n; i++)
        for (long j = 0; j + K <= n; j++) {
            double v = at(i, j);
            sum += v * v;
        }
    return sum;
}

static double gradient(void) {
    memset(dw, 0, sizeof(double) * K * K), memset(dx, 0, sizeof(double) * n * n);
    for (long i = 0; i + K <= n; i++)
        for (long j = 0; j + K <= n; j++) {
            double d = 2 * at(i, j);
            for (long p = 0; p < K; p++)
                for (long q = 0; q < K; q++) {
                    dw[p * K + q] += d * x[(i + p) * n + j + q];
                    dx[(i + p) * n + j + q] += d * w[p * K + q];
                }
        }
    return total(dw, K * K) + total(dx, n * n);
}
static double (*const GRADIENT)(void) = gradient;
