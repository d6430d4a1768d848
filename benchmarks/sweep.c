/* The merging sweep of src/banditune/kernels, line for line in C: the yardstick for the compiled Python.
 *
 * Build: cc -O3 -march=native -ffp-contract=off -shared -fPIC sweep.c -o sweep.so -lm
 * (Contraction is off because the error-free sums need every rounding where it stands.)
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { double high, low; } dd;

static inline dd two_sum(double a, double b) {
    double total = a + b, share = total - a;
    return (dd){total, (a - (total - share)) + (b - share)};
}

static inline dd quick_two_sum(double a, double b) {
    double total = a + b;
    return (dd){total, b - (total - a)};
}

static inline dd two_product(double a, double b) {
    double product = a * b;
    return (dd){product, fma(a, b, -product)};
}

static inline dd dd_add(dd a, dd b) {
    dd sum = two_sum(a.high, b.high), tail = two_sum(a.low, b.low);
    sum = quick_two_sum(sum.high, sum.low + tail.high);
    return quick_two_sum(sum.high, sum.low + tail.low);
}

static inline dd dd_scale(dd a, double factor) {
    dd product = two_product(a.high, factor);
    return quick_two_sum(product.high, product.low + a.low * factor);
}

static inline dd dd_multiply(dd a, dd b) {
    dd product = two_product(a.high, b.high);
    return quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/* ---- lines: A high, A low, B high, B low, d, a, b ---- */
static const double SLACK = 0x1p-49, NEAR = 0x1p-10;
typedef double line[7];

static inline dd part_difference(const line *lines, int64_t i, int64_t j, int part) {
    dd one = dd_scale((dd){lines[i][part], lines[i][part + 1]}, lines[j][4]);
    dd other = dd_scale((dd){lines[j][part], lines[j][part + 1]}, lines[i][4]);
    return dd_add(one, (dd){-other.high, -other.low});
}

static inline double value_at(dd start, dd rise, double x, double unit) {
    return dd_add(start, dd_multiply(rise, two_product(x, unit))).high;
}

static double exact_difference(const line *lines, int64_t i, int64_t j, double x, double unit) {
    return value_at(part_difference(lines, i, j, 0), part_difference(lines, i, j, 2), x, unit);
}

static inline double compare(const line *lines, int64_t i, int64_t j, double x, double unit) {
    double run = x * unit;
    double difference = (lines[i][5] - lines[j][5]) + run * (lines[i][6] - lines[j][6]);
    double size = fabs(lines[i][5]) + fabs(lines[j][5]) + run * (lines[i][6] + lines[j][6]);
    if (fabs(difference) > SLACK * size) return difference;
    return exact_difference(lines, i, j, x, unit);
}

static int is_steeper(const line *lines, int64_t i, int64_t j) {
    double difference = lines[i][6] - lines[j][6];
    if (fabs(difference) > SLACK * (lines[i][6] + lines[j][6])) return difference > 0;
    return part_difference(lines, i, j, 2).high > 0;
}

static int64_t leader_right_of(const line *lines, int64_t n, double x, double unit) {
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        double difference = compare(lines, i, best, x, unit);
        if (difference > 0 || (difference == 0 && is_steeper(lines, i, best))) best = i;
    }
    return best;
}

static double crossing(const line *lines, int64_t i, int64_t j, double unit) {
    dd start = part_difference(lines, i, j, 0), rise = part_difference(lines, i, j, 2);
    double slope = rise.high * unit, x = -start.high / slope, step = nextafter(x, INFINITY) - x;
    double excess = value_at(start, rise, x, unit) / (slope * step), whole = floor(excess);
    double level = x - whole * step;
    int evenly_spaced = x - level == whole * step && level - nextafter(level, -INFINITY) == step;
    if (evenly_spaced && excess - whole > NEAR && excess - whole < 1 - NEAR) return level;
    while (value_at(start, rise, x, unit) < 0) x = nextafter(x, INFINITY);
    double before = nextafter(x, -INFINITY);
    while (value_at(start, rise, before, unit) >= 0) {
        x = before;
        before = nextafter(before, -INFINITY);
    }
    return x;
}

static double overtaken_at(const line *lines, int64_t n, int64_t best, double low, double high, double unit,
                           int64_t *by) {
    double edge = high;
    *by = best;
    for (int64_t i = 0; i < n; i++)
        if (i != best && compare(lines, i, best, edge, unit) > 0 && is_steeper(lines, i, best)) {
            double x = crossing(lines, i, best, unit), least = nextafter(low, INFINITY);
            if (x < least) x = least;
            if (x < edge) {
                edge = x;
                *by = i;
            }
        }
    return edge;
}

/* ---- tables of a task ---- */
typedef struct {
    int64_t n, columns;
    double *sums, *means;
    const double *inverse_roots, *roots, *growth, *gaps;
    double earned, size;
} tables;

static void fill_tables(tables *t, const double *streams) {
    int64_t horizon = t->columns - 1;
    t->size = 0;
    for (int64_t arm = 0; arm < t->n; arm++) {
        dd sum = {0, 0};
        double *sums = t->sums + arm * t->columns * 2, *means = t->means + arm * t->columns;
        sums[0] = sums[1] = means[0] = 0;
        for (int64_t p = 0; p < horizon; p++) {
            double reward = streams[arm * horizon + p];
            sum = dd_add(sum, (dd){reward, 0});
            sums[2 * p + 2] = sum.high;
            sums[2 * p + 3] = sum.low;
            means[p + 1] = sum.high / (double)(p + 1);
            if (fabs(reward) > t->size) t->size = fabs(reward);
        }
    }
}

static double loss_of_counts(const int64_t *counts, const tables *t) {
    dd loss = {0, 0};
    for (int64_t arm = 0; arm < t->n; arm++) {
        loss = dd_add(loss, two_product((double)counts[arm], t->gaps[arm]));
        if (t->earned != 0) {
            const double *sum = t->sums + (arm * t->columns + counts[arm]) * 2;
            loss = dd_add(loss, (dd){-sum[0], -sum[1]});
        }
    }
    return loss.high;
}

/* ---- pieces and slots ---- */
typedef struct { double *left; int64_t *owner, *arm, *last; } pieces;
typedef struct { int64_t capacity, *counts, *free; double *means, *roots; } slots;

static void enlarge_pieces(pieces *p, int64_t capacity) {
    p->left = realloc(p->left, (capacity + 1) * sizeof(double));
    p->owner = realloc(p->owner, capacity * sizeof(int64_t));
    p->arm = realloc(p->arm, capacity * sizeof(int64_t));
    p->last = realloc(p->last, capacity * sizeof(int64_t));
}

static void enlarge_slots(slots *s, int64_t n, int64_t n_pieces, int64_t capacity) {
    s->counts = realloc(s->counts, capacity * n * sizeof(int64_t));
    s->means = realloc(s->means, capacity * n * sizeof(double));
    s->roots = realloc(s->roots, capacity * n * sizeof(double));
    s->free = realloc(s->free, capacity * sizeof(int64_t));
    for (int64_t slot = s->capacity; slot < capacity; slot++) s->free[slot - n_pieces] = slot;
    s->capacity = capacity;
}

static inline void certain_leaders(const double *restrict means, const double *restrict roots, int64_t n, double low,
                                   double high, double size, int64_t *at_low, int64_t *at_high) {
    double best_low = -INFINITY, next_low = -INFINITY, best_high = -INFINITY, next_high = -INFINITY;
    int64_t first = 0, last = 0;
    for (int64_t arm = 0; arm < n; arm++) {
        double value = means[arm] + low * roots[arm];
        double lesser = value < best_low ? value : best_low;
        next_low = lesser > next_low ? lesser : next_low;
        first = value > best_low ? arm : first;
        best_low = value > best_low ? value : best_low;
        value = means[arm] + high * roots[arm];
        lesser = value < best_high ? value : best_high;
        next_high = lesser > next_high ? lesser : next_high;
        last = value > best_high ? arm : last;
        best_high = value > best_high ? value : best_high;
    }
    *at_low = best_low - next_low > SLACK * (size + low) ? first : -1;
    *at_high = best_high - next_high > SLACK * (size + high) ? last : -1;
}

static int64_t choose(pieces *p, int64_t n_pieces, const slots *s, int64_t n, double growth, double size) {
    int64_t doubtful = 0;
    for (int64_t k = 0; k < n_pieces; k++) {
        int64_t slot = p->owner[k];
        certain_leaders(s->means + slot * n, s->roots + slot * n, n, p->left[k] * growth, p->left[k + 1] * growth, size,
                        p->arm + k, p->last + k);
        doubtful += p->arm[k] < 0 || p->arm[k] != p->last[k];
    }
    return doubtful;
}

static int64_t cut(const pieces *p, int64_t n_pieces, pieces *to, slots *s, const tables *t, double growth, line *lines) {
    int64_t n = t->n, n_free = s->capacity - n_pieces, n_new = 0;
    for (int64_t k = 0; k < n_pieces; k++) {
        int64_t slot = p->owner[k], best = p->arm[k];
        double start = p->left[k], end = p->left[k + 1];
        if (best < 0 || best != p->last[k]) {
            for (int64_t i = 0; i < n; i++) {
                int64_t pulls = s->counts[slot * n + i];
                const double *sum = t->sums + (i * t->columns + pulls) * 2, *root = t->roots + 2 * pulls;
                lines[i][0] = sum[0];
                lines[i][1] = sum[1];
                lines[i][2] = root[0];
                lines[i][3] = root[1];
                lines[i][4] = (double)pulls;
                lines[i][5] = t->means[i * t->columns + pulls];
                lines[i][6] = t->inverse_roots[pulls];
            }
            if (best < 0) best = leader_right_of((const line *)lines, n, start, growth);
            while (best != p->last[k]) {
                int64_t by;
                double edge = overtaken_at((const line *)lines, n, best, start, end, growth, &by);
                if (edge >= end) break;
                if (n_free == 0) return -1;
                int64_t part = s->free[--n_free];
                memcpy(s->counts + part * n, s->counts + slot * n, n * sizeof(int64_t));
                memcpy(s->means + part * n, s->means + slot * n, n * sizeof(double));
                memcpy(s->roots + part * n, s->roots + slot * n, n * sizeof(double));
                to->left[n_new] = start;
                to->owner[n_new] = part;
                to->arm[n_new++] = best;
                start = edge;
                best = by == p->last[k] ? by : leader_right_of((const line *)lines, n, start, growth);
            }
        }
        to->left[n_new] = start;
        to->owner[n_new] = slot;
        to->arm[n_new++] = best;
    }
    to->left[n_new] = p->left[n_pieces];
    return n_new;
}

static int64_t pull_and_merge(const pieces *from, int64_t n_pieces, pieces *to, slots *s, const tables *t) {
    int64_t n = t->n, n_free = s->capacity - n_pieces, kept = 0;
    double end = from->left[n_pieces];
    for (int64_t k = 0; k < n_pieces; k++) {
        int64_t slot = from->owner[k], pulled = from->arm[k];
        int64_t count = ++s->counts[slot * n + pulled];
        s->means[slot * n + pulled] = t->means[pulled * t->columns + count];
        s->roots[slot * n + pulled] = t->inverse_roots[count];
        int same = kept > 0 && from->arm[k] != from->arm[k - 1];
        if (same) {
            int64_t before = to->owner[kept - 1];
            for (int64_t i = 0; i < n; i++)
                if (s->counts[before * n + i] != s->counts[slot * n + i]) {
                    same = 0;
                    break;
                }
        }
        if (same) {
            s->free[n_free++] = slot;
        } else {
            to->left[kept] = from->left[k];
            to->owner[kept++] = slot;
        }
    }
    to->left[kept] = end;
    return kept;
}

/* Curves of all tasks for theta in [low, high]; returns the number of steps written, or -1 if `room` is too small. */
int64_t sweep_batch(const double *streams, const double *gaps, const int64_t *starts, int64_t n_tasks, int64_t horizon,
                    double earned, double low, double high, double *left, double *value, int64_t *ends, int64_t room) {
    int64_t width = 0, used = 0, columns = horizon + 1;
    for (int64_t k = 0; k < n_tasks; k++)
        if (starts[k + 1] - starts[k] > width) width = starts[k + 1] - starts[k];
    double *inverse_roots = calloc(columns, sizeof(double)), *roots = calloc(2 * columns, sizeof(double));
    double *growths = calloc(columns, sizeof(double));
    for (int64_t p = 1; p <= horizon; p++) {
        double high_part = sqrt((double)p);
        dd square = two_product(high_part, high_part);
        inverse_roots[p] = 1.0 / high_part;
        roots[2 * p] = high_part;
        roots[2 * p + 1] = (((double)p - square.high) - square.low) / (2.0 * high_part);
        growths[p] = sqrt(log((double)p));
    }
    tables t = {0, columns, malloc(width * columns * 2 * sizeof(double)), malloc(width * columns * sizeof(double)),
                inverse_roots, roots, growths, NULL, earned, 0};
    for (int64_t task = 0; task < n_tasks && used >= 0; task++) {
        t.n = starts[task + 1] - starts[task];
        t.gaps = gaps + starts[task];
        fill_tables(&t, streams + starts[task] * horizon);
        int64_t n = t.n, capacity = 32, n_pieces = 1;
        pieces p = {0}, cuts = {0};
        slots s = {0};
        enlarge_pieces(&p, capacity);
        enlarge_pieces(&cuts, capacity);
        enlarge_slots(&s, n, 0, capacity);
        memset(s.counts, 0, capacity * n * sizeof(int64_t));
        p.left[0] = low;
        p.left[1] = high;
        p.owner[0] = s.free[capacity - 1];
        line *lines = malloc(n * sizeof(line));
        for (int64_t round = 1; round <= horizon; round++) {
            double growth = t.growth[round];
            int64_t doubtful = 0;
            if (round <= n) p.arm[0] = round - 1;
            else doubtful = choose(&p, n_pieces, &s, n, growth, t.size);
            if (doubtful == 0) {
                n_pieces = pull_and_merge(&p, n_pieces, &p, &s, &t);
                continue;
            }
            int64_t n_new;
            while ((n_new = cut(&p, n_pieces, &cuts, &s, &t, growth, lines)) < 0) {
                capacity *= 2;
                enlarge_pieces(&p, capacity);
                enlarge_pieces(&cuts, capacity);
                enlarge_slots(&s, n, n_pieces, capacity);
            }
            n_pieces = pull_and_merge(&cuts, n_new, &p, &s, &t);
        }
        int64_t first = used;
        if (used + n_pieces > room) used = -1;
        for (int64_t k = 0; k < n_pieces && used >= 0; k++) {
            double loss = loss_of_counts(s.counts + p.owner[k] * n, &t);
            if (used == first || value[used - 1] != loss) {
                left[used] = p.left[k];
                value[used++] = loss;
            }
        }
        ends[task] = used;
        free(lines);
        free(p.left); free(p.owner); free(p.arm); free(p.last);
        free(cuts.left); free(cuts.owner); free(cuts.arm); free(cuts.last);
        free(s.counts); free(s.means); free(s.roots); free(s.free);
    }
    free(inverse_roots); free(roots); free(growths); free(t.sums); free(t.means);
    return used;
}
