/* SPDX-License-Identifier: Apache-2.0 */
/* filters: see filters.h. */
#include "core/filters.h"

#include "base/err.h"
#include "base/io.h"

#include <errno.h>
#include <sys/mman.h>

int filters_open(enum filter_kind which, int *ret_fd, struct cordon_err *reterr)
{
    const struct filter_image *image = &filter_images[which];

    AUTO_FD fd = memfd_create("call-filter", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return err_set(reterr, CORDON_E_HOST, errno, "cannot make memory for the call filter");
    int r = io_write_all(fd, image->bytes, image->len);
    if (r == 0)
        r = io_seal(fd);
    if (r < 0)
        return err_set(reterr, CORDON_E_HOST, -r, "cannot pass on the call filter");
    *ret_fd = fd_take(&fd);
    return 0;
}
