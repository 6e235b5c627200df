// What a command line asks of an operator over images.
#pragma once
#include "../request.hpp"
#include "call.hpp"
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

/// The options as given, understood and checked against each other.
struct image_request : request {
    image_problem problem{};
    int dims = 2;
};

/// The words of --op.
std::string_view name_of(image_operator op);
std::span<const std::string_view> image_operator_names();

/// The options of `fade-bench images`.
std::span<const tools::option> image_options_known();

/// Reads and checks the words after `images`: a request for each choice of the sizes that are listed.
std::vector<image_request> parse_images(std::span<const std::string_view> words);

/// The echo of the options.
nlohmann::ordered_json problem_of(const image_request& request);

/// Operations of the problem: a product and a sum for each pixel that an output is made of.
double operations_of(const image_request& request);

}  // namespace fade::bench
