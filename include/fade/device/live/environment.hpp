// The variables that change what a runtime shows.
#pragma once
#include <fade/device/truth/notes.hpp>
#include <string>
#include <string_view>

extern "C" char** environ;

namespace FADE_NAMESPACE::live {

inline void read_environment(truth::readings& r) {
    for (char** at = environ; at && *at; ++at) {
        const std::string_view row(*at);
        const std::size_t equals = row.find('=');
        if (equals != std::string_view::npos && truth::changes_answers(row.substr(0, equals)))
            r.environment.emplace(row.substr(0, equals), row.substr(equals + 1));
    }
}

}  // namespace FADE_NAMESPACE::live
