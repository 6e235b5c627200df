// What --list says of any operation.
#pragma once
#include "devices.hpp"
#include <string>
#include <vector>

namespace fade::bench {

void print_line(const char* title, const std::vector<std::string>& words);

/// Devices, types and peers.
void print_held(const std::vector<runner_key>& held, const std::vector<std::string>& peers);

}  // namespace fade::bench
