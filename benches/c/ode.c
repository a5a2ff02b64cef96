#include "driver.h"
static volatile long N = 500000;
static volatile double A = 1.1, B = 0.4, C = 0.1, D = 0.4;
static const double h = 0.0001;

static double primal(void) {
    double a = A, b = B, c = C, d = D, x = 10, y = 5;
    for (long n = N; n; n--) {
        double ax = x * (a - b * y), ay = y * (c * x - d);
        double u = x + h / 2 * ax, v = y + h / 2 * ay;
        double bx = u * (a - b * v), by = v * (c * u - d);
        u = x + h / 2 * bx, v = y + h / 2 * by;
        double cx = u * (a - b * v), cy = v * (c * u - d);
        u = x + h * cx, v = y + h * cy;
        double dx = u * (a - b * v), dy = v * (c * u - d);
        x += h / 6 * (ax + 2 * bx + 2 * cx + dx), y += h / 6 * (ay + 2 * by + 2 * cy + dy);
    }
    return x + y;
}

/* Reverse mode: the states are kept, the stages are computed again. */
static double gradient(void) {
    double p[4] = {A, B, C, D}, bar[4] = {0}, x = 10, y = 5;
    long n = N;
    double(*tape)[2] = malloc(n * sizeof *tape);
    const double at[4] = {0, h / 2, h / 2, h}, weight[4] = {h / 6, h / 3, h / 3, h / 6};
    for (long i = 0; i < n; i++) {
        tape[i][0] = x, tape[i][1] = y;
        double kx = 0, ky = 0, sx = 0, sy = 0;
        for (int s = 0; s < 4; s++) {
            double u = x + at[s] * kx, v = y + at[s] * ky;
            kx = u * (p[0] - p[1] * v), ky = v * (p[2] * u - p[3]);
            sx += weight[s] * kx, sy += weight[s] * ky;
        }
        x += sx, y += sy;
    }
    double x_bar = 1, y_bar = 1;
    for (long i = n - 1; i >= 0; i--) {
        double u[4], v[4], kx = 0, ky = 0;
        for (int s = 0; s < 4; s++) {
            u[s] = tape[i][0] + at[s] * kx, v[s] = tape[i][1] + at[s] * ky;
            kx = u[s] * (p[0] - p[1] * v[s]), ky = v[s] * (p[2] * u[s] - p[3]);
        }
        double u_bar = 0, v_bar = 0, nx = x_bar, ny = y_bar;
        for (int s = 3; s >= 0; s--) {
            double next = s < 3 ? at[s + 1] : 0;
            double kx_bar = weight[s] * x_bar + next * u_bar, ky_bar = weight[s] * y_bar + next * v_bar;
            bar[0] += kx_bar * u[s], bar[1] -= kx_bar * u[s] * v[s];
            bar[2] += ky_bar * u[s] * v[s], bar[3] -= ky_bar * v[s];
            u_bar = kx_bar * (p[0] - p[1] * v[s]) + ky_bar * v[s] * p[2];
            v_bar = -kx_bar * u[s] * p[1] + ky_bar * (p[2] * u[s] - p[3]);
            nx += u_bar, ny += v_bar;
        }
        x_bar = nx, y_bar = ny;
    }
    free(tape);
    return bar[0] + bar[1] + bar[2] + bar[3];
}
KERNELS({"primal", primal}, {"gradient", gradient})
