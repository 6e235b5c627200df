// Databases of tuned policies as C has them. SQLite is known to instances/tuning.cpp alone.
#pragma once
#include <fade.h>
#include <fade/device/tune/find_options.hpp>
#include <fade/tune/database/row.hpp>
#include <fade/tune/tuned.hpp>
#include <memory>
#include <string>
#include <vector>

struct fade_tuning {
    std::unique_ptr<fade::tuned_policies> policies;
    std::string refused_writes;
    bool is_background = false;
    std::string failure;  ///< that fade_background_read gave last
};

/// What a find did, in C's words.
struct fade_found {
    std::int32_t source = FADE_FOUND_MODEL;
    std::string why, kind, policy, evidence, arch, traits;
    bool kept = false, whole = false;
    int candidates = 0;
    double nanoseconds = 0, model_nanoseconds = 0, noise = 0, drift = 0;
    bool of_model = false;
};

namespace fade::c {

/// What of databases knows SQLite. Opening throws fade::error where it is not there; a budget above 0 opens
/// one with a thread.
struct tuning_functions {
    fade_tuning (*open)(const std::string& user, const std::vector<std::string>& system, double budget);
    std::vector<tune::tuning_row> (*rows)(const tuned_policies&);
    void (*put)(tuned_policies&, const tune::tuning_row&);
    bool (*remove)(tuned_policies&, const tune::tuning_row&);
    fade_background_numbers (*progress)(const tuned_policies&, std::string& failure);
};
/// Null in a library without SQLite.
const tuning_functions*& functions_of_tuning();

/// A call that is a find, or a verification of the row that there is.
struct find_request {
    fade_tuning* tuning;
    find_options options;
    bool verifies = false;
};

/// Gives a background the problem of a call's arguments; false where its budget is spent.
using background_caller = bool (*)(tuned_policies&, const void* arguments, int threads);

}  // namespace fade::c
