/*
 * The least that can be tested: alloc and free over one flag a frame, and no lists.
 *
 * It trusts its callers, and says so by its promises.
 */
#include "pagefuzz.h"

#include <stdlib.h>
#include <string.h>

struct pf_zone {
    int64_t start, pages, base;
    char busy[];
};

int32_t pf_abi(void)
{
    return PF_ABI;
}

uint32_t pf_promises(void)
{
    return PF_MERGES_EAGERLY;
}

struct pf_zone *pf_create(const struct pf_machine *machine)
{
    struct pf_zone *zone = malloc(sizeof(*zone) + (size_t)machine->pages);

    if (!zone)
        abort();
    zone->start = machine->start;
    zone->pages = machine->pages;
    zone->base = machine->index_base;
    memset(zone->busy, 1, (size_t)machine->pages);
    for (int64_t run = 0; run < machine->run_count; run++) {
        const struct pf_run *memory = &machine->runs[run];

        memset(zone->busy + memory->first - zone->start, 0, (size_t)(memory->end - memory->first));
    }
    return zone;
}

void pf_destroy(struct pf_zone *zone)
{
    free(zone);
}

int64_t pf_alloc(struct pf_zone *zone, int32_t order)
{
    int64_t size = (int64_t)1 << order, shift = zone->start - zone->base;

    for (int64_t at = (size - shift % size) % size; at + size <= zone->pages; at += size)
        if (!memchr(zone->busy + at, 1, (size_t)size)) {
            memset(zone->busy + at, 1, (size_t)size);
            return zone->start + at;
        }
    return PF_NONE;
}

int64_t pf_free(struct pf_zone *zone, int64_t pfn, int32_t order)
{
    memset(zone->busy + (pfn - zone->start), 0, (size_t)1 << order);
    return PF_DONE;
}
