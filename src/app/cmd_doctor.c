/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_doctor: asks the library what this machine allows, and passes it on. What is tried,
 * what it means and what to do about it is all the library's.
 */
#include "app/cmd_doctor.h"

#include "app/out.h"
#include "app/out_doctor.h"

static int exit_of(enum cordon_level level)
{
    switch (level) {
    case CORDON_LEVEL_FULL:
        return EXIT_OK;
    case CORDON_LEVEL_DEGRADED:
    case CORDON_LEVEL_CONTAINED:
        return EXIT_FAILED;
    case CORDON_LEVEL_NONE:
        break;
    }
    return EXIT_INTERNAL;
}

static int examine(const struct run_options *o)
{
    const struct cordon_options options = {
        .size = sizeof(options),
        .python = o->python,
        .config = o->config,
    };
    struct out_doctor out = {.json = o->json};
    struct cordon_err err = {0};

    int r = cordon_doctor(&options, out_doctor_probe, &out, &err);
    if (r < 0) {
        out_complain("%s", err.msg);
        out_doctor_done(&out);
        return err.code == CORDON_E_ARG ? EXIT_USAGE : EXIT_INTERNAL;
    }
    int said = out_doctor_level(&out, (enum cordon_level)r);
    out_doctor_done(&out);
    return said ? said : exit_of((enum cordon_level)r);
}

static int doctor_main(const struct command *self, int argc, char **argv)
{
    struct run_options options = {0};
    struct cordon_err err = {0};
    int operands;

    if (options_parse(self, argc, argv, &options, &operands, &err) < 0) {
        out_complain("%s", err.msg);
        return EXIT_USAGE;
    }
    if (options.help)
        return out_command_help(self);
    if (operands < argc) {
        out_complain("'%s' is too much: see 'cordon doctor --help'", argv[operands]);
        return EXIT_USAGE;
    }
    return examine(&options);
}

const struct command cmd_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = "Say which walls stand on this machine, and what to do about the rest",
    .rows = doctor_rows,
    .epilogue = "Exit status:\n"
                "  0  full      strict runs behind all its walls\n"
                "  1  degraded  strict runs; a wall that it can go without is missing\n"
                "  1  contained strict runs where it is asked for no more (--level contained)\n"
                "  2            the command line or a file is wrong\n"
                "  6  none      strict cannot run here\n",
    .main = doctor_main,
};
