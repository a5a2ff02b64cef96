#include "arrays.h"
static long n;
static double *p, *m, *dp;

static void prepare(long size) {
    n = size;
    p = weyl(3 * n, 0), m = weyl(n, 9000), dp = zeros(3 * n);
}

static double primal(void) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            if (i == j) continue;
            double x = p[3 * i] - p[3 * j], y = p[3 * i + 1] - p[3 * j + 1], z = p[3 * i + 2] - p[3 * j + 2];
            sum += m[i] * m[j] / sqrt(x * x + y * y + z * z + 0.01);
        }
    return -0.5 * sum;
}

/* Each pair acts on both alike. */
static double gradient(void) {
    for (long i = 0; i < n; i++) {
        double gx = 0, gy = 0, gz = 0;
        for (long j = 0; j < n; j++) {
            double x = p[3 * i] - p[3 * j], y = p[3 * i + 1] - p[3 * j + 1], z = p[3 * i + 2] - p[3 * j + 2];
            double r2 = x * x + y * y + z * z + 0.01, pull = m[i] * m[j] / (r2 * sqrt(r2));
            gx += pull * x, gy += pull * y, gz += pull * z;
        }
        dp[3 * i] = gx, dp[3 * i + 1] = gy, dp[3 * i + 2] = gz;
    }
    return total(dp, 3 * n);
}
static double (*const GRADIENT)(void) = gradient;
