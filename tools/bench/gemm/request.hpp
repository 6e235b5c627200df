// What a command line asks of a matrix multiplication.
#pragma once
#include "../request.hpp"
#include "stage.hpp"
#include <fade/kernel/gemm/problem.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

struct gemm_sizes {
    index m, n, k;
};

/// The options as given, understood and checked against each other.
struct gemm_request : request {
    std::vector<gemm_sizes> sizes;  ///< one, or one a line of --grouped
    gemm_layout layout = gemm_layout::nn;
    index batch = 1;
    double alpha = 1, beta = 0;
    std::optional<index> lda, ldb, ldc;
    chain epilogue;
    int split_k = 1;  ///< 0: the library decides
    std::optional<std::string> grouped;

    /// The problems to run, one after the other.
    std::vector<gemm_problem> problems() const;
};

/// The options of `fade-bench gemm`.
std::span<const tools::option> gemm_options_known();

/// Reads and checks the words after `gemm`: a request for each choice of the sizes that are listed.
std::vector<gemm_request> parse_gemm(std::span<const std::string_view> words);

/// The echo of the options.
nlohmann::ordered_json problem_of(const gemm_request& request);

/// The sizes in a file of lines `m n k`.
std::vector<gemm_sizes> read_groups(const std::string& path);

}  // namespace fade::bench
