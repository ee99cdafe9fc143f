// SPDX-License-Identifier: BSD-2-Clause-Patent
//! `feature.h`.

use std::ffi::{c_char, c_int};

use super::{exclusive, export, text};
use crate::feature::Dictionary;

/// Options of a feature extractor: keys and values.
#[derive(Default)]
pub struct VmafFeatureDictionary {
    pub(super) options: Dictionary,
}

/// Sets or replaces an option.
///
/// Makes the dictionary when `*dict` is NULL. Key and value are copied; a value that is a number is stored
/// with six significant digits. The caller owns the dictionary until a call that takes it.
///
/// Returns 0; -EINVAL for a NULL argument.
///
/// # Safety
/// `dict` is NULL or points to NULL or a dictionary; `key` and `val` are NULL or texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_feature_dictionary_set(
    dict: *mut *mut VmafFeatureDictionary,
    key: *const c_char,
    val: *const c_char,
) -> c_int {
    export!(vmaf_feature_dictionary_set, {
        // SAFETY: the function's contract, for all three.
        let (dict, key, val) = unsafe { (exclusive(dict, "dict")?, text(key, "key")?, text(val, "val")?) };
        if dict.is_null() {
            *dict = Box::into_raw(Box::default());
        }
        // SAFETY: not NULL now, and a dictionary by contract.
        unsafe { &mut **dict }.options.set(&key, &val);
        Ok(())
    })
}

/// Frees a dictionary and sets `*dict` to NULL.
///
/// Returns 0, also when `*dict` is NULL; -EINVAL for a NULL `dict`.
///
/// # Safety
/// `dict` is NULL or points to NULL or a dictionary that no call has taken.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vmaf_feature_dictionary_free(dict: *mut *mut VmafFeatureDictionary) -> c_int {
    export!(vmaf_feature_dictionary_free, {
        // SAFETY: the function's contract.
        let dict = unsafe { exclusive(dict, "dict")? };
        // SAFETY: a dictionary of ours that its owner gives up.
        drop(unsafe { take(std::mem::replace(dict, std::ptr::null_mut())) });
        Ok(())
    })
}

/// Takes a dictionary from its caller.
///
/// # Safety
/// `dict` is NULL or a dictionary that the caller owns and will not use again.
pub(super) unsafe fn take(dict: *mut VmafFeatureDictionary) -> Option<Box<VmafFeatureDictionary>> {
    // SAFETY: every dictionary came from Box::into_raw, and the caller gives it up.
    (!dict.is_null()).then(|| unsafe { Box::from_raw(dict) })
}
