// Databases of tuned policies as C has them. SQLite is known to instances/tuning.cpp alone.
#pragma once
#include <fade.h>
#include <fade/device/tune/find_options.hpp>
#include <fade/tune/tuned.hpp>
#include <memory>
#include <string>
#include <vector>

struct fade_tuning {
    std::unique_ptr<fade::tuned_policies> policies;
    std::string refused_writes;
};

/// What a find did, in C's words.
struct fade_found {
    std::int32_t source = FADE_FOUND_MODEL;
    std::string why, kind, policy, evidence, arch, traits;
    bool kept = false, whole = false;
    int candidates = 0;
    double nanoseconds = 0, model_nanoseconds = 0, noise = 0;
};

namespace fade::c {

/// Opens files as a database; throws fade::error where SQLite is not there. Null in a library without it.
using tuning_opener = fade_tuning (*)(const std::string& user, const std::vector<std::string>& system);
tuning_opener& opener_of_tuning();

/// A call that is a find.
struct find_request {
    fade_tuning* tuning;
    find_options options;
};

}  // namespace fade::c
