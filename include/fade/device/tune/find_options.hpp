// When a find searches: the modes that users of MIOpen know, with their meanings.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fade/core/error.hpp>
#include <span>
#include <string>

namespace FADE_NAMESPACE {

/// What a find does about a problem. Numbers are those of MIOPEN_FIND_MODE.
enum class find_mode {
    normal = 1,            ///< searches, whatever is known
    fast = 2,              ///< takes the row; without one the model decides
    hybrid = 3,            ///< takes the row; without one it searches
    dynamic_hybrid = 5,    ///< as hybrid, without kernels that must be compiled first: FADE has none of those
    trust_verify = 6,      ///< takes the user's row, times one of the system again, and else searches
    trust_verify_full = 7  ///< the same, and a search has no budget
};

/// What a find does beside that. Numbers are those of MIOPEN_FIND_ENFORCE.
enum class find_enforce {
    none = 1,              ///< nothing
    db_update = 2,         ///< searches although there is a row, and replaces it
    search = 3,            ///< searches where there is none, whatever the mode
    search_db_update = 4,  ///< both
    db_clean = 5           ///< removes the user's row, and does not search
};

/// The word of a choice, as the environment has it.
constexpr const char* name(find_mode m) {
    constexpr const char* names[] = {"NORMAL",         "FAST",         "HYBRID",           "",
                                     "DYNAMIC_HYBRID", "TRUST_VERIFY", "TRUST_VERIFY_FULL"};
    return names[int(m) - 1];
}
/// The word of a choice, as the environment has it.
constexpr const char* name(find_enforce e) {
    constexpr const char* names[] = {"NONE", "DB_UPDATE", "SEARCH", "SEARCH_DB_UPDATE", "DB_CLEAN"};
    return names[int(e) - 1];
}

/// What a find is told.
struct find_options {
    find_mode mode = find_mode::dynamic_hybrid;  ///< what it does
    find_enforce enforce = find_enforce::none;   ///< and what it must do
    std::chrono::duration<double> budget{1};     ///< of a search; trust_verify_full has none
    double tolerance = 0.25;  ///< trust_verify: the part of a row's time that it may take longer now
};

namespace detail {

/// The choice of a word or a number, in any case of letters.
template <class Choice>
Choice choice_of(const char* variable, std::string word, std::span<const Choice> all) {
    const std::string given = word;
    std::ranges::transform(word, word.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    std::string names;
    for (const Choice c : all) {
        if (word == name(c) || word == std::to_string(int(c))) return c;
        names += (names.empty() ? "" : ", ") + std::string(name(c)) + " (" + std::to_string(int(c)) + ")";
    }
    throw error(variable, "'" + given + "'", "there are " + names);
}

}  // namespace detail

/// The find_mode of a word or its number. Throws fade::error for any other word.
inline find_mode find_mode_of(const std::string& word) {
    using enum find_mode;
    constexpr find_mode all[] = {normal, fast, hybrid, dynamic_hybrid, trust_verify, trust_verify_full};
    return detail::choice_of<find_mode>("FADE_FIND_MODE", word, all);
}
/// The find_enforce of a word or its number. Throws fade::error for any other word.
inline find_enforce find_enforce_of(const std::string& word) {
    using enum find_enforce;
    constexpr find_enforce all[] = {none, db_update, search, search_db_update, db_clean};
    return detail::choice_of<find_enforce>("FADE_FIND_ENFORCE", word, all);
}

/// `otherwise` with what FADE_FIND_MODE and FADE_FIND_ENFORCE say. An empty variable says nothing. Throws
/// fade::error for words that are none.
inline find_options find_options_of_environment(find_options otherwise = {}) {
    const char *mode = std::getenv("FADE_FIND_MODE"), *enforce = std::getenv("FADE_FIND_ENFORCE");
    if (mode && *mode) otherwise.mode = find_mode_of(mode);
    if (enforce && *enforce) otherwise.enforce = find_enforce_of(enforce);
    return otherwise;
}

}  // namespace FADE_NAMESPACE
