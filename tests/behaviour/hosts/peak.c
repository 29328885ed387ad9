/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peak HELPER_DIR: reads programs from stdin (a line with the length, then the bytes), runs one
 * after the other without gate and interpreter wall, and prints a line for each: its status, by
 * how many KiB this program has grown at the most meanwhile, and how long stdout and stderr are.
 */
#include "host.h"

#include <malloc.h>

static char code[1 << 20];

static long status_kib(const char *member)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/status", "r");
    MUST(file);
    while (fgets(line, sizeof(line), file))
        if (strncmp(line, member, strlen(member)) == 0)
            kib = strtol(line + strlen(member), NULL, 10);
    (void)fclose(file);
    MUST(kib >= 0);
    return kib;
}

static void forget_the_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    MUST(file);
    MUST(fputs("5", file) >= 0);
    MUST(fclose(file) == 0);
}

static struct cordon_result *execute(struct cordon_engine *engine, const char *text, size_t len)
{
    struct cordon_request request = host_request(text, len, 20000);
    struct cordon_result *result = NULL;
    struct cordon_err err = {0};
    MUST(cordon_execute(engine, &request, &result, &err) == 0);
    return result;
}

int main(int argc, char **argv)
{
    size_t len;
    MUST(argc == 2);
    struct cordon_engine *engine =
        host_engine(argv[1], (uint32_t)CORDON_WALL_GATE | CORDON_WALL_INTERPRETER);
    cordon_result_free(execute(engine, "", 0));
    while (scanf("%zu", &len) == 1) {
        size_t out, errors;
        MUST(len <= sizeof(code) && getchar() == '\n' && fread(code, 1, len, stdin) == len);
        (void)malloc_trim(0);
        forget_the_peak();
        long before = status_kib("VmRSS:");
        struct cordon_result *result = execute(engine, code, len);
        (void)cordon_result_output(result, CORDON_STDOUT, &out);
        (void)cordon_result_output(result, CORDON_STDERR, &errors);
        printf("%s %ld %zu %zu\n", cordon_status_name(cordon_result_status(result)),
               status_kib("VmHWM:") - before, out, errors);
        cordon_result_free(result);
    }
    cordon_engine_free(engine);
    return 0;
}
