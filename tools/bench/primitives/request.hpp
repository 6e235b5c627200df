// What a command line asks of a primitive.
#pragma once
#include "../matrix.hpp"
#include "../request.hpp"
#include "call.hpp"
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

/// The options as given, understood and checked against each other.
struct primitive_request : request {
    primitive_kind op{};
    index count = 0;
    std::optional<index> k;  ///< of top_k

    /// Segments of segmented_reduce: of 256 elements each, on average.
    index segments() const { return (count + 255) / 256; }
};

std::string_view name_of(primitive_kind op);
std::span<const std::string_view> primitive_names();
std::span<const tools::option> primitive_options_known();
std::vector<primitive_request> parse_primitives(std::span<const std::string_view> words);
nlohmann::ordered_json problem_of(const primitive_request& request);

/// What a problem reads and writes, the main result first of what is written.
std::vector<matrix> lists_of(const primitive_request& request);

}  // namespace fade::bench
