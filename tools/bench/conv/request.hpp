// What a command line asks of a convolution.
#pragma once
#include "../request.hpp"
#include <fade/kernel/conv/problem.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>

namespace fade::bench {

/// The options as given, understood and checked against each other.
struct conv_request : request {
    conv_pass pass = conv_pass::forward;
    int dims = 2;
    bool channels_first = false;      ///< --layout nchw
    std::optional<std::string> algo;  ///< the word, where it was given
    conv_algorithm algorithm = conv_algorithm::automatic;
    conv_problem problem;

    /// So many products make one element of the result, where no tap lies beside the image.
    index depth() const;
};

/// The words of --pass, --layout and --algo.
std::string_view name_of(conv_pass pass);
std::span<const std::string_view> conv_pass_names();
std::span<const std::string_view> conv_layout_names();
std::span<const std::string_view> conv_algo_names();

/// The options of `fade-bench conv`.
std::span<const tools::option> conv_options_known();

/// Reads and checks the words after `conv`: a request for each choice of the sizes that are listed.
std::vector<conv_request> parse_conv(std::span<const std::string_view> words);

/// The echo of the options.
nlohmann::ordered_json problem_of(const conv_request& request);

/// Two operations for each product, those with the zeros around images among them, as all libraries count.
double operations_of(const conv_request& request);

}  // namespace fade::bench
