/* What every kernel here is run by: `kernel LABEL REPETITIONS` prints the least seconds of this thread and the value. */
#ifndef DRIVER_H
#define DRIVER_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct kernel {
    const char *label;
    double (*run)(void);
};

static double busy(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static int drive(const struct kernel *kernels, int argc, char **argv) {
    for (const struct kernel *kernel = kernels; argc == 3 && kernel->label; kernel++) {
        if (strcmp(kernel->label, argv[1])) continue;
        double least = INFINITY, value = 0;
        for (int i = atoi(argv[2]); i > 0; i--) {
            double start = busy();
            value = kernel->run();
            least = fmin(least, busy() - start);
        }
        printf("%.9g %.17g\n", least, value);
        return 0;
    }
    return 2;
}

#define KERNELS(...)                                                                        \
    int main(int argc, char **argv) {                                                       \
        const struct kernel kernels[] = {__VA_ARGS__, {0, 0}};                              \
        return drive(kernels, argc, argv);                                                  \
    }
#endif
