// A test that lacks something on this machine says so in a line of its own: scripts/test counts these lines.
#pragma once
#include <cstdio>
#include <set>
#include <string>

namespace fade::test {

/// Says once what was not tried, and why.
inline void skipped(const std::string& what, const std::string& why) {
    static std::set<std::string> said;
    if (said.insert(what).second) std::printf("skipped: %s: %s\n", what.c_str(), why.c_str());
    std::fflush(stdout);
}

}  // namespace fade::test
