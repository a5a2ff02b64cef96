#include "arrays.h"
static long n;
static double *s, *k, *t, *ds, *dk, *dt;
static const double rate = 0.02, volatility = 0.3;

static void prepare(long size) {
    n = size;
    s = weyl(n, 0), k = weyl(n, 500), t = weyl(n, 900), ds = zeros(n), dk = zeros(n), dt = zeros(n);
    for (long i = 0; i < n; i++) s[i] = 50 + 100 * s[i], k[i] = 50 + 100 * k[i], t[i] += 0.1;
}

static double normal(double x) { return 0.5 * erfc(-x / sqrt(2.0)); }

static double primal(void) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        double spread = volatility * sqrt(t[i]);
        double d = (log(s[i] / k[i]) + (rate + 0.5 * volatility * volatility) * t[i]) / spread;
        sum += s[i] * normal(d) - k[i] * exp(-rate * t[i]) * normal(d - spread);
    }
    return sum;
}

/* By the formulas of the textbook, in which terms have cancelled. */
static double gradient(void) {
    for (long i = 0; i < n; i++) {
        double root = sqrt(t[i]), spread = volatility * root, discount = exp(-rate * t[i]);
        double d = (log(s[i] / k[i]) + (rate + 0.5 * volatility * volatility) * t[i]) / spread, below = normal(d - spread);
        ds[i] = normal(d);
        dk[i] = -discount * below;
        dt[i] = s[i] * exp(-0.5 * d * d) / sqrt(2 * M_PI) * volatility / (2 * root) + rate * k[i] * discount * below;
    }
    return total(ds, n) + total(dk, n) + total(dt, n);
}
static double (*const GRADIENT)(void) = gradient;
