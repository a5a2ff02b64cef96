#include "arrays.h"
static long n;
static double *a, *b, *cost, *bar, *da, *db;

static void prepare(long size) {
    n = size;
    a = weyl(n, 0), b = weyl(n, 5000), da = zeros(n), db = zeros(n);
    cost = zeros((n + 1) * (n + 1)), bar = zeros((n + 1) * (n + 1));
}

static double soft_min(double a, double b, double c) {
    double m = fmin(a, fmin(b, c));
    return m - log(exp(m - a) + exp(m - b) + exp(m - c));
}

static double primal(void) {
    long m = n + 1;
    for (long j = 0; j <= n; j++) cost[j] = j ? 1e10 : 0;
    for (long i = 1; i <= n; i++) {
        double *above = cost + (i - 1) * m, *row = cost + i * m;
        row[0] = 1e10;
        for (long j = 1; j <= n; j++) {
            double d = a[i - 1] - b[j - 1];
            row[j] = d * d + soft_min(row[j - 1], above[j - 1], above[j]);
        }
    }
    return cost[n * m + n];
}

static double gradient(void) {
    long m = n + 1;
    primal();
    memset(bar, 0, sizeof(double) * m * m), memset(da, 0, sizeof(double) * n), memset(db, 0, sizeof(double) * n);
    bar[n * m + n] = 1;
    for (long i = n; i > 0; i--)
        for (long j = n; j > 0; j--) {
            double v = bar[i * m + j], d = a[i - 1] - b[j - 1], low = cost[i * m + j] - d * d;
            da[i - 1] += 2 * d * v, db[j - 1] -= 2 * d * v;
            bar[i * m + j - 1] += v * exp(low - cost[i * m + j - 1]);
            bar[(i - 1) * m + j - 1] += v * exp(low - cost[(i - 1) * m + j - 1]);
            bar[(i - 1) * m + j] += v * exp(low - cost[(i - 1) * m + j]);
        }
    return total(da, n) + total(db, n);
}
static double (*const GRADIENT)(void) = gradient;
