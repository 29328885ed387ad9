/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_name: how a call is called, for people; see seccomp.h. */
#include "jail/seccomp.h"

#include "base/io.h"

#include <seccomp.h>
#include <stdio.h>

#define X32_BIT UINT32_C(0x40000000) /* in the number; the architecture is the native one */

const char *seccomp_call_name(unsigned nr, unsigned arch, char *name, size_t size)
{
    const int x32 = seccomp_arch_native() == SCMP_ARCH_X86_64 && (nr & X32_BIT);
    const int native = !x32 && (arch == 0 || arch == seccomp_arch_native());
    uint32_t token = native ? SCMP_ARCH_NATIVE : x32 ? SCMP_ARCH_X32 : arch;
    AUTO_FREE char *known = seccomp_syscall_resolve_num_arch(token, (int)nr);

    if (known)
        (void)snprintf(name, size, "%s%s", known, native ? "" : " of another architecture");
    else
        (void)snprintf(name, size, "call %u%s", x32 ? nr & ~X32_BIT : nr,
                       native ? "" : " of another architecture");
    return name;
}
