#include "../sizes.hpp"
#include "data.hpp"
#include "request.hpp"
#include <algorithm>
#include <fade/kernel/conv/check.hpp>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::refusal;

constexpr std::string_view pass_names[] = {"fwd", "bwd-data", "bwd-weights"},
                           layout_names[] = {"nhwc", "nchw"},
                           algo_names[] = {"auto",        "implicit_gemm", "direct", "im2col",
                                           "winograd_f2", "winograd_f4",   "mec",    "fft"};

int parse_dims(const command_line& line) {
    return line.has("dims") ? checked_dimensions(size_number("--dims", *line.get("dims"), 1))
                            : dimensions_of(line, "in");
}

conv_problem parse_problem(const command_line& line, int dims) {
    conv_problem p;
    p.batch = size_number("--n", line.need("n"), 0), p.channels = size_number("--c", line.need("c"), 0);
    p.filters = size_number("--k", line.need("k"), 0);
    if (const auto groups = line.get("groups")) p.groups = size_number("--groups", *groups, 1);
    static_cast<void>(line.need("in")), static_cast<void>(line.need("filter"));
    parse_sizes(line, "in", dims, 1, p.input), parse_sizes(line, "filter", dims, 1, p.filter);
    parse_sizes(line, "stride", dims, 1, p.stride), parse_sizes(line, "pad", dims, 0, p.pad);
    parse_sizes(line, "dilation", dims, 1, p.dilation);
    try {
        return kernel::checked(p);
    } catch (const fade::error& e) {
        throw refusal(std::string(e.what()) + ".");
    }
}

void parse_algo(const command_line& line, conv_request& r) {
    r.algo = word_of(line, "algo");
    r.algorithm = conv_algorithm(one_of(line, "algo", algo_names));
}

conv_request parse_one(const command_line& line) {
    conv_request r;
    r.pass = conv_pass(one_of(line, "pass", pass_names));
    r.dims = parse_dims(line);
    r.channels_first = one_of(line, "layout", layout_names) == 1;
    parse_algo(line, r);
    parse_common(line, r, {result_name(r.pass)});
    if ((r.algorithm == conv_algorithm::im2col || is_transformed(r.algorithm)) &&
        r.device.starts_with("emulated"))
        throw refusal("--algo is " + *r.algo +
                      ", but emulated devices have implicit_gemm, direct and mec alone.");
    if (r.algorithm == conv_algorithm::fft && r.in->type != fade::dtype::f32)
        throw refusal("--algo is fft, which fade-bench holds for f32 alone.");
    if (r.in->integer && r.pass != conv_pass::forward)
        throw refusal("--pass is " + std::string(name_of(r.pass)) + ", but " + std::string(r.in->name) +
                      " has fwd alone.");
    r.problem = parse_problem(line, r.dims);
    if (r.channels_first) r.problem.layout = conv_layout::channels_first;
    return r;
}

}  // namespace

std::string_view name_of(conv_pass pass) { return pass_names[int(pass)]; }
std::span<const std::string_view> conv_pass_names() { return pass_names; }
std::span<const std::string_view> conv_layout_names() { return layout_names; }
std::span<const std::string_view> conv_algo_names() { return algo_names; }

std::vector<conv_request> parse_conv(std::span<const std::string_view> words) {
    const command_line line("fade-bench conv", conv_options_known(), words);
    return each_request(line, {"n", "c", "k"}, parse_one);
}

index conv_request::depth() const {
    const conv_problem& p = problem;
    if (pass == conv_pass::forward) return p.filter.volume() * (p.channels / p.groups);
    if (pass == conv_pass::backward_data) return p.filter.volume() * (p.filters / p.groups);
    return p.batch * p.output().volume();
}

double operations_of(const conv_request& r) {
    const conv_problem& p = r.problem;
    return 2 * double(p.batch) * double(p.output().volume()) * double(p.filters) * double(p.filter.volume()) *
           double(p.channels / p.groups);
}

}  // namespace fade::bench
