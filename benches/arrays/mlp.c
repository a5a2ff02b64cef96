#include "arrays.h"
enum { IN = 784, HID = 128, OUT = 10 };
static long n;
static double *images, *w1, *b1, *w2, *b2, *hidden, *scores, *dh, *dw1, *db1, *dw2, *db2;

static void prepare(long size) {
    n = size;
    images = weyl(n * IN, 500000), w1 = weyl(IN * HID, 0), b1 = weyl(HID, 200000);
    w2 = weyl(HID * OUT, 300000), b2 = weyl(OUT, 400000);
    for (long i = 0; i < IN * HID; i++) w1[i] = 0.1 * (w1[i] - 0.5);
    for (long i = 0; i < HID; i++) b1[i] -= 0.5;
    for (long i = 0; i < HID * OUT; i++) w2[i] -= 0.5;
    for (long i = 0; i < OUT; i++) b2[i] -= 0.5;
    hidden = zeros(n * HID), scores = zeros(n * OUT), dh = zeros(n * HID);
    dw1 = zeros(IN * HID), db1 = zeros(HID), dw2 = zeros(HID * OUT), db2 = zeros(OUT);
}

/* c += a @ b, with a of n × k and b of k × m. */
static void product(long n, long k, long m, const double *a, const double *b, double *c) {
    for (long i = 0; i < n; i++)
        for (long l = 0; l < k; l++)
            for (long j = 0; j < m; j++) c[i * m + j] += a[i * k + l] * b[l * m + j];
}

static double primal(void) {
    for (long i = 0; i < n; i++) memcpy(hidden + i * HID, b1, sizeof(double) * HID), memcpy(scores + i * OUT, b2, sizeof(double) * OUT);
    product(n, IN, HID, images, w1, hidden);
    for (long i = 0; i < n * HID; i++) hidden[i] = fmax(hidden[i], 0);
    product(n, HID, OUT, hidden, w2, scores);
    double loss = 0;
    for (long i = 0; i < n; i++) {
        double *s = scores + i * OUT, m = s[0], sum = 0;
        for (long j = 1; j < OUT; j++) m = fmax(m, s[j]);
        for (long j = 0; j < OUT; j++) sum += exp(s[j] - m);
        loss += m + log(sum) - s[7 * i % 10];
    }
    return loss / n;
}

static double gradient(void) {
    primal();
    memset(dh, 0, sizeof(double) * n * HID), memset(dw1, 0, sizeof(double) * IN * HID), memset(db1, 0, sizeof(double) * HID);
    memset(dw2, 0, sizeof(double) * HID * OUT), memset(db2, 0, sizeof(double) * OUT);
    for (long i = 0; i < n; i++) {
        double *s = scores + i * OUT, m = s[0], sum = 0;
        for (long j = 1; j < OUT; j++) m = fmax(m, s[j]);
        for (long j = 0; j < OUT; j++) sum += s[j] = exp(s[j] - m);
        for (long j = 0; j < OUT; j++) s[j] = (s[j] / sum - (j == 7 * i % 10)) / n;
        for (long k = 0; k < HID; k++)
            for (long j = 0; j < OUT; j++) {
                dw2[k * OUT + j] += hidden[i * HID + k] * s[j];
                if (hidden[i * HID + k] > 0) dh[i * HID + k] += w2[k * OUT + j] * s[j];
            }
        for (long j = 0; j < OUT; j++) db2[j] += s[j];
        for (long k = 0; k < HID; k++) db1[k] += dh[i * HID + k];
        for (long l = 0; l < IN; l++)
            for (long k = 0; k < HID; k++) dw1[l * HID + k] += images[i * IN + l] * dh[i * HID + k];
    }
    return total(dw1, IN * HID) + total(db1, HID) + total(dw2, HID * OUT) + total(db2, OUT);
}
static double (*const GRADIENT)(void) = gradient;
