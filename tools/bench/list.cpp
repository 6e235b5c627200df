#include "list.hpp"
#include <cstdio>

namespace fade::bench {

void print_line(const char* title, const std::vector<std::string>& words) {
    std::printf("  %-11s%s\n", title, words.empty() ? "none" : tools::listed(words).c_str());
}

void print_held(const std::vector<runner_key>& held, const std::vector<std::string>& peers) {
    print_line("devices", devices_of(held));
    print_line("types", types_of(held));
    print_line("peers", peers);
}

}  // namespace fade::bench
