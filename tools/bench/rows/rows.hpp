// The row operators.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Answers `fade-bench rows ...`: prints the answer; the exit code.
int rows(std::span<const std::string_view> words);

/// The texts of --help and --list.
void print_rows_help();
void print_rows_list();

}  // namespace fade::bench
