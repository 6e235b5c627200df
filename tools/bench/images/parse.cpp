#include "../sizes.hpp"
#include "data.hpp"
#include <fade/kernel/batch_norm/check.hpp>
#include <fade/kernel/pool/check.hpp>
#include <fade/kernel/sample/check.hpp>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;
using enum image_operator;

constexpr std::string_view operator_names[] = {"max_pool", "avg_pool",   "batch_norm", "batch_norm_inference",
                                               "upsample", "grid_sample"},
                           pass_names[] = {"fwd", "bwd"}, layout_names[] = {"nhwc", "nchw"},
                           upsample_modes[] = {"nearest", "nearest_exact", "linear"},
                           grid_modes[] = {"linear", "nearest"},
                           paddings[] = {"zeros", "border", "reflection"};
constexpr const char *of_pooling = "max_pool and avg_pool", *of_samples = "upsample and grid_sample";

image_operator parse_op(std::string_view word) {
    const auto found = std::ranges::find(operator_names, word);
    if (found != std::end(operator_names)) return image_operator(found - std::begin(operator_names));
    throw refusal("--op is " + quoted(word) + ", but the operators over images are " +
                  tools::listed(operator_names) + ".");
}

/// An option that other operators have says so.
void refuse_foreign(const command_line& line, image_operator op) {
    struct owned {
        const char *option, *of;
        bool has;
    };
    const bool pools = op <= avg_pool, samples = op >= upsample;
    const owned all[] = {{"window", of_pooling, pools},
                         {"stride", of_pooling, pools},
                         {"pad", of_pooling, pools},
                         {"dilation", of_pooling, pools},
                         {"ceil-mode", of_pooling, pools},
                         {"exclude-pad", "avg_pool", op == avg_pool},
                         {"out", of_samples, samples},
                         {"mode", of_samples, samples},
                         {"align-corners", of_samples, samples},
                         {"padding", "grid_sample", op == grid_sample}};
    for (const owned& o : all)
        if (line.has(o.option) && !o.has)
            throw refusal("--" + std::string(o.option) + " is of " + o.of + ", but --op is " +
                          std::string(name_of(op)) + ".");
}

void parse_pooling(const command_line& line, int dims, pool_problem& p) {
    static_cast<void>(line.need("window"));
    parse_sizes(line, "window", dims, 1, p.window), parse_sizes(line, "stride", dims, 1, p.stride);
    parse_sizes(line, "pad", dims, 0, p.pad), parse_sizes(line, "dilation", dims, 1, p.dilation);
    p.ceil_mode = line.has("ceil-mode"), p.count_include_pad = !line.has("exclude-pad");
}

void parse_samples(const command_line& line, int dims, image_problem& p) {
    static_cast<void>(line.need("out"));
    parse_sizes(line, "out", dims, 1, p.up.output);
    p.grid.output = p.up.output;
    p.up.align_corners = p.grid.align_corners = line.has("align-corners");
    if (p.op == upsample) {
        p.up.mode = upsample_mode(one_of(line, "mode", upsample_modes));
        return;
    }
    p.grid.mode = grid_mode(one_of(line, "mode", grid_modes));
    p.grid.padding = grid_padding(one_of(line, "padding", paddings));
    if (dims == 1) throw refusal("--in lists 1 size, but grid_sample has images of 2 or 3 dimensions.");
    p.grid.dimensions = dims;
}

void check_possible(image_problem& p) {
    try {
        if (p.pools()) p.pool = kernel::checked(p.pool);
        if (p.norms()) kernel::check_batch_norm(p.norm);
        if (p.op == upsample) kernel::check(p.up);
        if (p.op == grid_sample) kernel::check(p.grid);
    } catch (const fade::error& e) {
        throw refusal(std::string(e.what()) + ".");
    }
}

image_problem parse_problem(const command_line& line, int dims) {
    image_problem p;
    p.op = parse_op(line.need("op"));
    refuse_foreign(line, p.op);
    p.backward = one_of(line, "pass", pass_names) == 1;
    if (p.backward && p.op == batch_norm_inference)
        throw refusal("--pass is bwd, but batch_norm_inference has no backward pass; batch_norm has one.");
    p.pool.batch = size_number("--n", line.need("n"), 0);
    p.pool.channels = size_number("--c", line.need("c"), 0);
    parse_sizes(line, "in", dims, 1, p.pool.input);
    p.pool.layout = conv_layout(one_of(line, "layout", layout_names));
    const auto same_images = [&](auto& other, spatial& size) {
        other.batch = p.pool.batch, other.channels = p.pool.channels, other.layout = p.pool.layout;
        size = p.pool.input;
    };
    same_images(p.norm, p.norm.size), same_images(p.up, p.up.input), same_images(p.grid, p.grid.input);
    if (p.pools()) parse_pooling(line, dims, p.pool);
    if (p.op >= upsample) parse_samples(line, dims, p);
    check_possible(p);
    return p;
}

image_request parse_one(const command_line& line) {
    image_request r;
    r.dims = dimensions_of(line, "in");
    r.problem = parse_problem(line, r.dims);
    parse_common(line, r, names_written(r.problem));
    if (r.out != r.in)
        throw refusal("--out-dtype is " + std::string(r.out->name) +
                      ", but results have the type of the images.");
    if (r.capture) throw refusal("--capture is not of images; tests/replay/run captures those operators.");
    return r;
}

}  // namespace

std::string_view name_of(image_operator op) { return operator_names[std::size_t(op)]; }
std::span<const std::string_view> image_operator_names() { return operator_names; }

std::span<const tools::option> image_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of images: f32, f16 or bf16", "that of the images",
        {
            {"op", "NAME", "max_pool, avg_pool, batch_norm, batch_norm_inference, upsample or grid_sample"},
            {"pass", "fwd|bwd", "the operator, or its gradients; fwd"},
            {"n", "N", "images; n and c may list several sizes, as 1,8,32"},
            {"c", "N", "channels"},
            {"in", "SIZES", "pixels of x along each dimension, as 56,56"},
            {"layout", "nhwc|nchw", "channels last, or before the dimensions of an image; nhwc"},
            {"window", "SIZES", "pooling: taps along each dimension"},
            {"stride", "SIZES", "pooling: pixels of x between windows; those of a window"},
            {"pad", "SIZES", "pooling: room before and behind x; 0"},
            {"dilation", "SIZES", "pooling: pixels of x between taps; 1"},
            {"ceil-mode", "", "pooling: a last window may reach beyond the room"},
            {"exclude-pad", "", "avg_pool: means do not count the room"},
            {"out", "SIZES", "upsample, grid_sample: pixels of y along each dimension"},
            {"mode", "MODE", "upsample: nearest, nearest_exact or linear; grid_sample: linear or nearest"},
            {"padding", "zeros|border|reflection", "grid_sample: what lies outside; zeros"},
            {"align-corners", "", "upsample, grid_sample: corners lie on each other"},
        });
    return known;
}

std::vector<image_request> parse_images(std::span<const std::string_view> words) {
    const command_line line("fade-bench images", image_options_known(), words);
    return each_request(line, {"n", "c"}, parse_one);
}

nlohmann::ordered_json problem_of(const image_request& r) {
    const image_problem& p = r.problem;
    const auto sizes = [&](const auto& s) { return listed_sizes(s, r.dims); };
    nlohmann::ordered_json out{{"op", name_of(p.op)},     {"pass", pass_names[p.backward]},
                               {"n", p.batch()},          {"c", p.channels()},
                               {"in", sizes(p.input())},  {"layout", layout_names[p.channels_first()]},
                               {"out", sizes(p.output())}};
    if (p.pools()) {
        out["window"] = sizes(p.pool.window), out["stride"] = sizes(p.pool.stride);
        out["pad"] = sizes(p.pool.pad), out["dilation"] = sizes(p.pool.dilation);
        out["ceil_mode"] = p.pool.ceil_mode;
        if (p.op == avg_pool) out["exclude_pad"] = !p.pool.count_include_pad;
    }
    if (p.op == upsample) out["mode"] = name(p.up.mode);
    if (p.op == grid_sample) out["mode"] = name(p.grid.mode), out["padding"] = name(p.grid.padding);
    if (p.op >= upsample) out["align_corners"] = p.up.align_corners;
    if (r.strict) out["strict"] = true;
    return out;
}

double operations_of(const image_request& r) {
    const image_problem& p = r.problem;
    const double outputs = double(p.batch()) * p.channels() * double(p.output().volume());
    if (p.pools()) return 2 * outputs * double(p.pool.window.volume());
    if (p.norms()) return outputs * (p.backward ? 11 : p.op == batch_norm ? 7 : 4);
    const bool linear =
        p.op == upsample ? p.up.mode == upsample_mode::linear : p.grid.mode == grid_mode::linear;
    return 2 * outputs * (linear ? double(1 << r.dims) : 1);
}

}  // namespace fade::bench
