// What a command line asks of a relative of a matrix product.
#pragma once
#include "../matrix.hpp"
#include "../request.hpp"
#include "call.hpp"
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

/// How rows are spread over groups.
enum class group_rows { even, random, one };

/// The options as given, understood and checked against each other.
struct product_request : request {
    product_kind op{};
    index m = 0, n = 0, k = 0;
    std::optional<weight_kind> format{};
    std::optional<gate_kind> gate{};
    int groups = 0;
    group_rows rows = group_rows::random;
    int top_k = 0;
    int split_k = 0;  ///< 0: the library decides
    index batch = 1;

    bool has_groups() const { return groups > 0; }
    bool is_along_k() const { return op == product_kind::grouped_k_gemm; }
    /// Of the second matrix that A is multiplied by: gates halve what they get.
    index columns_of_b() const { return op == product_kind::moe ? 2 * n : n; }
    index columns_of_d() const {
        return op == product_kind::moe ? k : op == product_kind::gated_gemm ? n / 2 : n;
    }
    /// Rows of D: of batches and of groups along k those of all products.
    index rows_of_d() const { return (is_along_k() ? groups : batch) * m; }
    /// What lies in groups.
    index rows_in_groups() const { return is_along_k() ? k : m; }
    /// Rows of the products of groups.
    index rows_of_groups() const { return op == product_kind::moe ? m * top_k : m; }
};

constexpr bool takes_groups(product_kind op) {
    using enum product_kind;
    return op == grouped_gemm || op == grouped_k_gemm || op == grouped_weight_gemm || op == moe;
}
/// Is B another one for each group of rows?
constexpr bool has_groups_of_b(product_kind op) {
    using enum product_kind;
    return op == grouped_gemm || op == grouped_weight_gemm;
}
std::string_view name_of(product_kind op);
std::string_view name_of(weight_kind format);
std::string_view name_of(gate_kind gate);
std::string_view name_of(group_rows rows);
std::vector<std::string_view> product_names();
std::vector<std::string_view> weight_names();
std::vector<std::string_view> gate_names();

std::span<const tools::option> product_options_known();
std::vector<product_request> parse_products(std::span<const std::string_view> words);
nlohmann::ordered_json problem_of(const product_request& request);

/// What a problem reads and writes; D is the first that is written.
std::vector<matrix> matrices_of(const product_request& request);

}  // namespace fade::bench
