/*
 * The buddy example with references on blocks, and a reason for every refusal.
 *
 * Made of the example's own text: its alloc and free serve under other names.
 */
#define pf_alloc plain_alloc
#define pf_free plain_free
#include "example/buddy.c"
#undef pf_alloc
#undef pf_free

/* One record a frame, beside the example's: there is one zone to a process. */
static struct {
    int64_t refs;
    char compound, given;
} *notes;

static int64_t note(int64_t pfn, int compound, struct pf_zone *zone)
{
    if (!notes)
        notes = calloc((size_t)zone->pages, sizeof(*notes));
    if (pfn < 0)
        return pfn;
    notes[pfn - zone->start].refs = 1;
    notes[pfn - zone->start].compound = (char)compound;
    notes[pfn - zone->start].given = 1;
    return pfn;
}

int64_t pf_alloc(struct pf_zone *zone, int32_t order)
{
    return note(plain_alloc(zone, order), 0, zone);
}

int64_t pf_alloc_compound(struct pf_zone *zone, int32_t order)
{
    return note(plain_alloc(zone, order), 1, zone);
}

/* PF_DONE if the frame heads a held block, else the reason why not; holes are never held. */
static int64_t head_of_held(struct pf_zone *zone, int64_t pfn, int32_t order)
{
    int64_t at = pfn - zone->start, index = pfn - zone->base;

    if (at < 0 || at + SIZE(order) > zone->pages)
        return PF_OUTSIDE;
    if (index % SIZE(order))
        return PF_MISALIGNED;
    if (zone->frames[at].held_order != NOWHERE)
        return PF_DONE;
    for (int32_t above = 1; above <= zone->top; above++) {
        int64_t head = at - index % SIZE(above);

        if (head >= 0 && zone->frames[head].held_order >= above)
            return PF_INTERIOR;
    }
    return notes && notes[at].given ? PF_DOUBLE : PF_NEVER_GIVEN;
}

int64_t pf_get(struct pf_zone *zone, int64_t pfn)
{
    int64_t refused = head_of_held(zone, pfn, 0);

    if (!refused)
        notes[pfn - zone->start].refs++;
    return refused;
}

int64_t pf_free(struct pf_zone *zone, int64_t pfn, int32_t order)
{
    int64_t at = pfn - zone->start, refused;

    if (order < 0 || order > zone->top)
        return PF_BAD_ORDER;
    refused = head_of_held(zone, pfn, order);
    if (refused)
        return refused;
    if (zone->frames[at].held_order != order)
        return PF_WRONG_ORDER;
    if (--notes[at].refs == 0)
        return plain_free(zone, pfn, order);
    if (!notes[at].compound) {
        zone->frames[at].held_order = 0;
        while (order-- > 0) {
            notes[at + SIZE(order)].given = 1;
            free_block(zone, at + SIZE(order), order);
        }
    }
    return PF_DONE;
}

int64_t pf_put(struct pf_zone *zone, int64_t pfn)
{
    int64_t at = pfn - zone->start, refused = head_of_held(zone, pfn, 0);

    if (refused)
        return refused;
    if (notes[at].refs == 1 && !notes[at].compound && zone->frames[at].held_order > 0)
        return PF_WRONG_ORDER;
    if (--notes[at].refs == 0)
        return plain_free(zone, pfn, zone->frames[at].held_order);
    return PF_DONE;
}
