// Lists of products to tune: one a line, in JSON.
#pragma once
#include <fade/kernel/gemm/problem.hpp>
#include <string>
#include <vector>

namespace fade::tools {

/// {"m": 512, "n": 4096, "k": 4096, "layout": "nt", "batch": 1, "name": "q"}: the last three may be left out.
/// Throws refusal for a file that cannot be read, and for a line that is no product.
std::vector<gemm_problem> read_list(const std::string& path);

}  // namespace fade::tools
