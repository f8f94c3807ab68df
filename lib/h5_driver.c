/* SPDX-License-Identifier: GPL-3.0-or-later */
/* h5_driver.c - how HDF5 writes: through a file driver that never tells it of a failure.
 *
 * HDF5 1.10 may crash where a write fails in the middle of its work (H5Ocopy does, on a full disk).
 * So the first failure is kept here, what is written after it goes nowhere, and h5.c asks after
 * each step and at the end. The features are those of HDF5's own driver: the bytes of the file are
 * the same.
 *
 * HDF5's core driver and file images would do without, but hold the stream in memory, twice while
 * it is copied out (512 MB: 1.2 GB and 1.5 s of processor time, against 0.1 GB and 0.2 to 1 s), and
 * tell HDF5 of memory that is refused. The sample pipe takes 1.01 times the processor time with
 * them, mnfparse of a matrix of 234 MB text 1.4 times; 5 per cent were the limit. And images of
 * HDF5 1.10.8 with the superblock that we write (version 2) carry a wrong checksum. */
#include "memory.h"
#include "h5.h"
#include <errno.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    H5FD_t pub; /* first: HDF5 knows no more */
    int fd;
    haddr_t eoa, eof;
} driver_file;

/* One file is written at a time. */
static int writing_fd = -1, failure;

int fb_h5_failure(void)
{
    return failure;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)name;
    (void)flags;
    (void)fapl;
    (void)maxaddr;
    driver_file *f = fb_alloc(1, sizeof *f);
    if (f)
        f->fd = writing_fd;
    return f ? &f->pub : NULL;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t addr)
{
    (void)type;
    ((driver_file *)file)->eoa = addr;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const driver_file *)file)->eof;
}

/* What was never written reads as zeros, as in a hole. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                          void *buffer)
{
    const driver_file *f = (driver_file *)file;
    char *p = buffer;
    (void)type;
    (void)dxpl;
    while (size > 0) {
        ssize_t k = pread(f->fd, p, size, (off_t)addr);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0 && !failure)
            failure = errno;
        if (k <= 0) {
            memset(p, 0, size);
            break;
        }
        p += k;
        addr += (haddr_t)k;
        size -= (size_t)k;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t addr, size_t size,
                           const void *buffer)
{
    driver_file *f = (driver_file *)file;
    const char *p = buffer;
    (void)type;
    (void)dxpl;
    if (addr + size > f->eof)
        f->eof = addr + size;
    while (size > 0 && !failure) {
        ssize_t k = pwrite(f->fd, p, size, (off_t)addr);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0) {
            failure = k < 0 ? errno : ENOSPC;
            break;
        }
        p += k;
        addr += (haddr_t)k;
        size -= (size_t)k;
    }
    return 0;
}

static herr_t driver_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing)
{
    driver_file *f = (driver_file *)file;
    (void)dxpl;
    (void)closing;
    if (f->eoa == f->eof)
        return 0;
    while (!failure && ftruncate(f->fd, (off_t)f->eoa))
        failure = errno == EINTR ? 0 : errno;
    f->eof = f->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 511, /* the last of the numbers that HDF5 keeps for trials */
#endif
    .name = "flexbody",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

int fb_h5_drive(int64_t fapl, int fd)
{
    static hid_t id = -1;
    if (id < 0)
        id = H5FDregister(&driver);
    writing_fd = fd;
    failure = 0;
    return id < 0 || H5Pset_driver(fapl, id, NULL) < 0 ? -1 : 0;
}
