#include "../../common/numbers.hpp"
#include "data.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;

constexpr std::string_view names[] = {"sort",   "sort_pairs",       "scan",      "select",
                                      "reduce", "segmented_reduce", "histogram", "top_k"};

primitive_kind parse_op(std::string_view word) {
    const auto found = std::ranges::find(names, word);
    if (found == std::end(names))
        throw refusal("--op is " + quoted(word) + ", but the primitives are " +
                      tools::listed(std::vector<std::string_view>{std::begin(names), std::end(names)}) + ".");
    return primitive_kind(found - std::begin(names));
}

primitive_request parse_one(const command_line& line) {
    primitive_request r;
    r.op = parse_op(line.need("op"));
    r.count = tools::whole("--count", line.need("count"));
    if (r.count >= index(1) << 31)
        throw refusal("--count is " + std::to_string(r.count) + ", but a list has fewer than 2^31 elements.");
    if (r.op == primitive_kind::top_k)
        r.k = tools::whole("--k", line.need("k"));
    else if (line.has("k"))
        throw refusal("--k is how many top_k finds, but --op is " + std::string(name_of(r.op)) + ".");
    if (r.k && *r.k > r.count)
        throw refusal("--k is " + std::to_string(*r.k) + ", but the list has " + std::to_string(r.count) +
                      " elements.");
    parse_common(line, r, primitives_written(r));
    if (r.out != r.in)
        throw refusal("--out-dtype is " + std::string(r.out->name) +
                      ", but a primitive's results have the type of what it reads.");
    if (r.op == primitive_kind::scan && r.in->bytes < 4)
        throw refusal("--dtype is " + std::string(r.in->name) + ", but scans take f32.");
    if (r.capture) throw refusal("--capture writes FADE's own kernels, and a primitive's are the vendor's.");
    return r;
}

}  // namespace

std::string_view name_of(primitive_kind op) { return names[std::size_t(op)]; }
std::span<const std::string_view> primitive_names() { return names; }

std::span<const tools::option> primitive_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of the list", "that of the list",
        {
            {"op", "NAME", "sort, sort_pairs, scan, select, reduce, segmented_reduce, histogram or top_k"},
            {"count", "N", "elements of the list"},
            {"k", "N", "top_k: how many of the largest, up to all"},
        });
    return known;
}

std::vector<primitive_request> parse_primitives(std::span<const std::string_view> words) {
    const command_line line("fade-bench primitives", primitive_options_known(), words);
    return each_request(line, {"count", "k"}, parse_one);
}

nlohmann::ordered_json problem_of(const primitive_request& r) {
    nlohmann::ordered_json out{{"op", name_of(r.op)}, {"count", r.count}};
    if (r.k) out["k"] = *r.k;
    if (r.strict) out["strict"] = true;
    return out;
}

}  // namespace fade::bench
