#include "arrays.h"
static long n;
static double *z;

static void prepare(long size) { n = size, z = weyl(2 * n, 0); }

static void product(int n, int k, int m, const double *a, const double *b, double *c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * m + j];
            c[i * m + j] = sum;
        }
}

static void turned(int n, int m, const double *a, double *t) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) t[j * n + i] = a[i * m + j];
}

static double primal(void) {
    const double h[8] = {1, 0, 0, 0, 0, 1, 0, 0};
    double f[16] = {1, 0, 0.1, 0, 0, 1, 0, 0.1, 0, 0, 1, 0, 0, 0, 0, 1};
    double x[4] = {0}, p[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, ft[16], ht[8], sum = 0;
    turned(4, 4, f, ft), turned(2, 4, h, ht);
    for (long t = 0; t < n; t++) {
        double x1[4], fp[16], p1[16], hx[2], hp[8], s[4], gain[8], moved[4], gh[16], ghp[16];
        product(4, 4, 1, f, x, x1);
        product(4, 4, 4, f, p, fp), product(4, 4, 4, fp, ft, p1);
        for (int i = 0; i < 4; i++) p1[5 * i] += 0.01;
        product(2, 4, 1, h, x1, hx), product(2, 4, 4, h, p1, hp), product(2, 4, 2, hp, ht, s);
        s[0] += 0.1, s[3] += 0.1;
        double y[2] = {z[2 * t] - hx[0], z[2 * t + 1] - hx[1]}, det = s[0] * s[3] - s[1] * s[2];
        double inv[4] = {s[3] / det, -s[1] / det, -s[2] / det, s[0] / det};
        double solved[8], sy[2];
        product(2, 2, 4, inv, hp, solved), product(2, 2, 1, inv, y, sy);
        turned(2, 4, solved, gain);
        product(4, 2, 1, gain, y, moved);
        product(4, 2, 4, gain, h, gh), product(4, 4, 4, gh, p1, ghp);
        for (int i = 0; i < 4; i++) x[i] = x1[i] + moved[i];
        for (int i = 0; i < 16; i++) p[i] = p1[i] - ghp[i];
        sum -= 0.5 * (y[0] * sy[0] + y[1] * sy[1] + log(det));
    }
    return sum;
}
static double (*const GRADIENT)(void) = 0;
