/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_calls: the methods that code of the standard library calls on what it is given, each
 * with the most arguments that it passes. Made by tools/make_library_calls.py; sorted.
 */
#include "library_calls.h"

#include <string.h>

#include "base/io.h"

/* clang-format off */
static const struct {
    const char *name;
    int most;
} calls[] = {
    {"abspath", 1}, {"add", 100}, {"add_argument", 5}, {"add_argument_group", 1},
    {"add_fn", 5}, {"add_fns_to_class", 1}, {"add_note", 1}, {"append", 1}, {"asend", 1},
    {"athrow", 3}, {"binomialvariate", 2}, {"casefold", 1}, {"casefold_parts", 1},
    {"cdf", 1}, {"center", 100}, {"check_for_whole_start_tag", 1}, {"check_unused_args", 3},
    {"chmod", 3}, {"close", 1}, {"closegroup", 2}, {"compare", 2}, {"compile", 1},
    {"compile_pattern", 1}, {"convert_field", 2}, {"copy_with", 1}, {"count", 3},
    {"decode", 2}, {"difference_update", 1}, {"discard", 1}, {"dispatch", 1}, {"done", 100},
    {"dst", 1}, {"emit", 2}, {"encode", 2}, {"endswith", 3}, {"error", 1}, {"exists", 1},
    {"expandtabs", 1}, {"expanduser", 1}, {"extend", 1}, {"extract", 4}, {"fdel", 1},
    {"fget", 1}, {"fill", 1}, {"find", 3}, {"find_longest_match", 4}, {"findall", 1},
    {"finditer", 1}, {"flush", 1}, {"format", 100}, {"format_exception_only", 3},
    {"format_field", 2}, {"format_frame_summary", 2}, {"format_map", 1}, {"formatday", 3},
    {"formatmonth", 100}, {"formatmonthname", 4}, {"formatweek", 2}, {"formatweekday", 2},
    {"formatweekheader", 1}, {"formatyear", 100}, {"formatyearpage", 100},
    {"from_bytes", 2}, {"from_file", 1}, {"from_float", 1}, {"from_iterable", 1},
    {"from_list", 1}, {"fromordinal", 1}, {"fromtimestamp", 2}, {"fromutc", 1}, {"fset", 2},
    {"fullmatch", 1}, {"func", 100}, {"gammavariate", 2}, {"get", 2}, {"get_field", 3},
    {"get_grouped_opcodes", 1}, {"get_trans_info", 3}, {"get_trans_info_fromutc", 2},
    {"get_value", 3}, {"gethomedir", 1}, {"getrandbits", 1}, {"glob", 3}, {"goahead", 1},
    {"group", 3}, {"handle_charref", 1}, {"handle_comment", 1}, {"handle_data", 1},
    {"handle_decl", 1}, {"handle_endtag", 1}, {"handle_entityref", 1}, {"handle_pi", 1},
    {"handle_startendtag", 2}, {"handle_starttag", 2}, {"hardlink_to", 1}, {"index", 100},
    {"indices", 1}, {"insert", 2}, {"intersection", 1}, {"intersection_update", 1},
    {"inv_cdf", 1}, {"is_dir", 1}, {"is_relative_to", 1}, {"is_reserved", 1}, {"isabs", 1},
    {"isatty", 1}, {"isdisjoint", 1}, {"isfile", 1}, {"isjunction", 1}, {"ismount", 1},
    {"isoformat", 1}, {"isreserved", 1}, {"issubset", 1}, {"issuperset", 1},
    {"iterencode", 2}, {"itermonthdates", 2}, {"itermonthdays", 2}, {"itermonthdays2", 2},
    {"itermonthdays3", 2}, {"join", 100}, {"join_parsed_parts", 6}, {"joinpath", 1},
    {"keys", 1}, {"lchmod", 2}, {"link", 2}, {"link_to", 2}, {"listdir", 1}, {"ljust", 100},
    {"lstat", 1}, {"lstrip", 1}, {"make_table", 6}, {"make_uri", 1}, {"match", 2},
    {"mkdir", 3}, {"monthdatescalendar", 2}, {"monthdays2calendar", 2},
    {"monthdayscalendar", 2}, {"most_common", 1}, {"new", 1}, {"no_cache", 1},
    {"normalvariate", 2}, {"normcase", 1}, {"normpath", 1}, {"open", 6}, {"open_binary", 2},
    {"owner", 1}, {"parse", 1}, {"parse_args", 1}, {"parse_bogus_comment", 1},
    {"parse_comment", 1}, {"parse_endtag", 1}, {"parse_html_declaration", 1},
    {"parse_marked_section", 1}, {"parse_parts", 1}, {"parse_pi", 1}, {"parse_starttag", 1},
    {"partition", 1}, {"pformat", 1}, {"pop", 100}, {"popitem", 1}, {"pprint", 1},
    {"print", 3}, {"randbytes", 1}, {"randrange", 2}, {"raw_decode", 2}, {"read", 2},
    {"readinto", 1}, {"readline", 1}, {"readlines", 1}, {"readlink", 1}, {"realpath", 2},
    {"register", 2}, {"relative_to", 100}, {"relpath", 2}, {"remove", 1},
    {"removeprefix", 1}, {"removesuffix", 1}, {"rename", 2}, {"replace", 3}, {"repr1", 2},
    {"repr_instance", 2}, {"reset", 1}, {"resolve", 2}, {"rfind", 3}, {"rindex", 3},
    {"rjust", 100}, {"rmdir", 1}, {"rpartition", 1}, {"rsplit", 2}, {"rstrip", 1},
    {"samestat", 2}, {"sample", 2}, {"scan_once", 2}, {"scanner", 1}, {"search", 2},
    {"seed", 1}, {"seek", 2}, {"select_from", 1}, {"selector", 1}, {"send", 1},
    {"set_cdata_mode", 1}, {"set_seq1", 1}, {"set_seq2", 1}, {"set_seqs", 2},
    {"setdefault", 2}, {"setfirstweekday", 1}, {"setstate", 1}, {"sniff", 1}, {"sort", 100},
    {"split", 2}, {"splitdrive", 1}, {"splitlines", 1}, {"splitroot", 1}, {"start", 1},
    {"startswith", 3}, {"stat", 2}, {"strftime", 1}, {"strip", 1}, {"sub", 3}, {"subn", 3},
    {"subtract", 1}, {"symlink", 3}, {"symmetric_difference_update", 1}, {"tell", 1},
    {"throw", 100}, {"to_bytes", 2}, {"touch", 3}, {"transitions", 1}, {"translate", 100},
    {"tzname", 1}, {"union", 100}, {"unlink", 1}, {"unpack", 1}, {"update", 100},
    {"updatepos", 2}, {"utcfromtimestamp", 1}, {"utcoffset", 1}, {"utime", 2},
    {"vformat", 3}, {"with_name", 1}, {"with_segments", 100}, {"with_traceback", 1},
    {"wrap", 1}, {"write", 1}, {"writelines", 1}, {"writerow", 1}, {"writerows", 1},
    {"year_to_epoch", 1}, {"yeardays2calendar", 2}, {"zfill", 1},
};
/* clang-format on */

int library_calls(const char *name)
{
    size_t low = 0, high = ARRAY_LEN(calls);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, calls[middle].name);
        if (order == 0)
            return calls[middle].most;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return -1;
}
