/*
 * Threads that allocate and free at random, and notice whose frames they get.
 *
 * Nothing of the allocator is read but what it answers. A word for each frame says which thread has
 * it; it is exchanged before the frame is used and cleared before it is given back.
 */
#include "pagefuzz.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MOST_HELD 64
#define MOST_THREADS 64

struct calls {
    int64_t (*alloc)(struct pf_zone *, int32_t);
    int64_t (*free)(struct pf_zone *, int64_t, int32_t);
    int64_t (*alloc_on)(struct pf_zone *, int32_t, int32_t); /* NULL on a machine without CPUs */
    int64_t (*free_on)(struct pf_zone *, int64_t, int32_t, int32_t);
};

struct run {
    struct calls calls;
    struct pf_zone *zone;
    int64_t start, pages, base, top, steps;
    atomic_int waiting;
    atomic_int *owners;
    /* The first wrong answer: 1 another's frame, 2 outside, 3 misaligned, 4 a refused free. */
    atomic_llong wrong, about, served;
};

struct thread {
    struct run *run;
    uint64_t random;
    int32_t number;
};

static uint32_t draw(struct thread *thread)
{
    thread->random = thread->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(thread->random >> 33);
}

static void complain(struct run *run, long long what, int64_t about)
{
    long long none = 0;

    if (atomic_compare_exchange_strong(&run->wrong, &none, what))
        atomic_store(&run->about, about);
}

static int64_t get(struct thread *thread, int32_t order)
{
    struct run *run = thread->run;
    int64_t size = (int64_t)1 << order;
    int64_t pfn = run->calls.alloc_on ? run->calls.alloc_on(run->zone, order, thread->number)
                                      : run->calls.alloc(run->zone, order);

    if (pfn == PF_NONE)
        return pfn;
    if (pfn < run->start || pfn + size > run->start + run->pages) {
        complain(run, 2, pfn);
        return PF_NONE;
    }
    if ((pfn - run->base) % size)
        complain(run, 3, pfn);
    for (int64_t frame = pfn; frame < pfn + size; frame++)
        if (atomic_exchange(&run->owners[frame - run->start], thread->number + 1))
            complain(run, 1, frame);
    return pfn;
}

static void put(struct thread *thread, int64_t pfn, int32_t order)
{
    struct run *run = thread->run;

    for (int64_t frame = pfn; frame < pfn + ((int64_t)1 << order); frame++)
        if (atomic_exchange(&run->owners[frame - run->start], 0) != thread->number + 1)
            complain(run, 1, frame);
    if (run->calls.free_on ? run->calls.free_on(run->zone, pfn, order, thread->number)
                           : run->calls.free(run->zone, pfn, order))
        complain(run, 4, pfn);
}

static void *churn(void *argument)
{
    struct thread *thread = argument;
    struct run *run = thread->run;
    int64_t held[MOST_HELD], served = 0;
    int32_t orders[MOST_HELD];

    for (int at = 0; at < MOST_HELD; at++)
        held[at] = PF_NONE;
    atomic_fetch_sub(&run->waiting, 1);
    while (atomic_load(&run->waiting) > 0)
        ;
    for (int64_t step = 0; step < run->steps && !atomic_load(&run->wrong); step++, served++) {
        uint32_t at = draw(thread) % MOST_HELD;

        if (held[at] != PF_NONE) {
            put(thread, held[at], orders[at]);
            held[at] = PF_NONE;
            continue;
        }
        orders[at] = (int32_t)(draw(thread) % (uint32_t)(run->top + 1));
        held[at] = get(thread, orders[at]);
    }
    for (int at = 0; at < MOST_HELD; at++)
        if (held[at] != PF_NONE)
            put(thread, held[at], orders[at]);
    atomic_fetch_add(&run->served, served);
    return NULL;
}

/* Let threads allocate and free until one gets a wrong answer or all have taken their steps, and
 * give everything back. told: what was wrong, of which frame, and the requests served. */
int64_t pt_churn(const struct calls *calls, struct pf_zone *zone, const int64_t *shape,
                 int64_t threads, int64_t seed, int64_t steps, int64_t *told)
{
    struct run run = {.calls = *calls, .zone = zone, .start = shape[0], .pages = shape[1],
                      .base = shape[2], .top = shape[3], .steps = steps,
                      .waiting = (int)threads};
    struct thread all[MOST_THREADS];
    pthread_t started[MOST_THREADS];

    if (threads > MOST_THREADS)
        return PF_REFUSED;
    run.owners = calloc((size_t)run.pages, sizeof(*run.owners));
    if (!run.owners)
        abort();
    for (int32_t number = 0; number < threads; number++) {
        all[number] = (struct thread){&run, (uint64_t)seed * 1000003u + (uint64_t)number, number};
        if (pthread_create(&started[number], NULL, churn, &all[number]))
            abort();
    }
    for (int32_t number = 0; number < threads; number++)
        pthread_join(started[number], NULL);
    free(run.owners);
    told[0] = atomic_load(&run.wrong);
    told[1] = atomic_load(&run.about);
    told[2] = atomic_load(&run.served);
    return PF_DONE;
}
