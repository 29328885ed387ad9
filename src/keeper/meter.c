/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter: see meter.h. A look costs two small files for each process. What it adds up counts
 * pages that processes share once for each of them, and a mapped file in memory twice; only
 * when that is too much is the sum made in which each page counts once, a walk over all
 * page tables (keeper/walk.c).
 *
 * Invariant: what runs can make as long as they like, mappings and page tables, takes no more than 1.5
 * TURN_NS of a turn; who had no part in it comes first in the next one, and what that cannot know is
 * never taken for nothing. (Processes and descriptors are counted to the end: they have limits.)
 */
#include "keeper/meter.h"

#include "jail/rootfs.h"
#include "keeper/admit.h"
#include "keeper/hold.h"
#include "keeper/kept.h"
#include "keeper/sockets.h"

#include <signal.h>

#define MS UINT64_C(1000000)
#define MIB (UINT64_C(1) << 20)

/* Most runs are over by then, and one has to fork before it can take more than its limit. */
#define FIRST_NS (10 * MS)
#define LEAST_NS (2 * MS)
#define MOST_NS (50 * MS)
/* Where no resource limit holds the number of tasks: they grow faster than memory. */
#define MOST_APPROVED_NS (10 * MS)
#define PEEK_NS (2 * MS)
/* For all that can be made long: maps, page tables. */
#define TURN_NS (100 * MS)
#define REST_MAX_NS (100 * MS) /* between two looks, however long one took */
/* While something forks, and for so long after that, the exact sum has pauses; for how long at the
 * most, while the other one is too much. */
#define QUIET_NS (100 * MS)
#define MOST_HASTE_NS (5000 * MS)
/* What one processor can fill in a nanosecond, with pages of 2 MiB: 11 measured. */
#define FILL_BYTES_PER_NS 12
/* An interpreter that has loaded its library, at the most. */
#define START_BYTES (32 * MIB)
/* So many times as long as it took to ask what the kernel has, nobody asks again. */
#define KERNEL_REST 20
/* What the kernel has for no longer than this is on its way from a process that ends. */
#define KEPT_NS (20 * MS)
/* The processor time of what is around the interpreter. */
#define START_CPU_MS 100
/* While processes go that nobody waits for: what one has had since it was seen is lost. */
#define HIDING_NS (2 * MS)
/* Of processor time, what is worth telling the engine. */
#define TOLD_NS (5 * MS)
/* stdout, stderr, trace */
#define PIPES_GIVEN 3

struct look {
    struct tree_sum sum;
    struct hold_objects objects;
    uint64_t most;  /* memory that it may hold */
    uint64_t held;  /* never less than it does hold */
    uint64_t filed; /* of that, in file systems in memory and the like */
    uint64_t begun_ns, until_ns;
    int goes_on; /* nobody knows yet how much it is */
};

static int is_unlimited(const struct run *run)
{
    return (run->spec.walls_down & CORDON_WALL_LIMITS) != 0;
}

/* ---- one run -------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Without the call filter there are memory files in a sandbox, too. */
static int may_have_files(const struct run *run)
{
    return run->spec.approved || (run->spec.walls_down & CORDON_WALL_SECCOMP);
}

static void open_places(struct run *run, pid_t top)
{
    if (run->meter.work < 0 && !run->spec.approved)
        run->meter.work = hold_open(top, ROOTFS_WORK);
}

/*
 * Root's tasks no resource limit holds, nor a user's without a user namespace, and they make more of
 * themselves faster than a look at all of them is over. A peek costs one small file: so many numbers
 * given out since, so many tasks more at the most.
 */
static int has_to_peek(const struct keeper *k, const struct run *run)
{
    return run->spec.approved && (k->box->as_root || !box_has_namespaces(k->box)) &&
           !is_unlimited(run);
}

static uint64_t tasks_since(const struct run *run)
{
    pid_t given = tree_last_pid() - run->meter.last_pid;
    return given < 0 ? UINT64_MAX : (uint64_t)given; /* it starts anew at some number */
}

/*
 * The walk over page tables waits for whoever forks, and among hundreds who do that is for
 * seconds, in which they become thousands: then they are counted more often than that walk gets on,
 * though not for ever.
 */
static int has_haste(const struct keeper *k, const struct run *run)
{
    const struct metered *m = &run->meter;
    uint64_t now = io_now_ns();

    if (!has_to_peek(k, run) || (tasks_since(run) == 0 && now - m->forked_ns > QUIET_NS))
        return 0;
    return now - m->over_ns < MOST_HASTE_NS;
}

/*
 * What the host's kernel has more of than when the run began, and keeps: the pages of a process that ends
 * are for some milliseconds neither its own nor free, and look like the kernel's.
 */
static uint64_t kernel_growth(struct run *run)
{
    static uint64_t again_ns, turn_ns, low_now, low_before;
    uint64_t begun_ns = io_now_ns();

    if (run->meter.counted)
        return 0;
    if (begun_ns < again_ns) /* it takes as long as the host has processors */
        return low_now < low_before ? low_now : low_before;
    uint64_t now = hold_of_kernel();
    if (now < run->meter.kernel_low)
        run->meter.kernel_low = now;
    uint64_t growth = now - run->meter.kernel_low;
    if (begun_ns > turn_ns) {
        turn_ns = begun_ns + KEPT_NS;
        low_before = low_now;
        low_now = growth;
    }
    low_now = low_now < growth ? low_now : growth;
    again_ns = io_now_ns() + KERNEL_REST * (io_now_ns() - begun_ns);
    return low_now < low_before ? low_now : low_before;
}

/*
 * What the kernel tells of no socket: of that only the most it can be is known, and that it cannot be
 * more than the kernel has grown by. Of what sockets are on their way in others not even that.
 */
static uint64_t hidden_in_sockets(const struct look *look, pid_t top, uint64_t growth,
                                  const struct sockets_sum *sum)
{
    uint64_t known = sum->charged + look->objects.pipes * HOLD_PIPE_BYTES;
    uint64_t rest = growth > known ? growth - known : 0;
    struct kept kept = {0};

    if (rest > sum->unsure && add(look->held, growth) > look->most)
        kept_look(top, 1, look->until_ns, &kept);
    return rest < sum->unsure || kept.waits || kept.too_long ? rest : sum->unsure;
}

/*
 * The strict have none. Asking is a walk over all of the host's, and few cannot come to much, unless
 * others wait in them: then it is seen from what the host's kernel has taken.
 */
static uint64_t in_sockets(struct run *run, pid_t top, const struct look *look)
{
    uint64_t most = look->objects.sockets * sockets_most();
    struct sockets_sum sum;

    if (!run->spec.approved || look->objects.sockets == 0)
        return 0;
    uint64_t growth = kernel_growth(run);
    int few = add(look->held, most) <= look->most && !admit_listens();
    if (few && add(look->held, growth) <= look->most)
        return 0;
    sockets_held(&sum);
    return sum.charged + hidden_in_sockets(look, top, growth, &sum);
}

/*
 * What descriptors keep besides. Of a file of /proc nobody tells how long what was read of it was, nor of
 * a directory how many names: they are as much as there can be, of what the kernel has grown by and the count
 * so far does not explain.
 */
static uint64_t in_descriptors(struct run *run, pid_t top, const struct look *look,
                               uint64_t kernels)
{
    struct kept kept;

    if (!run->spec.approved)
        return 0;
    uint64_t growth = kernel_growth(run);
    if (growth <= kernels || add(look->held, growth - kernels) <= look->most)
        return 0;
    kept_look(top, 1, look->until_ns, &kept);
    uint64_t most = kept.bytes + look->objects.proc_files * HOLD_PROC_BYTES +
                    look->objects.directories * HOLD_DIRECTORY_BYTES;
    return kept.too_long || most > growth - kernels ? growth - kernels : most;
}

/* Honest strict code does not fork. Of approved code it is no more than the kernel has taken. */
static uint64_t in_mappings(struct run *run, pid_t top, const struct look *look)
{
    if (look->sum.processes < 2 && !run->spec.approved)
        return 0;
    uint64_t growth = run->spec.approved ? kernel_growth(run) : UINT64_MAX;
    if (add(look->held, growth) <= look->most)
        return 0;
    uint64_t bytes = hold_mappings(top, run->spec.approved != 0, look->most + 1, look->until_ns);
    return bytes < growth ? bytes : growth;
}

/*
 * While it is not known they may make as much more as their limit. What has come further than that,
 * or is not counted in any time, is too much.
 */
static void walk(struct run *run, pid_t top, struct look *look, uint64_t kernels)
{
    struct walk *w = &run->meter.walk;
    uint64_t upper = look->held;
    struct hold_pages pages;

    enum walk_state state = walk_on(w, top, run->spec.approved != 0, look->until_ns, &pages);
    uint64_t shared = pages.shared_bytes > look->filed ? pages.shared_bytes : look->filed;
    look->held = pages.own_bytes + shared + kernels;
    look->goes_on = state == WALK_GOES_ON;
    int too_much = state == WALK_TOO_LONG || w->grown_bytes > run->spec.memory_bytes ||
                   add(look->held, w->grown_bytes) > add(look->most, run->spec.memory_bytes);
    if (upper > look->most && look->held <= look->most && too_much)
        look->held = look->most + 1;
    else if (state != WALK_DONE && look->held < run->meter.peak_bytes)
        look->held = run->meter.peak_bytes;
}

/*
 * A hundred processes are looked at for longer than it takes them to fill all pipes that they have. What
 * the kernel has grown by since the last look is theirs until it is known, as far as they have so many.
 */
struct racing {
    struct run *run;
    const struct look *look;
    pid_t top;
};

static uint64_t raced(const struct racing *r)
{
    uint64_t held = r->run->meter.held_bytes, before = r->run->meter.growth_bytes;
    uint64_t growth = r->run->spec.approved ? kernel_growth(r->run) : 0;

    if (growth <= before || add(held, growth - before) <= r->look->most)
        return held;
    uint64_t pipes = hold_descriptors(r->top, 1) * HOLD_PIPE_BYTES;
    return add(held, growth - before < pipes ? growth - before : pipes);
}

static int is_over(void *ctx)
{
    const struct racing *r = ctx;
    return raced(r) > r->look->most;
}

/* What the interpreter holds by itself. An approved run's is no copy of one that was looked at: it says so. */
static uint64_t born_with(const struct keeper *k, const struct run *run)
{
    uint64_t born = run->spec.approved ? run->meter.born_bytes : k->zygote.born_bytes;
    return born && born < START_BYTES ? born : START_BYTES;
}

static void add_up(const struct keeper *k, struct run *run, pid_t top, struct look *look)
{
    const struct sandbox_spec *spec = &run->spec;
    int with_init = spec->approved != 0;

    look->most = add(spec->memory_bytes, born_with(k, run));
    struct racing racing = {.run = run, .look = look, .top = top};
    const struct hold_stop stop = {is_over, &racing};
    open_places(run, top);
    /* Several with a few pipes each come to many. */
    if (hold_count(top, with_init, may_have_files(run) || look->sum.processes > 1, &stop,
                   &look->objects)) {
        look->held = raced(&racing);
        return;
    }
    uint64_t filed = hold_filed(run->meter.work, spec->disk_bytes) +
                     hold_filed(run->meter.shm, spec->disk_bytes) +
                     (spec->approved ? hold_ipc(look->sum.processes) : 0) +
                     look->objects.file_bytes;
    look->filed = filed;
    uint64_t kernels = look->objects.pipes * HOLD_PIPE_BYTES +
                       look->objects.sockets * HOLD_SOCKET_BYTES + hold_unseen(top, with_init);

    look->held = look->sum.resident_bytes + filed + kernels;
    kernels += in_sockets(run, top, look);
    look->held = look->sum.resident_bytes + filed + kernels;
    kernels += in_descriptors(run, top, look, kernels);
    look->held = look->sum.resident_bytes + filed + kernels;
    kernels += in_mappings(run, top, look);
    look->held = look->sum.resident_bytes + filed + kernels;
    if (look->held <= look->most)
        run->meter.over_ns = io_now_ns();
    /* One process whose pages are its own: that is the sum. */
    int exact = look->sum.processes <= 1 && filed < MIB;
    if (look->held <= look->most && (exact || look->held / 9 * 8 <= run->meter.peak_bytes)) {
        walk_end(&run->meter.walk);
        return;
    }
    /* What they make meanwhile is seen by the next look only: half the time is for each. */
    uint64_t part_ns = io_now_ns() - look->begun_ns;
    part_ns = part_ns < PEEK_NS ? PEEK_NS : part_ns;
    if (look->until_ns > io_now_ns() + part_ns)
        look->until_ns = io_now_ns() + part_ns;
    walk(run, top, look, kernels);
}

static uint64_t processors(void)
{
    static uint64_t count;

    if (count == 0)
        count = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    return count ? count : 1;
}

/*
 * A limit that is no less than the time on all processors is not reached before the deadline. (Honest
 * strict code has one of them, and reaches the usual limit no sooner; but it may have forked.)
 */
static int is_cpu_counted(const struct run *run)
{
    return run->spec.cpu_ms / processors() < run->meter.wall_ms && !is_unlimited(run);
}

static int is_out_of_cpu(const struct run *run)
{
    return is_cpu_counted(run) && run->meter.spent.total_ns / MS >
                                      add(run->spec.cpu_ms, run->meter.start_ms + START_CPU_MS);
}

static enum wire_limit judge(const struct run *run, const struct look *look)
{
    const struct sandbox_spec *spec = &run->spec;

    if (look->held > look->most)
        return WIRE_LIMIT_MEMORY;
    if (is_out_of_cpu(run))
        return WIRE_LIMIT_CPU;
    if (!spec->approved && look->objects.pipes > PIPES_GIVEN + WIRE_PIPES_MAX / HOLD_PIPE_BYTES)
        return WIRE_LIMIT_PIPES;
    return WIRE_LIMIT_NONE;
}

/*
 * As long as it takes to fill `room` bytes on all processors that it may have at once, and
 * half of that: the keeper may have to wait for a processor itself.
 */
static uint64_t time_to_fill(const struct run *run, uint64_t room)
{
    uint64_t busy = run->spec.tasks < processors() ? run->spec.tasks : processors();
    return room / (FILL_BYTES_PER_NS * 2 * (busy ? busy : 1));
}

static uint64_t within(uint64_t least, uint64_t ns, uint64_t most)
{
    return ns < least ? least : ns > most ? most : ns;
}

/* Until it could come to twice its limit, or processes hide what they use. */
static uint64_t interval(const struct run *run, const struct look *look)
{
    uint64_t room = add(look->most, run->spec.memory_bytes) - look->held;
    uint64_t most = run->spec.approved ? MOST_APPROVED_NS : MOST_NS;

    if (is_cpu_counted(run) && look->begun_ns - run->meter.hiding_ns < QUIET_NS)
        most = HIDING_NS;
    return within(LEAST_NS, time_to_fill(run, room), most);
}

/* As of now. */
static void plan_peek(const struct keeper *k, struct run *run, uint64_t now)
{
    if (!has_to_peek(k, run))
        return;
    if (tasks_since(run) > 0)
        run->meter.forked_ns = now;
    run->meter.last_pid = tree_last_pid();
    run->meter.peek_ns = now + PEEK_NS;
}

/*
 * Whoever rests longer than it takes to come to twice the limit sees from one small file whether the
 * host has so much less that it may be this run's.
 */
static void plan_watch(struct run *run, const struct look *look, int has_to)
{
    struct metered *m = &run->meter;

    m->free_bytes = has_to ? hold_free() : 0;
    m->taken_bytes = (add(look->most, run->spec.memory_bytes) - look->held) / 4;
    if (has_to)
        m->peek_ns = io_now_ns() + PEEK_NS;
}

void meter_start(const struct keeper *k, struct run *run)
{
    uint64_t room = add(run->spec.memory_bytes, run->spec.memory_bytes);

    if (run->meter.look_ns != 0)
        return;
    run->meter.room = run->spec.tasks;
    if (run->spec.approved) /* the kernel counts it from the beginning, see limits.c */
        walk_ready(&run->meter.walk);
    run->meter.over_ns = io_now_ns();
    run->meter.kernel_low = run->spec.approved ? hold_of_kernel() : 0;
    plan_peek(k, run, io_now_ns());
    run->meter.look_ns = io_now_ns() + within(FIRST_NS, time_to_fill(run, room), MOST_NS);
}

static void note_peak(struct metered *m, uint64_t held)
{
    if (held > m->peak_bytes)
        m->peak_bytes = held;
}

static void note_held(struct run *run, const struct look *look)
{
    note_peak(&run->meter, look->held);
    if (look->goes_on || !run->spec.approved)
        return;
    run->meter.held_bytes = look->held;
    run->meter.growth_bytes = kernel_growth(run);
}

static void note_spent(struct run *run, pid_t top)
{
    struct metered *m = &run->meter;

    spent_look(&m->spent, top, run->spec.approved != 0);
    if (m->spent.is_hiding)
        m->hiding_ns = io_now_ns();
    if (m->spent.total_ns > m->cpu_ns)
        m->cpu_ns = m->spent.total_ns;
}

/* An answer that comes before the run's end is not waited with until we have been asked. */
static void tell(struct keeper *k, const struct run *run, struct metered *m)
{
    uint64_t others_ns = m->spent.others_ns > m->told_ns ? m->spent.others_ns : m->told_ns;

    if (m->peak_bytes - m->told_bytes < MIB / 4 && others_ns - m->told_ns < TOLD_NS)
        return;
    m->told_bytes = m->peak_bytes;
    m->told_ns = others_ns;
    const struct wire_held held = {
        .bytes = m->peak_bytes, .others_us = others_ns / 1000, .unasked = m->unasked};
    keeper_tell(k, WIRE_HELD, run->id, &held, sizeof(held));
}

/*
 * Its first process takes the others along when its turn comes to end, which among hundreds is
 * late: where nobody else is in the box they are all killed at once, and fork no more.
 */
static void end_over(const struct keeper *k, struct run *run, enum wire_limit limit)
{
    run->meter.over = limit;
    run->meter.look_ns = 0;
    (void)kill(run->spec.approved && box_has_namespaces(k->box) ? -1 : run->pid, SIGKILL);
}

static void look_at(struct keeper *k, struct run *run, uint64_t now, uint64_t until_ns)
{
    struct look look = {.begun_ns = io_now_ns(), .until_ns = until_ns};

    run->meter.look_ns = now + MOST_NS;
    pid_t top = tree_number(run->pid);
    if (top <= 0)
        return; /* it has ended, and will be reaped in a moment */
    tree_add_up(top, run->spec.approved != 0, &look.sum);
    if (look.sum.threads > run->spec.tasks && !is_unlimited(run)) {
        end_over(k, run, WIRE_LIMIT_TASKS); /* every moment counts: they make more of themselves */
        return;
    }
    add_up(k, run, top, &look);
    if (run->spec.approved) /* what may be hidden is looked for however long the walk was */
        look.held = add(look.held, admit_hidden(run, top, look.filed, look.sum.resident_bytes,
                                                !has_haste(k, run), until_ns + TURN_NS / 2));
    note_held(run, &look);
    note_spent(run, top);
    tell(k, run, &run->meter);
    uint64_t wait = interval(run, &look), soon = wait;
    run->meter.looked_ns = io_now_ns();
    run->meter.took_ns = run->meter.looked_ns - now;
    uint64_t rest = 4 * run->meter.took_ns; /* the code's own work comes first */
    if (rest > REST_MAX_NS)
        rest = REST_MAX_NS; /* a look that took so long waited for the code, and did not work */
    if (wait < rest)
        wait = rest;
    plan_watch(run, &look, wait > soon);
    run->meter.look_ns = !look.goes_on       ? now + wait
                         : has_haste(k, run) ? run->meter.looked_ns + run->meter.took_ns
                                             : run->meter.looked_ns;
    run->meter.room = run->spec.tasks + 1 - look.sum.threads;
    enum wire_limit over = is_unlimited(run) ? WIRE_LIMIT_NONE : judge(run, &look);
    if (over != WIRE_LIMIT_NONE)
        end_over(k, run, over);
}

static void peek(const struct keeper *k, struct run *run, uint64_t now)
{
    struct metered *m = &run->meter;

    m->peek_ns = now + PEEK_NS;
    if (has_to_peek(k, run) && tasks_since(run) >= m->room && now > m->looked_ns + m->took_ns)
        m->look_ns = now;
    if (m->free_bytes > 0 && now > m->looked_ns + m->took_ns / 4 &&
        add(hold_free(), m->taken_bytes) < m->free_bytes)
        m->look_ns = now;
}

/* ---- all of them ------------------------------------------------------------------ */

static int is_looked_at(const struct run *run)
{
    return run->meter.look_ns != 0 && run->state == RUN_RUNNING;
}

static uint64_t when_due(const struct runs *runs)
{
    uint64_t first = UINT64_MAX;
    const struct run *run;

    TAILQ_FOREACH(run, &runs->live, link)
    {
        const struct metered *m = &run->meter;
        if (is_looked_at(run) && m->look_ns < first)
            first = m->look_ns;
        if (is_looked_at(run) && m->peek_ns != 0 && m->peek_ns < first)
            first = m->peek_ns;
    }
    return first;
}

/* Who has had a look comes last in the next turn. */
static struct run *next_due(struct runs *runs, uint64_t now)
{
    struct run *run;

    TAILQ_FOREACH(run, &runs->live, link)
    if (is_looked_at(run) && run->meter.look_ns <= now)
        break;
    if (run) {
        TAILQ_REMOVE(&runs->live, run, link);
        TAILQ_INSERT_TAIL(&runs->live, run, link);
    }
    return run;
}

static void peek_all(struct keeper *k, uint64_t now)
{
    struct run *run;

    TAILQ_FOREACH(run, &k->runs.live, link)
    if (is_looked_at(run) && run->meter.look_ns > now && run->meter.peek_ns != 0 &&
        run->meter.peek_ns <= now)
        peek(k, run, now);
}

uint64_t meter_turn(struct keeper *k, uint64_t now)
{
    uint64_t until_ns = now + TURN_NS;
    int looked = 0;
    struct run *run;

    peek_all(k, now);
    while ((!looked || io_now_ns() < until_ns) && (run = next_due(&k->runs, now))) {
        plan_peek(k, run, now);
        if (!looked)
            looked = tree_look() == 0 ? 1 : -1;
        if (looked > 0)
            look_at(k, run, now, until_ns);
        else
            run->meter.look_ns = 0; /* without a /proc there is nothing to see, ever */
    }
    return when_due(&k->runs);
}
