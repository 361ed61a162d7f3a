/* The time that the calling thread has been running, in nanoseconds. */
#ifndef CUEDECK_CLOCK_H
#define CUEDECK_CLOCK_H

#include <stdint.h>
#include <time.h>

#ifdef _WIN32
#include <windows.h>
static inline int64_t thread_nanoseconds(void) {
    FILETIME made, ended, kernel, user;
    if (!GetThreadTimes(GetCurrentThread(), &made, &ended, &kernel, &user)) return 0;
    return 100 * (((int64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime) +
                  ((int64_t)user.dwHighDateTime << 32 | user.dwLowDateTime));
}
#else
static inline int64_t thread_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
#endif

#endif
