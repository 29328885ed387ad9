/* SPDX-License-Identifier: Apache-2.0 */
/* bpf: what the kernel would answer: runs a seccomp filter over one call. */
#ifndef CORDON_TESTS_POLICY_BPF_H
#define CORDON_TESTS_POLICY_BPF_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define BPF_BROKEN UINT32_C(0xdeadbeef) /* no verdict: the filter is none */

static inline int bpf_holds(uint16_t code, uint32_t a, uint32_t k)
{
    switch (BPF_OP(code)) {
    case BPF_JEQ:
        return a == k;
    case BPF_JGT:
        return a > k;
    case BPF_JGE:
        return a >= k;
    case BPF_JSET:
        return (a & k) != 0;
    default:
        return 1; /* BPF_JA */
    }
}

/* The instructions that libseccomp uses; jumps only go forward, so it ends. */
static inline uint32_t bpf_run(const struct sock_filter *code, size_t count,
                               const struct seccomp_data *call)
{
    uint32_t a = 0;
    for (size_t pc = 0; pc < count; pc++) {
        const struct sock_filter *i = &code[pc];
        switch (BPF_CLASS(i->code)) {
        case BPF_LD:
            if (i->code != (BPF_LD | BPF_W | BPF_ABS) || i->k > sizeof(*call) - sizeof(a))
                return BPF_BROKEN;
            memcpy(&a, (const char *)call + i->k, sizeof(a));
            break;
        case BPF_ALU:
            if (i->code != (BPF_ALU | BPF_AND | BPF_K))
                return BPF_BROKEN;
            a &= i->k;
            break;
        case BPF_JMP:
            if (BPF_OP(i->code) == BPF_JA)
                pc += i->k;
            else
                pc += bpf_holds(i->code, a, i->k) ? i->jt : i->jf;
            break;
        case BPF_RET:
            return i->code == (BPF_RET | BPF_K) ? i->k : BPF_BROKEN;
        default:
            return BPF_BROKEN;
        }
    }
    return BPF_BROKEN;
}

#endif
