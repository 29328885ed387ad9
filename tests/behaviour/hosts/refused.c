/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused HELPER_DIR: requests that are wrong are refused at once, with a negative code
 * and the field's name; what the results tell is what the envelope tells.
 */
#include "host.h"

static struct cordon_engine *engine;

/* The call must fail with `code`, and its error must name `field`. */
static void refuse(struct cordon_request request, int code, const char *field)
{
    struct cordon_callbacks none = {.size = sizeof(none)};
    struct cordon_result *result = (struct cordon_result *)0x1;
    struct cordon_err err = {0};
    int rc = cordon_submit(engine, &request, &none, NULL, NULL, &err);
    if (rc != code || err.code != code || !strstr(err.step, field))
        fprintf(stderr, "wanted %d in %s, got %d, %d in '%s': %s\n", code, field, rc, err.code,
                err.step, err.msg);
    MUST(rc == code && err.code == code);
    MUST(strstr(err.step, field));
    MUST(err.msg[0]);
    MUST(cordon_submit(engine, &request, &none, NULL, NULL, NULL) == code);
    MUST(cordon_execute(engine, &request, &result, &err) == code);
    MUST(result == (struct cordon_result *)0x1); /* written on success only */
}

static struct cordon_request with_code(const char *code, size_t len)
{
    return host_request(code, len, 0);
}

static struct cordon_request with_input(const char *input, size_t len)
{
    struct cordon_request request = with_code("result = input_data", 19);
    request.input = input;
    request.input_len = len;
    return request;
}

#define TEXT(text) text, sizeof(text) - 1

static void wrong_code(void)
{
    static char big[(8 << 20) + 2];
    memset(big, '#', sizeof(big) - 1);
    refuse(with_code(TEXT("x = '\xff'")), CORDON_E_ARG, "code");
    refuse(with_code(TEXT("x = '\xed\xa0\x80'")), CORDON_E_ARG, "code");
    refuse(with_code(TEXT("x = '\xc3")), CORDON_E_ARG, "code");
    refuse(with_code(NULL, 5), CORDON_E_ARG, "code");
    struct cordon_request request = with_code(big, sizeof(big) - 1);
    struct cordon_err err = {0};
    MUST(cordon_submit(engine, &request, NULL, NULL, NULL, &err) < 0);
    MUST(strstr(err.step, "code"));
}

static void wrong_input(void)
{
    static char deep[4000];
    memset(deep, '[', sizeof(deep));
    refuse(with_input(TEXT("[1]")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("5")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{} {}")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{'a': 1}")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{\"a\": NaN}")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{\"a\": \"\xff\"}")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{\"a\": \"\xed\xa0\x80\"}")), CORDON_E_ARG, "input");
    refuse(with_input(TEXT("{\"a\": 1,}")), CORDON_E_ARG, "input");
    refuse(with_input(deep, sizeof(deep)), CORDON_E_ARG, "input");
    refuse(with_input(TEXT(" ")), CORDON_E_ARG, "input");
}

static void wrong_rest(void)
{
    struct cordon_request request = with_code(TEXT("x = 1"));
    request.size = 0;
    refuse(request, CORDON_E_ARG, "request"); /* whose size is not set */
    request = with_code(TEXT("x = 1"));
    request.profile = "nobody's";
    refuse(request, CORDON_E_PROFILE, "profile");
    request = with_code(TEXT("x = 1"));
    request.nonfinite = 7;
    refuse(request, CORDON_E_ARG, "nonfinite");

#define TOO_MUCH(field)                                                                            \
    do {                                                                                           \
        request = with_code(TEXT("x = 1"));                                                        \
        request.limits.field = (uint64_t)1 << 40;                                                  \
        refuse(request, CORDON_E_PROFILE, #field);                                                 \
        request.limits.field = UINT64_MAX;                                                         \
        refuse(request, CORDON_E_PROFILE, #field);                                                 \
    } while (0)
    TOO_MUCH(wall_ms);
    TOO_MUCH(cpu_ms);
    TOO_MUCH(memory_bytes);
    TOO_MUCH(tasks);
    TOO_MUCH(open_files);
    TOO_MUCH(disk_bytes);
    TOO_MUCH(disk_files);
    TOO_MUCH(stdout_bytes);
    TOO_MUCH(stderr_bytes);
    TOO_MUCH(result_bytes);
}

static struct cordon_result *execute(struct cordon_request request)
{
    struct cordon_result *result = NULL;
    struct cordon_err err = {0};
    int rc = cordon_execute(engine, &request, &result, &err);
    if (rc < 0)
        fprintf(stderr, "execute: %s: %s\n", err.step, err.msg);
    MUST(rc == 0);
    return result;
}

static void results_tell_what_the_envelope_tells(void)
{
    size_t len;
    struct cordon_result *r =
        execute(with_code(TEXT("print('hi')\nresult = {'a': [1, float('nan')]}")));
    MUST(cordon_result_status(r) == CORDON_OK);
    MUST(host_result_is(r, "{\"a\":[1,null]}"));
    MUST(strcmp(cordon_result_output(r, CORDON_STDOUT, &len), "hi\n") == 0 && len == 3);
    MUST(strcmp(cordon_result_output(r, CORDON_STDERR, &len), "") == 0 && len == 0);
    MUST(!cordon_result_truncated(r, CORDON_STDOUT) && !cordon_result_truncated(r, CORDON_STDERR));
    MUST(!cordon_result_error(r, "message") && !cordon_result_error(r, "kind"));
    MUST(cordon_result_line(r) == 0);
    MUST(cordon_result_note(r, 0) && strstr(cordon_result_note(r, 0), "result[\"a\"][1]"));
    MUST(!cordon_result_note(r, 1) && !cordon_result_note(r, 1000));
    MUST(strstr(cordon_result_envelope(r, &len), "\"status\": \"ok\""));
    MUST(strlen(cordon_result_envelope(r, NULL)) == len);
    cordon_result_free(r);

    r = execute(with_code(TEXT("x = 1\nx / 0")));
    MUST(cordon_result_status(r) == CORDON_ERROR && !cordon_result_json(r, NULL));
    MUST(strcmp(cordon_result_error(r, "kind"), "exception") == 0);
    MUST(strcmp(cordon_result_error(r, "type"), "ZeroDivisionError") == 0);
    MUST(strstr(cordon_result_error(r, "traceback"), "line 2, in <module>"));
    MUST(!cordon_result_error(r, "limit") && !cordon_result_error(r, "nonsense"));
    MUST(cordon_result_line(r) == 2);
    cordon_result_free(r);
}

static void limits_of_one_request_are_its_own(void)
{
    struct cordon_request request = with_code(TEXT("print('x' * 100)\nresult = {'a': 'y' * 50}"));
    request.limits.stdout_bytes = 10;
    struct cordon_result *r = execute(request);
    MUST(cordon_result_status(r) == CORDON_OK);
    MUST(strcmp(cordon_result_output(r, CORDON_STDOUT, NULL), "xxxxxxxxxx") == 0);
    MUST(cordon_result_truncated(r, CORDON_STDOUT) == 1);
    cordon_result_free(r);

    request.limits.result_bytes = 20;
    r = execute(request);
    MUST(cordon_result_status(r) == CORDON_LIMIT);
    MUST(strcmp(cordon_result_error(r, "limit"), "result") == 0);
    cordon_result_free(r);

    request = with_code(TEXT("while True: pass"));
    request.limits.wall_ms = 200;
    r = execute(request);
    MUST(cordon_result_status(r) == CORDON_TIMEOUT && cordon_result_line(r) == 1);
    cordon_result_free(r);
}

static void input_is_optional(void)
{
    struct cordon_result *r = execute(with_input(NULL, 0));
    MUST(host_result_is(r, "{}"));
    cordon_result_free(r);
    r = execute(with_input(TEXT(" {\"b\": 1.50, \"a\": [ ]}\n")));
    MUST(host_result_is(r, "{\"b\":1.5,\"a\":[]}"));
    cordon_result_free(r);
    r = execute(with_code(TEXT("")));
    MUST(cordon_result_status(r) == CORDON_OK && host_result_is(r, "{}"));
    cordon_result_free(r);
}

static void engines_that_cannot_be(const char *helper_dir)
{
    struct cordon_engine *other = NULL;
    struct cordon_err err = {0};
    struct cordon_options opts = {.size = 0, .helper_dir = helper_dir};
    MUST(cordon_engine_new(&opts, &other, &err) == CORDON_E_ARG && !other);

    MUST(cordon_engine_warm(engine, "nobody's", &err) == CORDON_E_PROFILE);

    /* The machine cannot run it: that is a verdict, not a refusal. */
    opts = (struct cordon_options){.size = sizeof(opts), .helper_dir = "/no/such/place"};
    if (cordon_engine_new(&opts, &other, &err) == 0) {
        struct cordon_request request = with_code(TEXT("x = 1"));
        struct cordon_result *r = NULL;
        MUST(cordon_execute(other, &request, &r, &err) == 0);
        MUST(cordon_result_status(r) == CORDON_INTERNAL);
        MUST(strstr(cordon_result_error(r, "message"), "/no/such/place"));
        cordon_result_free(r);
        cordon_engine_free(other);
    } else {
        MUST(err.code == CORDON_E_HELPER && strstr(err.msg, "/no/such/place"));
    }
}

int main(int argc, char **argv)
{
    MUST(argc == 2);
    MUST(strcmp(cordon_version(), CORDON_VERSION) == 0);
    MUST(strcmp(cordon_status_name(CORDON_NEEDS_APPROVAL), "needs_approval") == 0);
    MUST(strcmp(cordon_status_name(CORDON_INTERNAL), "internal") == 0);
    MUST(cordon_status_name((enum cordon_status)99));
    engine = host_engine(argv[1], 0);
    wrong_code();
    wrong_input();
    wrong_rest();
    results_tell_what_the_envelope_tells();
    limits_of_one_request_are_its_own();
    input_is_optional();
    engines_that_cannot_be(argv[1]);
    cordon_engine_free(engine);
    printf("right\n");
    return 0;
}
