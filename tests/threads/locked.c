/*
 * The firstfit example for threads: with a lock, or with -DNO_LOCK without one.
 */
#include <pthread.h>

#define pf_alloc alone_alloc
#define pf_free alone_free
#include "example/firstfit.c"
#undef pf_alloc
#undef pf_free

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int32_t pf_threads(void)
{
    return 8;
}

static void enter(void)
{
#ifndef NO_LOCK
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifndef NO_LOCK
    pthread_mutex_unlock(&lock);
#endif
}

int64_t pf_alloc(struct pf_zone *zone, int32_t order)
{
    enter();
    int64_t pfn = alone_alloc(zone, order);
    leave();
    return pfn;
}

int64_t pf_free(struct pf_zone *zone, int64_t pfn, int32_t order)
{
    enter();
    int64_t done = alone_free(zone, pfn, order);
    leave();
    return done;
}
