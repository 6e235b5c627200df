// The variables that change what a runtime shows.
#pragma once
#include <fade/device/truth/notes.hpp>
#include <map>
#include <string>
#include <string_view>

extern "C" char** environ;

namespace FADE_NAMESPACE::live {

/// The variables whose name `wanted` takes.
template <class Wanted>
std::map<std::string, std::string> variables_of(Wanted wanted) {
    std::map<std::string, std::string> out;
    for (char** at = environ; at && *at; ++at) {
        const std::string_view row(*at);
        const std::size_t equals = row.find('=');
        if (equals != std::string_view::npos && wanted(row.substr(0, equals)))
            out.emplace(row.substr(0, equals), row.substr(equals + 1));
    }
    return out;
}

inline void read_environment(truth::readings& r) { r.environment = variables_of(truth::changes_answers); }

}  // namespace FADE_NAMESPACE::live
