// fade-bench products.
#pragma once
#include <span>
#include <string_view>

namespace fade::bench {

/// Runs the words after `products`; the exit code.
int products(std::span<const std::string_view> words);

void print_products_help();
void print_products_list();

}  // namespace fade::bench
