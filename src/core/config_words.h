/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config_words: whether one text of a configuration file is what its place wants: a
 * profile's name, a module, a path, a pattern. Each returns NULL, or what is wrong, as
 * the end of a sentence that begins with the text.
 */
#ifndef CORDON_CORE_CONFIG_WORDS_H
#define CORDON_CORE_CONFIG_WORDS_H

const char *config_wrong_name(const char *text);
const char *config_wrong_interpreter(const char *text);
const char *config_wrong_module(const char *text);
const char *config_wrong_view(const char *text);
const char *config_wrong_pattern(const char *text);
const char *config_wrong_kept(const char *text);
const char *config_wrong_setting(const char *text);
const char *config_wrong_cgroup(const char *text);

#endif
