#include "../../common/numbers.hpp"
#include "check.hpp"
#include "weights.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;
using kind = product_kind;

constexpr std::string_view names[] = {"weight_gemm",         "scaled_gemm",  "grouped_gemm", "grouped_k_gemm",
                                      "grouped_weight_gemm", "batched_gemm", "gated_gemm",   "moe"};
constexpr std::string_view formats[] = {"gptq", "awq", "int8_rows", "mxfp4", "mxfp8", "nvfp4"};
constexpr std::string_view gates[] = {"swiglu", "geglu"};
constexpr std::string_view spreads[] = {"even", "random", "one"};

/// The place of an option's word in a list of all that it may be.
template <class T, std::size_t N>
T choice_of(std::string_view option, std::string_view word, const std::string_view (&all)[N]) {
    const auto found = std::ranges::find(all, word);
    if (found == std::end(all))
        throw refusal("--" + std::string(option) + " is " + quoted(word) + ", but must be one of " +
                      tools::listed(std::vector<std::string_view>{std::begin(all), std::end(all)}) + ".");
    return T(found - std::begin(all));
}

/// As "x, y and z".
std::string together(const std::vector<kind>& all) {
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i)
        out += std::string(i == 0                ? ""
                           : i + 1 == all.size() ? " and "
                                                 : ", ") +
               std::string(names[std::size_t(all[i])]);
    return out;
}

/// Options of some operations are refused beside the others.
void refuse_foreign(const command_line& line, kind op) {
    struct owned {
        std::string_view option;
        std::vector<kind> of;
    };
    const std::vector<kind> grouping{kind::grouped_gemm, kind::grouped_k_gemm, kind::grouped_weight_gemm,
                                     kind::moe};
    const owned all[] = {{"format", {kind::weight_gemm, kind::grouped_weight_gemm}},
                         {"split-k", {kind::weight_gemm}},
                         {"gate", {kind::gated_gemm}},
                         {"batch", {kind::batched_gemm}},
                         {"groups", grouping},
                         {"rows-of-groups", grouping},
                         {"top-k", {kind::moe}}};
    for (const owned& o : all)
        if (line.has(o.option) && !std::ranges::count(o.of, op))
            throw refusal("--" + std::string(o.option) + " is of " + together(o.of) + ", but --op is " +
                          std::string(names[std::size_t(op)]) + ".");
}

int small(const command_line& line, const char* option) {
    constexpr index most = 65536;
    const std::string name = "--" + std::string(option);
    const index out = tools::whole(name, line.need(option), 1);
    if (out > most)
        throw refusal(name + " is " + std::to_string(out) + ", but at most 65536 are taken here.");
    return int(out);
}

int parse_split_k(std::string_view word) {
    constexpr int most = 4096;
    std::int64_t parts = 0;
    if (word == "auto") return 0;
    if (tools::is_number(word, parts) && parts >= 1 && parts <= most) return int(parts);
    throw refusal("--split-k is " + quoted(word) + ", but must be auto or a whole number from 1 to 4096.");
}

void parse_groups(const command_line& line, product_request& r) {
    r.groups = small(line, "groups");
    if (const auto word = line.get("rows-of-groups"))
        r.rows = choice_of<group_rows>("rows-of-groups", *word, spreads);
    if (r.op != kind::moe) return;
    r.top_k = small(line, "top-k");
    if (r.top_k > std::min(r.groups, 64))
        throw refusal("--top-k is " + std::to_string(r.top_k) + ", but of " + std::to_string(r.groups) +
                      " experts a token gets at most " + std::to_string(std::min(r.groups, 64)) + ".");
}

/// What formats and gates want of sizes: matrices have whole words.
void check_sizes(const product_request& r) {
    const index step = r.format ? std::max<index>(32, group_of(*r.format)) : 1;
    if (r.k % step != 0)
        throw refusal("--k is " + std::to_string(r.k) + ", but " + std::string(name_of(*r.format)) +
                      " has groups, so k must be a multiple of " + std::to_string(step) + ".");
    const bool words = r.format == weight_kind::gptq || r.format == weight_kind::awq;
    if (words && r.n % 8 != 0)
        throw refusal("--n is " + std::to_string(r.n) + ", but " + std::string(name_of(*r.format)) +
                      " has words of 8 columns, so n must be a multiple of 8.");
    if (r.op == kind::gated_gemm && r.n % 2 != 0)
        throw refusal("--n is " + std::to_string(r.n) + ", but a gate pairs columns, so n must be even.");
    if (r.rows_of_groups() >= index(1) << 31)
        throw refusal("--m is " + std::to_string(r.m) + ", but fewer than 2^31 rows are taken.");
}

product_request parse_one(const command_line& line) {
    product_request r;
    r.op = choice_of<kind>("op", line.need("op"), names);
    refuse_foreign(line, r.op);
    r.m = tools::whole("--m", line.need("m")), r.n = tools::whole("--n", line.need("n")),
    r.k = tools::whole("--k", line.need("k"));
    if (r.op == kind::weight_gemm || r.op == kind::grouped_weight_gemm)
        r.format = choice_of<weight_kind>("format", line.need("format"), formats);
    if (r.op == kind::gated_gemm) r.gate = choice_of<gate_kind>("gate", line.need("gate"), gates);
    if (takes_groups(r.op)) parse_groups(line, r);
    if (r.op == kind::batched_gemm) r.batch = small(line, "batch");
    if (const auto word = line.get("split-k")) r.split_k = parse_split_k(*word);
    parse_common(line, r, products_written(r));
    check_sizes(r);
    if (r.capture) throw refusal("--capture is not of products yet; gemm, attention, conv and rows have it.");
    return r;
}

}  // namespace

std::string_view name_of(kind op) { return names[std::size_t(op)]; }
std::string_view name_of(weight_kind format) { return formats[std::size_t(format)]; }
std::vector<std::string_view> product_names() { return {std::begin(names), std::end(names)}; }
std::vector<std::string_view> weight_names() { return {std::begin(formats), std::end(formats)}; }
std::string_view name_of(gate_kind gate) { return gates[std::size_t(gate)]; }
std::string_view name_of(group_rows rows) { return spreads[std::size_t(rows)]; }
std::vector<std::string_view> gate_names() { return {std::begin(gates), std::end(gates)}; }

std::span<const tools::option> product_options_known() {
    static const std::vector<tools::option> known = with_common_options(
        "element type of A; but for weights and 8-bit floats of B too",
        "element type of D; by default that of A, of 8-bit floats bf16",
        {
            {"op", "NAME",
             "weight_gemm, scaled_gemm, grouped_gemm, grouped_k_gemm, grouped_weight_gemm, batched_gemm, "
             "gated_gemm or moe"},
            {"m", "N", "rows of D: of all groups, along k of each; of moe the tokens"},
            {"n", "N",
             "columns of the product, of which a gate makes half; of moe what an expert has inside"},
            {"k", "N", "products summed for an element, along k of all groups; of moe what a token has"},
            {"format", "NAME", "products with weights: gptq, awq, int8_rows, mxfp4, mxfp8 or nvfp4"},
            {"split-k", "N|auto", "weight_gemm: workgroups that share the products of one element; auto"},
            {"gate", "NAME", "gated_gemm: swiglu or geglu"},
            {"batch", "N", "batched_gemm: products, found by tables of pointers"},
            {"groups", "N", "grouped products: matrices B, along k matrices D; moe: experts"},
            {"rows-of-groups", "even|random|one",
             "as many rows in each group; many in some and few in others (random); all in one, of moe in "
             "top-k"},
            {"top-k", "N", "moe: experts of a token"},
        });
    return known;
}

std::vector<product_request> parse_products(std::span<const std::string_view> words) {
    const command_line line("fade-bench products", product_options_known(), words);
    return each_request(line, {"m", "n", "k", "batch", "groups", "top-k"}, parse_one);
}

}  // namespace fade::bench
