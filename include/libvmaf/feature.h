/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Made by cbindgen from src/capi/; see tests/headers.rs. */

#ifndef __VMAF_FEATURE_H__
#define __VMAF_FEATURE_H__

/**
 * Options of a feature extractor: keys and values.
 */
typedef struct VmafFeatureDictionary VmafFeatureDictionary;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Sets or replaces an option.
 *
 * Makes the dictionary when `*dict` is NULL. Key and value are copied; a value that is a number is stored
 * with six significant digits. The caller owns the dictionary until a call that takes it.
 *
 * Returns 0; -EINVAL for a NULL argument.
 *
 * # Safety
 * `dict` is NULL or points to NULL or a dictionary; `key` and `val` are NULL or texts.
 */
int vmaf_feature_dictionary_set(struct VmafFeatureDictionary **dict, const char *key, const char *val);

/**
 * Frees a dictionary and sets `*dict` to NULL.
 *
 * Returns 0, also when `*dict` is NULL; -EINVAL for a NULL `dict`.
 *
 * # Safety
 * `dict` is NULL or points to NULL or a dictionary that no call has taken.
 */
int vmaf_feature_dictionary_free(struct VmafFeatureDictionary **dict);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* __VMAF_FEATURE_H__ */
