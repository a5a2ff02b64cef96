#include "arrays.h"
static long n;
static double *first, *u, *v;
enum { STEPS = 200 };

static void prepare(long size) { n = size, first = weyl(n * n, 0), u = zeros(n * n), v = zeros(n * n); }

static void swap(void) {
    double *t = u;
    u = v, v = t;
}

static double primal(void) {
    memcpy(u, first, sizeof(double) * n * n), memcpy(v, first, sizeof(double) * n * n);
    for (int step = 0; step < STEPS; step++, swap())
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                long c = i * n + j;
                v[c] = u[c] + 0.2 * (u[c - n] + u[c + n] + u[c - 1] + u[c + 1] - 4 * u[c]);
            }
    double sum = 0;
    for (long i = 0; i < n * n; i++) sum += u[i] * u[i];
    return sum;
}

/* A step transposed: each cell gives to its neighbours what they took from it. */
static double gradient(void) {
    primal();
    for (long i = 0; i < n * n; i++) u[i] *= 2;
    for (int step = 0; step < STEPS; step++, swap()) {
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {
                int inside = i > 0 && j > 0 && i < n - 1 && j < n - 1;
                v[i * n + j] = inside ? 0.2 * u[i * n + j] : u[i * n + j];
            }
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                long c = i * n + j;
                v[c - n] += 0.2 * u[c], v[c + n] += 0.2 * u[c], v[c - 1] += 0.2 * u[c], v[c + 1] += 0.2 * u[c];
            }
    }
    return total(u, n * n);
}
static double (*const GRADIENT)(void) = gradient;
