/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library_calls: the methods that code of the standard library calls on what it is given, each
 * with the most arguments that it passes; and its private names. Made by
 * tools/make_library_calls.py; sorted.
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

/* Its private names, each with the module that uses it; "*": several. Sorted. */
static const struct {
    const char *name, *module;
} privates[] = {
    {"_BufferedIOBase", "io"}, {"_DAYS_BEFORE_MONTH", "zoneinfo"},
    {"_GenericAlias", "dataclasses"}, {"_IOBase", "io"}, {"_Omitted", "datetime"},
    {"_RawIOBase", "io"}, {"_TextIOBase", "io"}, {"_abc_cache", "*"},
    {"_abc_caches_clear", "*"}, {"_abc_invalidation_counter", "*"},
    {"_abc_negative_cache", "*"}, {"_abc_negative_cache_version", "*"},
    {"_abc_registry", "*"}, {"_abc_registry_clear", "*"}, {"_add", "fractions"},
    {"_add_alias_", "enum"}, {"_add_member_", "enum"}, {"_add_value_alias_", "enum"},
    {"_all_bits_", "enum"}, {"_args", "operator"}, {"_attr_type", "enum"},
    {"_attrs", "operator"}, {"_auto_called", "enum"}, {"_boundary_", "enum"},
    {"_buffer_decode", "*"}, {"_buffer_encode", "*"}, {"_cached_cparts", "pathlib"},
    {"_call", "operator"}, {"_charjunk", "difflib"},
    {"_check_for_existing_members_", "enum"}, {"_check_methods", "contextlib"},
    {"_class_getitem_inner", "typing"}, {"_clear_cache", "functools"},
    {"_cls_name", "enum"}, {"_cls_type", "enum"}, {"_cmp", "datetime"},
    {"_collect_lines", "difflib"}, {"_commit_removals", "*"}, {"_compact", "pprint"},
    {"_convert_", "enum"}, {"_convert_flags", "difflib"}, {"_cparts", "pathlib"},
    {"_create", "datetime"}, {"_create_", "enum"},
    {"_create_async_cb_wrapper", "contextlib"},
    {"_create_async_exit_wrapper", "contextlib"}, {"_create_cb_wrapper", "contextlib"},
    {"_create_exit_wrapper", "contextlib"}, {"_current", "*"}, {"_day", "datetime"},
    {"_days", "*"}, {"_decoded_counterpart", "urllib.parse"},
    {"_dedented_lines", "traceback"}, {"_default_prefix", "difflib"},
    {"_defaults", "typing"}, {"_del", "enum"}, {"_denominator", "fractions"},
    {"_deprecated", "*"}, {"_depth", "pprint"}, {"_determine_new_args", "typing"},
    {"_dict_to_list", "csv"}, {"_dispatch", "pprint"}, {"_div", "fractions"},
    {"_divmod", "fractions"}, {"_drv", "pathlib"}, {"_dump", "difflib"},
    {"_dump_registry", "*"}, {"_empty_charbuffer", "*"},
    {"_encoded_counterpart", "urllib.parse"}, {"_evaluate", "typing"},
    {"_exc_type", "traceback"}, {"_exceptions", "contextlib"},
    {"_exit_callbacks", "contextlib"}, {"_extract_from_extended_frame_gen", "traceback"},
    {"_fancy_helper", "difflib"}, {"_fancy_replace", "difflib"},
    {"_field_type", "dataclasses"}, {"_fieldnames", "csv"}, {"_fields", "*"},
    {"_file_path", "zoneinfo"}, {"_file_reduce", "zoneinfo"}, {"_file_repr", "zoneinfo"},
    {"_file_template", "difflib"}, {"_filter_trailing_slash", "pathlib"},
    {"_find_cycle", "graphlib"}, {"_find_data_repr_", "enum"}, {"_find_data_type_", "enum"},
    {"_find_new_", "enum"}, {"_find_trans", "zoneinfo"}, {"_find_tzfile", "zoneinfo"},
    {"_firstweekday", "calendar"}, {"_fix_sentence_endings", "textwrap"},
    {"_fixed_offset", "zoneinfo"}, {"_flag_mask_", "enum"}, {"_flavour", "pathlib"},
    {"_floordiv", "fractions"}, {"_fold", "datetime"}, {"_format", "pprint"},
    {"_format_dict_items", "pprint"}, {"_format_float_style", "fractions"},
    {"_format_general", "fractions"}, {"_format_items", "pprint"},
    {"_format_line", "difflib"}, {"_format_namespace_items", "pprint"},
    {"_format_parsed_parts", "pathlib"}, {"_format_syntax_error", "traceback"},
    {"_from_cache", "zoneinfo"}, {"_from_coprime_ints", "fractions"},
    {"_from_iterable", "collections.abc"}, {"_from_parsed_parts", "pathlib"},
    {"_from_parsed_string", "pathlib"}, {"_from_parts", "pathlib"},
    {"_fromtimestamp", "datetime"}, {"_generate_next_value", "enum"},
    {"_generate_next_value_", "enum"}, {"_generate_suggestions", "traceback"},
    {"_get", "enum"}, {"_get_local_timestamp", "zoneinfo"}, {"_get_mixins_", "enum"},
    {"_get_nodeinfo", "graphlib"}, {"_get_trans_info", "zoneinfo"},
    {"_get_trans_info_fromutc", "zoneinfo"}, {"_get_value", "enum"}, {"_getframe", "*"},
    {"_getframemodulename", "*"}, {"_getitem", "typing"}, {"_getstate", "datetime"},
    {"_glob_selector", "pathlib"}, {"_globber", "pathlib"}, {"_guess_delimiter", "csv"},
    {"_guess_quote_and_delimiter", "csv"}, {"_handle_long_word", "textwrap"},
    {"_hash", "*"}, {"_hashcode", "datetime"}, {"_have_exc_type", "traceback"},
    {"_hmac", "*"}, {"_hostinfo", "urllib.parse"}, {"_hour", "datetime"},
    {"_ignore", "enum"}, {"_indent_per_level", "pprint"}, {"_init_hmac", "*"},
    {"_init_old", "*"}, {"_inner", "*"}, {"_inst", "typing"}, {"_invalid", "string"},
    {"_inverted_", "enum"}, {"_is_protocol", "typing"}, {"_is_runtime_protocol", "typing"},
    {"_is_syntax_error", "traceback"}, {"_is_text_encoding", "*"}, {"_items", "operator"},
    {"_iter_member_", "enum"}, {"_iter_member_by_def_", "enum"},
    {"_iter_member_by_value_", "enum"}, {"_iterate_directories", "pathlib"},
    {"_iterating", "*"}, {"_join", "*"}, {"_keep_positive", "collections"},
    {"_key", "zoneinfo"}, {"_kwargs", "operator"}, {"_last_values", "enum"},
    {"_legend", "difflib"}, {"_line", "traceback"}, {"_line_wrapper", "difflib"},
    {"_linejunk", "difflib"}, {"_lines", "*"}, {"_lines_cached", "pathlib"},
    {"_lines_dedented", "traceback"}, {"_load_file", "zoneinfo"},
    {"_load_lines", "traceback"}, {"_load_parts", "pathlib"},
    {"_local_timezone", "datetime"}, {"_m", "types"}, {"_make", "*"},
    {"_make_child", "pathlib"}, {"_make_child_relpath", "pathlib"},
    {"_make_prefix", "difflib"}, {"_make_substitution", "typing"},
    {"_make_unbound_method", "functools"}, {"_mapping", "*"}, {"_max_symlinks", "pathlib"},
    {"_maxoffset", "datetime"}, {"_member_map_", "enum"}, {"_member_names", "enum"},
    {"_member_names_", "enum"}, {"_member_type_", "enum"}, {"_method_cache", "functools"},
    {"_microsecond", "datetime"}, {"_microseconds", "datetime"}, {"_minoffset", "datetime"},
    {"_minute", "datetime"}, {"_missing_", "enum"}, {"_mktime", "datetime"},
    {"_mod", "fractions"}, {"_month", "datetime"}, {"_months", "calendar"},
    {"_mu", "statistics"}, {"_mul", "fractions"}, {"_munge_whitespace", "textwrap"},
    {"_name", "*"}, {"_name_", "enum"}, {"_name_from_offset", "datetime"},
    {"_new_instance", "zoneinfo"}, {"_new_member_", "enum"}, {"_new_target", "contextlib"},
    {"_nfinished", "graphlib"}, {"_node2info", "graphlib"}, {"_notimplemented", "random"},
    {"_nparams", "typing"}, {"_npassedout", "graphlib"}, {"_numerator", "fractions"},
    {"_numeric_repr_", "*"}, {"_offset", "datetime"}, {"_old_cwd", "contextlib"},
    {"_old_targets", "contextlib"}, {"_operator_fallbacks", "fractions"},
    {"_original_line", "traceback"}, {"_original_lines", "traceback"}, {"_outer", "*"},
    {"_paramspec_tvars", "typing"}, {"_parse_args", "pathlib"}, {"_parse_path", "pathlib"},
    {"_partialmethod", "functools"}, {"_parts", "pathlib"}, {"_parts_normcase", "pathlib"},
    {"_parts_normcase_cached", "pathlib"}, {"_path", "pathlib"}, {"_pathcls", "pathlib"},
    {"_pattern_str", "pathlib"}, {"_pending_removals", "*"}, {"_plain_replace", "difflib"},
    {"_pparts", "pathlib"}, {"_pprint_bytearray", "pprint"}, {"_pprint_bytes", "pprint"},
    {"_pprint_chain_map", "pprint"}, {"_pprint_counter", "pprint"},
    {"_pprint_dataclass", "pprint"}, {"_pprint_default_dict", "pprint"},
    {"_pprint_deque", "pprint"}, {"_pprint_dict", "pprint"}, {"_pprint_list", "pprint"},
    {"_pprint_mappingproxy", "pprint"}, {"_pprint_ordered_dict", "pprint"},
    {"_pprint_set", "pprint"}, {"_pprint_simplenamespace", "pprint"},
    {"_pprint_str", "pprint"}, {"_pprint_tuple", "pprint"}, {"_pprint_user_dict", "pprint"},
    {"_pprint_user_list", "pprint"}, {"_pprint_user_string", "pprint"},
    {"_prefix", "difflib"}, {"_push_async_cm_exit", "contextlib"},
    {"_push_cm_exit", "contextlib"}, {"_push_exit_callback", "contextlib"},
    {"_qformat", "difflib"}, {"_randbelow", "*"}, {"_randbelow_with_getrandbits", "random"},
    {"_randbelow_without_getrandbits", "random"}, {"_raw_path", "pathlib"},
    {"_raw_paths", "pathlib"}, {"_readable", "pprint"}, {"_ready_nodes", "graphlib"},
    {"_recreate_cm", "contextlib"}, {"_recursive", "pprint"},
    {"_removal_version", "typing"}, {"_remove", "*"}, {"_remove_leading_dot", "pathlib"},
    {"_remove_trailing_slash", "pathlib"}, {"_repr", "pprint"}, {"_repr_iterable", "*"},
    {"_resolving", "pathlib"}, {"_richcmp", "fractions"}, {"_root", "pathlib"},
    {"_safe_repr", "pprint"}, {"_scandir", "pathlib"}, {"_second", "datetime"},
    {"_seconds", "datetime"}, {"_select_from", "pathlib"}, {"_set", "enum"},
    {"_set_lines", "traceback"}, {"_should_show_carets", "traceback"},
    {"_sigma", "statistics"}, {"_simple_enum", "re"}, {"_singles_mask_", "enum"},
    {"_sort_dicts", "pprint"}, {"_sort_order_", "enum"}, {"_split", "textwrap"},
    {"_split_chunks", "textwrap"}, {"_split_extended_path", "pathlib"},
    {"_split_line", "difflib"}, {"_stack", "pathlib"}, {"_str", "*"},
    {"_str_normcase", "pathlib"}, {"_str_normcase_cached", "pathlib"}, {"_stream", "*"},
    {"_strong_cache", "zoneinfo"}, {"_strong_cache_size", "zoneinfo"},
    {"_strptime_datetime", "datetime"}, {"_styles", "difflib"}, {"_sub", "fractions"},
    {"_supported", "pathlib"}, {"_tab_newline_replace", "difflib"},
    {"_table_template", "difflib"}, {"_tabsize", "difflib"}, {"_tail", "pathlib"},
    {"_tail_cached", "pathlib"}, {"_to_microseconds", "datetime"},
    {"_trans_local", "zoneinfo"}, {"_trans_utc", "zoneinfo"}, {"_ts_to_local", "zoneinfo"},
    {"_tti_before", "zoneinfo"}, {"_ttinfos", "zoneinfo"}, {"_tz_after", "zoneinfo"},
    {"_tzinfo", "datetime"}, {"_tzstr", "datetime"}, {"_underscore_numbers", "pprint"},
    {"_unhashable_values_", "enum"}, {"_unhashable_values_map_", "enum"},
    {"_unpickle", "zoneinfo"}, {"_unsupported_msg", "pathlib"}, {"_use_args_", "enum"},
    {"_userinfo", "urllib.parse"}, {"_utcoff_to_dstoff", "zoneinfo"}, {"_valid", "csv"},
    {"_validate", "csv"}, {"_value2member_map_", "enum"}, {"_value_", "enum"},
    {"_value_repr_", "enum"}, {"_vformat", "string"},
    {"_walk_symlinks_as_files", "pathlib"}, {"_weak_cache", "zoneinfo"},
    {"_width", "pprint"}, {"_wrap_chunks", "textwrap"}, {"_wrapcolumn", "difflib"},
    {"_year", "datetime"}, {"_ymd2ord", "zoneinfo"},
};
/* clang-format on */

const char *library_private(size_t at, const char **ret_module)
{
    if (at >= ARRAY_LEN(privates))
        return NULL;
    *ret_module = privates[at].module;
    return privates[at].name;
}

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
