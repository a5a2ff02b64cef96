#include "driver.h"
static volatile long N = 5000, K = 20;
static volatile double W = 0.0;

/* The gradient of 1/|p - (10, h)| is -(p - (10, h)) / |.|^3. */
static double impact(double w) {
    double h = 10.0 - w, x = 0, y = 8, vx = 0.75, vy = 0;
    const double dt = 0.1;
    for (;;) {
        double ax = x - 10.0, ay = y - h, by = y, d = ax * ax + ay * ay, e = ax * ax + by * by;
        double p = 1.0 / (d * sqrt(d)), q = 1.0 / (e * sqrt(e));
        double gx = -(ax * p + ax * q), gy = -(ay * p + by * q);
        double nx = x + dt * vx, ny = y + dt * vy;
        if (!(ny > 0.0)) {
            double at = x - y / vy * vx;
            return at * at;
        }
        x = nx, y = ny, vx -= dt * gx, vy -= dt * gy;
    }
}

/* The same with tangents in w. */
static double slope(double w) {
    double h = 10.0 - w, x = 0, y = 8, vx = 0.75, vy = 0;
    double x1 = 0, y1 = 0, vx1 = 0, vy1 = 0;
    const double dt = 0.1;
    for (;;) {
        double ax = x - 10.0, ay = y - h, by = y, d = ax * ax + ay * ay, e = ax * ax + by * by;
        double ay1 = y1 + 1.0, d1 = 2 * (ax * x1 + ay * ay1), e1 = 2 * (ax * x1 + by * y1);
        double p = 1.0 / (d * sqrt(d)), q = 1.0 / (e * sqrt(e));
        double p1 = -1.5 * p / d * d1, q1 = -1.5 * q / e * e1;
        double gx = -(ax * p + ax * q), gy = -(ay * p + by * q);
        double gx1 = -(x1 * p + ax * p1 + x1 * q + ax * q1), gy1 = -(ay1 * p + ay * p1 + y1 * q + by * q1);
        double nx = x + dt * vx, ny = y + dt * vy;
        if (!(ny > 0.0)) {
            double t = y / vy, t1 = (y1 - t * vy1) / vy, at = x - t * vx;
            return 2 * at * (x1 - t1 * vx - t * vx1);
        }
        x1 += dt * vx1, y1 += dt * vy1, vx1 -= dt * gx1, vy1 -= dt * gy1;
        x = nx, y = ny, vx -= dt * gx, vy -= dt * gy;
    }
}

static double argmin(double x) {
    double fx = impact(x), gx = slope(x), step = 1e-5;
    for (int i = 0;;) {
        if (fabs(gx) <= 1e-5) return x;
        if (i == 10) {
            step *= 2.0, i = 0;
            continue;
        }
        double next = x - step * gx;
        if (fabs(next - x) <= 1e-5) return x;
        double fnext = impact(next);
        if (fnext < fx) {
            x = next, fx = fnext, gx = slope(next), i++;
        } else {
            step /= 2.0, i = 0;
        }
    }
}

static double sum(long n, double (*f)(double)) {
    double w = W, acc = 0;
    for (; n; n--, w += 1e-6) acc += f(w);
    return acc;
}
static double primal(void) { return sum(N, impact); }
static double gradient(void) { return sum(N, slope); }
static double nested(void) { return sum(K, argmin); }
KERNELS({"primal", primal}, {"gradient", gradient}, {"forward", gradient}, {"ff", nested}, {"fr", nested},
        {"rf", nested}, {"rr", nested})
