// A call asks for a tuned policy, and says what it heard.
#pragma once
#include <fade/tune/policy_json.hpp>
#include <fade/tune/tuned.hpp>
#include <optional>
#include <string>

namespace FADE_NAMESPACE::tune {

/// What a source holds for a call, read as a policy of the operation's.
template <class Policy>
struct answer {
    std::optional<Policy> policy{};  ///< of an exact or a near row
    bool exact = false;              ///< is it of this very problem?
    std::string evidence{};          ///< of the row
};

/// Asks, and adds what was heard to `why`. Where there is a policy, words_of_use() must follow.
template <class Policy>
answer<Policy> ask(const tuned_policies& source, const tuning_problem& problem, const tuning_machine& machine,
                   std::string& why) {
    const tuned_policy found = source.find(problem, machine);
    why += "; " + found.why;
    if (found.match != tuned_match::exact && found.match != tuned_match::near) return {};
    answer<Policy> out{read_policy<Policy>(found.policy), found.match == tuned_match::exact, found.evidence};
    if (!out.policy) why += ", which is not used: its policy is none of this version of FADE";
    return out;
}

/// Why a row decides or does not.
inline std::string words_of_use(const std::string& obstacle) {
    return obstacle.empty() ? ", which decides" : ", which is not used: " + obstacle;
}

}  // namespace FADE_NAMESPACE::tune
