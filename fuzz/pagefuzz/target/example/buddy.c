/*
 * A buddy allocator: free lists by order, and the order of a free block written at its head.
 *
 * It keeps every law but those of list order, on every machine: any start, any length, holes, both
 * index bases. Copy it to begin your own.
 */
#include "pagefuzz.h"

#include <stdlib.h>

#define NOWHERE (-1)
#define SIZE(order) ((int64_t)1 << (order))

/* What is known of a frame. An order is NOWHERE unless the frame heads such a block. */
struct frame {
    int64_t next, prev; /* the neighbours in its free list, as positions from the zone's start */
    int8_t free_order;
    int8_t held_order;
};

struct pf_zone {
    int64_t start, pages, base;
    int32_t top;
    int64_t head[PF_MAX_TOP + 1];
    int64_t nr_free[PF_MAX_TOP + 1];
    struct frame frames[];
};

static void list_add(struct pf_zone *zone, int64_t at, int32_t order)
{
    struct frame *frame = &zone->frames[at];

    frame->free_order = (int8_t)order;
    frame->prev = NOWHERE;
    frame->next = zone->head[order];
    if (frame->next != NOWHERE)
        zone->frames[frame->next].prev = at;
    zone->head[order] = at;
    zone->nr_free[order]++;
}

static void list_del(struct pf_zone *zone, int64_t at, int32_t order)
{
    struct frame *frame = &zone->frames[at];

    frame->free_order = NOWHERE;
    if (frame->prev == NOWHERE)
        zone->head[order] = frame->next;
    else
        zone->frames[frame->prev].next = frame->next;
    if (frame->next != NOWHERE)
        zone->frames[frame->next].prev = frame->prev;
    zone->nr_free[order]--;
}

/* The other half of the parent; it may lie outside the zone. */
static int64_t buddy_of(const struct pf_zone *zone, int64_t at, int32_t order)
{
    int64_t shift = zone->start - zone->base;

    return ((at + shift) ^ SIZE(order)) - shift;
}

/* Free the block and merge it upward as long as its buddy is free too. */
static void free_block(struct pf_zone *zone, int64_t at, int32_t order)
{
    while (order < zone->top) {
        int64_t buddy = buddy_of(zone, at, order);

        if (buddy < 0 || buddy >= zone->pages || zone->frames[buddy].free_order != order)
            break;
        list_del(zone, buddy, order);
        if (buddy < at)
            at = buddy;
        order++;
    }
    list_add(zone, at, order);
}

int32_t pf_abi(void)
{
    return PF_ABI;
}

struct pf_zone *pf_create(const struct pf_machine *machine)
{
    struct pf_zone *zone;
    size_t frames = (size_t)machine->pages * sizeof(struct frame);

    zone = malloc(sizeof(*zone) + frames);
    if (!zone)
        abort();
    zone->start = machine->start;
    zone->pages = machine->pages;
    zone->base = machine->index_base;
    zone->top = (int32_t)machine->top;
    for (int32_t order = 0; order <= PF_MAX_TOP; order++) {
        zone->head[order] = NOWHERE;
        zone->nr_free[order] = 0;
    }
    for (int64_t at = 0; at < machine->pages; at++)
        zone->frames[at].free_order = zone->frames[at].held_order = NOWHERE;
    for (int64_t run = 0; run < machine->run_count; run++)
        for (int64_t pfn = machine->runs[run].first; pfn < machine->runs[run].end; pfn++)
            free_block(zone, pfn - zone->start, 0);
    return zone;
}

void pf_destroy(struct pf_zone *zone)
{
    free(zone);
}

int64_t pf_alloc(struct pf_zone *zone, int32_t order)
{
    if (order < 0 || order > zone->top)
        return PF_BAD_ORDER;
    for (int32_t from = order; from <= zone->top; from++) {
        int64_t at = zone->head[from];

        if (at == NOWHERE)
            continue;
        list_del(zone, at, from);
        while (from > order) {
            from--;
            list_add(zone, at + SIZE(from), from); /* the upper half stays free */
        }
        zone->frames[at].held_order = (int8_t)order;
        return zone->start + at;
    }
    return PF_NONE;
}

int64_t pf_free(struct pf_zone *zone, int64_t pfn, int32_t order)
{
    int64_t at = pfn - zone->start;

    if (order < 0 || order > zone->top)
        return PF_BAD_ORDER;
    if (at < 0 || at >= zone->pages || zone->frames[at].held_order != order)
        return PF_REFUSED;
    zone->frames[at].held_order = NOWHERE;
    free_block(zone, at, order);
    return PF_DONE;
}

int64_t pf_free_list(struct pf_zone *zone, int32_t order, int64_t *out, int64_t room)
{
    int64_t count = 0;

    for (int64_t at = zone->head[order]; at != NOWHERE; at = zone->frames[at].next) {
        if (count < room)
            out[count] = zone->start + at;
        count++;
    }
    return count;
}

int64_t pf_nr_free(struct pf_zone *zone, int32_t order)
{
    return zone->nr_free[order];
}

int64_t pf_free_pages(struct pf_zone *zone)
{
    int64_t pages = 0;

    for (int32_t order = 0; order <= zone->top; order++)
        pages += zone->nr_free[order] * SIZE(order);
    return pages;
}
