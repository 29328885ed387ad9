/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_explain: what the gate's rules mean. The library has them as a table: nothing is
 * started to look one up.
 */
#include "app/cmd_explain.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/cells.h"
#include "app/out.h"
#include "base/io.h"

static int rule_at(size_t i, struct cordon_rule *ret)
{
    *ret = (struct cordon_rule){.size = sizeof(*ret)};
    return cordon_rule(i, ret);
}

/* Whether `rule` was asked for: all are where no name is given. */
static int is_asked(const struct cordon_rule *rule, const char *name)
{
    return !name || strcmp(rule->name, name) == 0;
}

/* ---- for a person ---------------------------------------------------------------- */

/* Code, indented; what could deceive in it is spelled out. */
static void print_code(const char *heading, const char *code)
{
    if (!code)
        return;
    printf("\n%s\n\n", heading);
    while (*code) {
        struct buf shown = {0};
        size_t n = strcspn(code, "\n");
        (void)cells_add(&shown, code, n);
        printf(n ? "    %s\n" : "%s\n", shown.data ? shown.data : "");
        buf_done(&shown);
        code += n + (code[n] == '\n');
    }
}

static int print_list(void)
{
    struct cordon_rule rule;
    for (size_t i = 0; rule_at(i, &rule); i++)
        printf("%-24s %s\n", rule.name, rule.meaning);
    printf("\n'cordon explain RULE' shows code that trips a rule, and code that does not.\n");
    return out_flush();
}

static int print_rule(const struct cordon_rule *rule)
{
    printf("%s\n\n%s\n", rule->name, rule->meaning);
    print_code("Asks:", rule->trips);
    print_code("Asks, what this prints:", rule->maker);
    print_code("Runs unasked:", rule->passes);
    return out_flush();
}

/* ---- for a program ---------------------------------------------------------------- */

static int print_json(const char *name)
{
    struct cordon_rule rule;
    json_t *all = json_array();
    int r = 0;
    for (size_t i = 0; rule_at(i, &rule); i++)
        if (is_asked(&rule, name))
            r |= json_array_append_new(all,
                                       json_pack("{s:s, s:s, s:s?, s:s?, s:s?}", "rule", rule.name,
                                                 "meaning", rule.meaning, "trips", rule.trips,
                                                 "passes", rule.passes, "maker", rule.maker));
    AUTO_FREE char *text = r == 0 ? json_dumps(all, JSON_PRESERVE_ORDER) : NULL;
    json_decref(all);
    if (!text) {
        out_complain("no memory to say all of it");
        return EXIT_INTERNAL;
    }
    printf("%s\n", text);
    return out_flush();
}

/* ---- both -------------------------------------------------------------------------- */

static int explain(const struct run_options *o, const char *name)
{
    struct cordon_rule rule = {0};
    size_t i = 0;
    while (name && rule_at(i, &rule) && !is_asked(&rule, name))
        i++;
    if (name && !rule_at(i, &rule)) {
        out_complain("'%s': no such rule: 'cordon explain' lists them", name);
        return EXIT_USAGE;
    }
    if (o->json)
        return print_json(name);
    return name ? print_rule(&rule) : print_list();
}

static int explain_main(const struct command *self, int argc, char **argv)
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
    if (argc - operands > 1) {
        out_complain("one RULE at a time: '%s' is too much", argv[operands + 1]);
        return EXIT_USAGE;
    }
    return explain(&options, operands < argc ? argv[operands] : NULL);
}

const struct command cmd_explain = {
    .name = "explain",
    .operands = "[RULE]",
    .summary = "Say what a rule of the gate means, with examples; without RULE, list them",
    .rows = explain_rows,
    .epilogue = "Exit status:\n"
                "  0  it is said\n"
                "  2  the command line is wrong, or there is no such rule\n"
                "  6  it cannot be written\n",
    .main = explain_main,
};
