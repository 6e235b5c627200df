// Operators over images: pooling, batch normalisation, resampling.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Answers `fade-bench images ...`: prints the answer; the exit code.
int images(std::span<const std::string_view> words);

/// The texts of --help and --list.
void print_images_help();
void print_images_list();

}  // namespace fade::bench
