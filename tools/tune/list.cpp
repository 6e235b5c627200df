#include "tune/list.hpp"
#include "common/refusal.hpp"
#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

namespace fade::tools {

namespace {
using json = nlohmann::json;

int number_of(const json& value, const std::string& name, int min, int max) {
    if (!value.is_number_integer() || value.get<double>() < min || value.get<double>() > max)
        throw refusal(name + " is no whole number of " + std::to_string(min) + " to " + std::to_string(max));
    return value.get<int>();
}
constexpr int max_size = 1 << 20;
int size_of(const json& line, const char* name) { return number_of(line.at(name), name, 1, max_size); }
int size_of(const json& line, const char* name, int otherwise) {
    return line.contains(name) ? size_of(line, name) : otherwise;
}

void check_names(const json& line, std::span<const std::string_view> known, const char* what) {
    for (const auto& [name, value] : line.items())
        if (std::ranges::find(known, name) == known.end() && name != "op" && name != "name")
            throw refusal(tools::quoted(name) + " is no part of " + what);
}

/// The one of the choices whose name() a word is.
template <class Choice>
Choice choice_of(const json& line, const char* name_of_field, std::span<const Choice> all, Choice otherwise) {
    if (!line.contains(name_of_field)) return otherwise;
    const auto word = line.at(name_of_field).get<std::string>();
    std::string there;
    for (const Choice c : all) {
        if (word == name(c)) return c;
        there += (there.empty() ? "" : ", ") + std::string(name(c));
    }
    throw refusal(std::string(name_of_field) + " is " + tools::quoted(word) + ": there are " + there);
}

product_work product_of(const json& line) {
    using enum gemm_layout;
    constexpr std::string_view known[] = {"m", "n", "k", "layout", "batch", "split_k"};
    constexpr gemm_layout layouts[] = {nn, nt, tn, tt};
    check_names(line, known, "a product");
    product_work out{{.m = size_of(line, "m"),
                      .n = size_of(line, "n"),
                      .k = size_of(line, "k"),
                      .layout = choice_of<gemm_layout>(line, "layout", layouts, nn),
                      .batch = size_of(line, "batch", 1)}};
    if (line.contains("split_k")) out.split_k = number_of(line.at("split_k"), "split_k", 0, 4096);
    return out;
}

/// One to three numbers, the last of w.
template <class Axes>
Axes axes_of(const json& line, const char* name, int min, Axes out) {
    if (!line.contains(name)) return out;
    const json& list = line.at(name);
    if (!list.is_array() || list.empty() || list.size() > 3)
        throw refusal(std::string(name) + " is no list of one to three numbers");
    int* const axes[] = {&out.w, &out.h, &out.d};
    for (std::size_t i = 0; i < list.size(); ++i)
        *axes[i] = number_of(list[list.size() - 1 - i], name, min, max_size);
    return out;
}

conv_pass pass_of_line(const json& line) {
    const std::string word = line.value("pass", "fwd");
    if (word == "fwd") return conv_pass::forward;
    if (word == "bwd-data") return conv_pass::backward_data;
    if (word == "bwd-weights") return conv_pass::backward_weights;
    throw refusal("pass is " + tools::quoted(word) + ": there are fwd, bwd-data and bwd-weights");
}

conv_work convolution_of(const json& line) {
    constexpr std::string_view known[] = {"pass",   "n",   "c",        "k",      "in",    "filter",
                                          "stride", "pad", "dilation", "groups", "layout"};
    check_names(line, known, "a convolution");
    const std::string layout = line.value("layout", "nhwc");
    if (layout != "nhwc" && layout != "nchw")
        throw refusal("layout is " + tools::quoted(layout) + ": there are nhwc and nchw");
    if (!line.contains("in") || !line.contains("filter")) throw refusal("in and filter are wanted");
    conv_problem p{
        .batch = size_of(line, "n"), .channels = size_of(line, "c"), .filters = size_of(line, "k")};
    p.input = axes_of(line, "in", 1, spatial{}), p.filter = axes_of(line, "filter", 1, spatial{});
    p.stride = axes_of(line, "stride", 1, spatial{}), p.dilation = axes_of(line, "dilation", 1, spatial{});
    p.pad = axes_of(line, "pad", 0, margins{});
    p.groups = size_of(line, "groups", 1);
    p.layout = layout == "nchw" ? conv_layout::channels_first : conv_layout::channels_last;
    return {pass_of_line(line), kernel::checked(p)};
}

attention_problem attention_of(const json& line) {
    using enum causal_kind;
    constexpr std::string_view known[] = {"batch", "heads",    "kv_heads", "seq_q",
                                          "seq_k", "head_dim", "causal"};
    constexpr causal_kind kinds[] = {none, bottom_right, top_left};
    check_names(line, known, "an attention");
    attention_problem p{.batch = size_of(line, "batch", 1), .heads = size_of(line, "heads")};
    p.kv_heads = size_of(line, "kv_heads", int(p.heads));
    p.seq_q = size_of(line, "seq_q"), p.seq_k = size_of(line, "seq_k", int(p.seq_q));
    p.head_dim = size_of(line, "head_dim");
    p.causal = choice_of<causal_kind>(line, "causal", kinds, none);
    return kernel::checked(p);
}

rows_work rows_of(const json& line, row_operator what) {
    constexpr std::string_view known[] = {"rows", "columns"};
    check_names(line, known, "a row operator");
    return {what, size_of(line, "rows"), size_of(line, "columns")};
}
}  // namespace

std::string all_operations() {
    std::string out = "gemm, conv, attention";
    for (const row_operator what : row_operators)
        out += (what == row_operators.back() ? " and " : ", ") + std::string(name(what));
    return out;
}

work work_of(const json& line) {
    const std::string op = line.value("op", "gemm");
    if (op == "gemm") return product_of(line);
    if (op == "conv") return convolution_of(line);
    if (op == "attention") return attention_of(line);
    for (const row_operator what : row_operators)
        if (op == name(what)) return rows_of(line, what);
    throw refusal("op is " + tools::quoted(op) + ": there are " + all_operations());
}

std::vector<listed_call> read_list(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw refusal("The list " + tools::quoted(path) + " cannot be read.");
    std::vector<listed_call> out;
    for (std::string text; std::getline(file, text);) {
        try {
            const json line = json::parse(text);
            out.push_back({line.value("name", ""), work_of(line)});
        } catch (const std::exception& e) {
            std::string why = e.what();  // which may quote half a character
            std::ranges::replace_if(why, [](unsigned char c) { return c >= 127; }, '?');
            throw refusal("Line " + std::to_string(out.size() + 1) + " is no call: " + why + ".");
        }
    }
    if (out.empty()) throw refusal("The list " + tools::quoted(path) + " has no line.");
    return out;
}

}  // namespace fade::tools
