/* SPDX-License-Identifier: GPL-3.0-or-later */
/* warm GIB - writes GIB of memory once, at most half of what is free, and gives it back. A virtual
 * machine that was idle has handed its free pages to its host, and the first program that asks for
 * them waits for the host: 0.3 to 2.5 s a GiB, many times what the kernel itself takes. Run before
 * each program that is timed, it lets all of them find the same machine. */
#define _DEFAULT_SOURCE
#include "flexbody.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    double gib = argc == 2 ? atof(argv[1]) : 0, free_gib;
    if (!(gib > 0)) {
        fprintf(stderr, "usage: warm GIB\n");
        return FB_EUSAGE;
    }
    free_gib = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1073741824.0;
    size_t size = (size_t)((gib < free_gib / 2 ? gib : free_gib / 2) * 1073741824.0);
    volatile char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return FB_ESYS;
#ifdef MADV_HUGEPAGE
    (void)madvise((void *)(uintptr_t)p, size, MADV_HUGEPAGE);
#endif
    for (size_t k = 0; k < size; k += 4096)
        p[k] = 1;
    return 0;
}
