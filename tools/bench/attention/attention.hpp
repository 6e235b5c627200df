// The operation attention.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Answers `fade-bench attention ...`: prints the answer; the exit code.
int attention(std::span<const std::string_view> words);

/// The texts of --help and --list.
void print_attention_help();
void print_attention_list();

}  // namespace fade::bench
