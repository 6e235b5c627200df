// The operation gemm.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Answers `fade-bench gemm ...`: prints the answer; the exit code.
int gemm(std::span<const std::string_view> words);

/// The texts of --help and --list.
void print_gemm_help();
void print_gemm_list();

}  // namespace fade::bench
