#include "driver.h"
static volatile long N = 50;
static volatile double X = 1.0;
struct pair {
    double x, y;
};
static double magnitude(struct pair p) { return sqrt(p.x * p.x + p.y * p.y); }

/* Gradient descent of a function and its gradient, which both may look at `data`. */
static inline __attribute__((always_inline)) struct pair
argmin(double (*f)(struct pair, struct pair), struct pair (*slope)(struct pair), struct pair data, struct pair p) {
    double fp = f(p, data), step = 1e-5;
    struct pair g = slope(p);
    for (int i = 0;;) {
        if (magnitude(g) <= 1e-5) return p;
        if (i == 10) {
            step *= 2.0, i = 0;
            continue;
        }
        struct pair next = {p.x - step * g.x, p.y - step * g.y};
        if (magnitude((struct pair){p.x - next.x, p.y - next.y}) <= 1e-5) return p;
        double fnext = f(next, data);
        if (fnext < fp) {
            p = next, fp = fnext, g = slope(next), i++;
        } else {
            step /= 2.0, i = 0;
        }
    }
}
static struct pair twice(struct pair p) { return (struct pair){2 * p.x, 2 * p.y}; }
static double plus(struct pair p, struct pair data) { return p.x * p.x + p.y * p.y + data.x; }
static double minus_f(struct pair b, struct pair a) { return -((a.x * a.x + a.y * a.y) - (b.x * b.x + b.y * b.y)); }
static struct pair start;
static double highest(struct pair a, struct pair ignored) { return -minus_f(argmin(minus_f, twice, a, start), a); }

static double primal(void) {
    double x = X, acc = 0;
    for (long n = N * N; n; n--, x += 1e-6) {
        struct pair p = argmin(plus, twice, (struct pair){x, x}, (struct pair){x, x});
        acc += p.x + p.y;
    }
    return acc;
}
/* By hand it is known that the maximum's gradient is 2 (x, y). */
static double nested(void) {
    double x = X, acc = 0;
    for (long n = N; n; n--, x += 1e-6) {
        start = (struct pair){x, 1.0};
        struct pair a = argmin(highest, twice, start, start), b = argmin(minus_f, twice, a, start);
        acc += a.x + a.y + b.x + b.y;
    }
    return acc;
}
KERNELS({"primal", primal}, {"ff", nested}, {"fr", nested}, {"rf", nested}, {"rr", nested})
