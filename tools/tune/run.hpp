// fade-tune run: times the products of a list on this CPU, and keeps what wins.
#pragma once
#include <chrono>
#include <fade/kernel/gemm/problem.hpp>
#include <string>
#include <vector>

namespace fade::tools {

/// Tunes in f32 until all products are done, the budget is spent or Ctrl-C is pressed; prints a line of JSON
/// a product. Products of which the database has a row are passed over. Each row is kept as soon as it is
/// found.
void tune_list(const std::vector<gemm_problem>& list, const std::string& database, int threads,
               std::chrono::duration<double> budget);

}  // namespace fade::tools
