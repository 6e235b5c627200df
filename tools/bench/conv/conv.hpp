// The operation convolution.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Answers `fade-bench conv ...`: prints the answer; the exit code.
int conv(std::span<const std::string_view> words);

/// The texts of --help and --list.
void print_conv_help();
void print_conv_list();

}  // namespace fade::bench
