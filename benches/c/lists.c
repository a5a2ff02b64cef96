#include "driver.h"
static volatile long N = 2000000;
static volatile double X = 0.001;
struct list {
    struct list *rest;
    double x;
};
static double primal(void) {
    double x = X, acc = 0;
    struct list *list = 0;
    for (long n = N; n; n--) {
        struct list *cons = malloc(sizeof *cons);
        *cons = (struct list){list, x * n};
        list = cons;
    }
    while (list) {
        struct list *rest = list->rest;
        acc = acc * 0.5 + list->x;
        free(list);
        list = rest;
    }
    return acc;
}
KERNELS({"primal", primal})
