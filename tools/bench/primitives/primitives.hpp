// fade-bench primitives.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Runs the words after `primitives`; the exit code.
int primitives(std::span<const std::string_view> words);

void print_primitives_help();
void print_primitives_list();

}  // namespace fade::bench
