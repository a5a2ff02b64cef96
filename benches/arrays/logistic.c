#include "arrays.h"
static long n;
enum { D = 50 };
static double *w, *x, *y, *dw;

static void prepare(long size) {
    n = size;
    w = weyl(D, 0), x = weyl(n * D, 100), y = weyl(n, 77), dw = zeros(D);
    for (long i = 0; i < D; i++) w[i] -= 0.5;
    for (long i = 0; i < n * D; i++) x[i] -= 0.5;
    for (long i = 0; i < n; i++) y[i] = 2 * floor(y[i] + 0.5) - 1;
}

static double margin(long i) {
    double dot = 0;
    for (long j = 0; j < D; j++) dot += x[i * D + j] * w[j];
    return -y[i] * dot;
}

static double primal(void) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        double m = margin(i);
        sum += fmax(m, 0) + log1p(exp(-fabs(m)));
    }
    for (long j = 0; j < D; j++) sum += 0.5 * w[j] * w[j];
    return sum;
}

static double gradient(void) {
    for (long j = 0; j < D; j++) dw[j] = w[j];
    for (long i = 0; i < n; i++) {
        double d = -y[i] / (1 + exp(-margin(i)));
        for (long j = 0; j < D; j++) dw[j] += d * x[i * D + j];
    }
    return total(dw, D);
}
static double (*const GRADIENT)(void) = gradient;
