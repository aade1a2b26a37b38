/*
 * The firstfit example with CPUs that keep single frames, the latest in front, and with bulk.
 */
#include "example/firstfit.c"

#define CPUS 16
#define MOST 6

/* There is one zone to a process. */
static struct {
    int64_t frames[MOST];
    int count;
} kept[CPUS];

int64_t pf_drain(struct pf_zone *zone, int32_t cpu)
{
    while (kept[cpu].count)
        pf_free(zone, kept[cpu].frames[--kept[cpu].count], 0);
    return PF_DONE;
}

int64_t pf_alloc_on(struct pf_zone *zone, int32_t order, int32_t cpu)
{
    if (order == 0 && kept[cpu].count)
        return kept[cpu].frames[--kept[cpu].count];
    return pf_alloc(zone, order);
}

int64_t pf_free_on(struct pf_zone *zone, int64_t pfn, int32_t order, int32_t cpu)
{
    if (order)
        return pf_free(zone, pfn, order);
    if (kept[cpu].count == MOST)
        pf_drain(zone, cpu);
    kept[cpu].frames[kept[cpu].count++] = pfn;
    return PF_DONE;
}

int64_t pf_alloc_bulk(struct pf_zone *zone, int64_t *array, int64_t count, int32_t cpu)
{
    for (int64_t slot = 0; slot < count; slot++) {
        if (array[slot] == PF_NONE)
            array[slot] = pf_alloc_on(zone, 0, cpu);
        if (array[slot] == PF_NONE)
            return slot;
    }
    return count;
}
