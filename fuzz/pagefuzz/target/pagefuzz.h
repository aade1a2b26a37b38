/*
 * pagefuzz.h: what a page allocator written in C, C++, Rust or Zig offers to be tested.
 *
 * Define the five required functions, build a shared library, and run
 *
 *     pagefuzz run --target ./libmine.so        or, from one source file,
 *     pagefuzz run --target mine.c
 *
 * Each optional function that you define lets more laws judge the allocator; what you leave out is
 * not judged. Nothing here ever changes its meaning: later versions add optional functions, and
 * fields at the end of struct pf_machine.
 *
 * The library runs in a process of its own, one fresh copy for each allocator, so global variables
 * start anew with every pf_create. A crash, an exit or a hang during a call is a finding about that
 * call; a call hangs when it uses 0.2 s of processor time, and a second more for each million
 * frames, or sleeps fifty times as long. No two calls ever overlap, unless pf_threads allows it.
 * Start threads in pf_create, not when the library is loaded.
 *
 * Words: a frame is 4 KiB of memory, a pfn is its number, and a block of order o is 2^o frames in a
 * row that start at a multiple of 2^o, counted from the machine's index_base. The allocator is a
 * bookkeeper: the frames are numbers, and there is no memory behind them.
 */
#ifndef PAGEFUZZ_H
#define PAGEFUZZ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define PF_ABI 1

/* The largest top order that a machine may have. */
#define PF_MAX_TOP 15

#if defined(__GNUC__)
#define PF_API __attribute__((visibility("default")))
#else
#define PF_API
#endif

/* A run of frames, from first to one before end. */
struct pf_run {
    int64_t first;
    int64_t end;
};

/* One zone. Valid until pf_create returns: copy what you keep. */
struct pf_machine {
    int64_t size;               /* of this record in bytes, as the caller knows it */
    int64_t start;              /* the zone's first frame */
    int64_t pages;              /* its length in frames, holes included; at most 2^24 */
    int64_t top;                /* the largest order, 0 to PF_MAX_TOP */
    int64_t index_base;         /* a block of order o starts at index_base + k * 2^o */
    int64_t run_count;
    const struct pf_run *runs;  /* the memory that you manage, all of it free at first; ascending,
                                   never touching */
    int64_t hole_count;
    const struct pf_run *holes; /* frames of the zone that do not exist; only a reason for a refusal
                                   depends on them. Where runs and holes both leave a frame out, it
                                   exists and is kept back */
    const char *era;            /* the kernel release to compare with, such as "6.12" */
    int64_t cpus;               /* how many CPUs may keep frames of their own; 0 unless pf_alloc_on,
                                   pf_free_on and pf_drain are there */
    int64_t batch;              /* how many frames Linux would move at once between a CPU and the
                                   rest; PF_UNSAID_SIZE: what follows from the zone's length */
    int64_t high;               /* how many a CPU would keep at most, more or less; likewise */
};

/* A batch or high that the machine leaves open. */
#define PF_UNSAID_SIZE (-1)

/* Your allocator: define this struct as you like. */
struct pf_zone;

/* What a call returns when it returns no pfn. Only PF_REFUSED is needed of the refusals; a reason
 * lets BUD-refuse judge that it is the right one, the first of this list that applies. */
enum {
    PF_DONE = 0,         /* free, get, put: served */
    PF_NONE = -1,        /* alloc: no block can serve the request */
    PF_BAD_ORDER = -2,   /* the zone has no such order */
    PF_OUTSIDE = -3,     /* part of the block lies outside the zone */
    PF_MISALIGNED = -4,  /* no block of that order starts there */
    PF_HOLE = -5,        /* the frame does not exist */
    PF_WRONG_ORDER = -6, /* the block was given out with another order */
    PF_INTERIOR = -7,    /* the frame lies inside a block that is held, not at its head */
    PF_DOUBLE = -8,      /* the block was given out once and has been given back */
    PF_NEVER_GIVEN = -9, /* the frame never headed a block that was given out */
    PF_REFUSED = -10     /* refused, and the reason goes unsaid */
};

/* --- required ------------------------------------------------------------------------------ */

/* Return PF_ABI, so that a library built with another version of this file is told apart. */
PF_API int32_t pf_abi(void);

/* An allocator with all of the machine's runs free, or NULL for a machine that you do not serve
 * (holes, a start off its alignment, another top order): such machines are passed over. */
PF_API struct pf_zone *pf_create(const struct pf_machine *machine);

/* The end of an allocator, whatever is still held. */
PF_API void pf_destroy(struct pf_zone *zone);

/* The first frame of a block of that order, PF_NONE, or a refusal. */
PF_API int64_t pf_alloc(struct pf_zone *zone, int32_t order);

/* Take back a block that pf_alloc gave: PF_DONE, or a refusal of anything else, after which
 * everything is as before. */
PF_API int64_t pf_free(struct pf_zone *zone, int64_t pfn, int32_t order);

/* --- optional: what the allocator promises --------------------------------------------------- */

/* A request fails only if no aligned run of free frames could serve it. Without this promise that
 * is due only once everything has been given back. */
#define PF_MERGES_EAGERLY 1u

/* An illegal free is refused. Without this promise none is ever tried. */
#define PF_REFUSES 2u

/* The very frames, and the very order of the lists, of Linux in the machine's era. Judged if
 * pf_free_list is there. */
#define PF_EXACT 4u

/* The sum of the promises. Without this function: PF_MERGES_EAGERLY | PF_REFUSES. */
PF_API uint32_t pf_promises(void);

/* --- optional: free lists (the BUD laws) ------------------------------------------------------ */

/* Write the first frames of the free blocks of that order, at most room of them, the one that is
 * served next first. Return how many there are. The call must change nothing. */
PF_API int64_t pf_free_list(struct pf_zone *zone, int32_t order, int64_t *out, int64_t room);

/* --- optional, both or neither: counts beside the lists (BUD-count) ---------------------------- */

/* How many blocks of that order the allocator counts as free, without walking its lists. */
PF_API int64_t pf_nr_free(struct pf_zone *zone, int32_t order);

/* How many frames it counts as free. */
PF_API int64_t pf_free_pages(struct pf_zone *zone);

/* --- optional, all three or none: references --------------------------------------------------- */

/* A block is given out with one reference, its owner's, which pf_free drops. The last reference to
 * be dropped frees the block. If others remain, a compound block waits as a whole; of any other
 * block only the first frame is referenced, so the rest is freed at once, as blocks of order o-1
 * down to 0, and the first frame stays behind as a block of order 0. */

/* As pf_alloc, for a compound block. */
PF_API int64_t pf_alloc_compound(struct pf_zone *zone, int32_t order);

/* Take a reference to the block that the frame heads: PF_DONE or a refusal. */
PF_API int64_t pf_get(struct pf_zone *zone, int64_t pfn);

/* Drop one: PF_DONE or a refusal. The last one of a block that is not compound and larger than a
 * frame must be dropped by pf_free, which knows the order: PF_WRONG_ORDER. */
PF_API int64_t pf_put(struct pf_zone *zone, int64_t pfn);

/* --- optional, all three or none: CPUs that keep frames of their own --------------------------- */

/* A machine whose cpus is not 0 has so many, numbered from 0. Each may keep free frames, so that a
 * request need not ask what all share; how many is your business. On such a machine these stand for
 * pf_alloc and pf_free, which it is not asked by. A request may fail although other CPUs, or this
 * one in another form, keep what it needs; once all CPUs are drained that is no excuse. */

/* As pf_alloc, for a request of that CPU. */
PF_API int64_t pf_alloc_on(struct pf_zone *zone, int32_t order, int32_t cpu);

/* As pf_free, on that CPU; any CPU may have been given the block. */
PF_API int64_t pf_free_on(struct pf_zone *zone, int64_t pfn, int32_t order, int32_t cpu);

/* Give back to all whatever the CPU keeps: PF_DONE. */
PF_API int64_t pf_drain(struct pf_zone *zone, int32_t cpu);

/* --- optional, with the three above: many frames at once (BULK-prefix) -------------------------- */

/* Write single frames where the array has PF_NONE, as far as there are any, and leave the other
 * slots alone. Return how many slots from the first on are filled. Linux may stop early. */
PF_API int64_t pf_alloc_bulk(struct pf_zone *zone, int64_t *array, int64_t count, int32_t cpu);

/* --- optional: threads -------------------------------------------------------------------------- */

/* How many threads may call pf_alloc and pf_free at the same time, or pf_alloc_on and pf_free_on,
 * then each for a CPU of its own. Without this function one. */
PF_API int32_t pf_threads(void);

#ifdef __cplusplus
}
#endif

#endif
