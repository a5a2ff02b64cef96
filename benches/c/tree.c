#include "driver.h"
static volatile long DEPTH = 20;
static volatile double X = 1.5;
struct tree {
    struct tree *a, *b;
    double x;
};
static struct tree *tree(long depth, double x) {
    struct tree *t = malloc(sizeof *t);
    *t = (struct tree){0, 0, x};
    if (depth) {
        t->a = tree(depth - 1, x * 0.5);
        t->b = tree(depth - 1, x * 0.75);
    }
    return t;
}
static double total(struct tree *t) {
    double sum = t->a ? total(t->a) + total(t->b) : t->x;
    free(t);
    return sum;
}
static double primal(void) { return total(tree(DEPTH, X)); }
KERNELS({"primal", primal})
