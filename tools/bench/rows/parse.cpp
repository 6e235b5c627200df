#include "../../common/numbers.hpp"
#include "data.hpp"
#include "request.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;

constexpr std::string_view operator_names[] = {"rms_norm",      "layer_norm", "softmax", "log_softmax",
                                               "cross_entropy", "sum",        "mean",    "max",
                                               "argmax",        "top_k"};

std::vector<std::string_view> all_names() { return {std::begin(operator_names), std::end(operator_names)}; }

row_operator parse_op(std::string_view word) {
    const auto found = std::ranges::find(operator_names, word);
    if (found == std::end(operator_names))
        throw refusal("--op is " + quoted(word) + ", but the row operators are " +
                      tools::listed(all_names()) + ".");
    return row_operator(found - std::begin(operator_names));
}

bool parse_backward(const command_line& line, row_operator op) {
    const auto pass = line.get("pass");
    if (!pass || *pass == "fwd") return false;
    if (*pass != "bwd") throw refusal("--pass is " + quoted(*pass) + ", but must be fwd or bwd.");
    if (op > row_operator::cross_entropy)
        throw refusal("--pass is bwd, but " + std::string(name_of(op)) +
                      " has no backward pass; rms_norm, layer_norm, softmax, log_softmax and cross_entropy "
                      "have one.");
    return true;
}

std::optional<int> parse_k(const command_line& line, row_operator op) {
    constexpr int max = 64;
    if (op != row_operator::top_k) {
        if (line.has("k"))
            throw refusal("--k is how many top_k finds, but --op is " + std::string(name_of(op)) + ".");
        return std::nullopt;
    }
    const std::string_view word = line.need("k");
    int k = 0;
    if (tools::is_number(word, k) && k >= 1 && k <= max) return k;
    throw refusal("--k is " + quoted(word) + ", but must be a whole number from 1 to 64.");
}

bool parse_along(const command_line& line, row_operator op) {
    const auto along = line.get("along");
    if (!along) return false;
    if (*along != "rows" && *along != "columns")
        throw refusal("--along is " + quoted(*along) + ", but must be rows or columns.");
    if (op < row_operator::sum)
        throw refusal("--along is of sum, mean, max, argmax and top_k, but --op is " +
                      std::string(name_of(op)) + ".");
    return *along == "columns";
}

/// Places are whole numbers, and nothing else is.
void parse_output(const command_line& line, rows_request& r) {
    const element& places = element_of(fade::dtype::i32);
    if (r.op == row_operator::argmax && !line.has("out-dtype")) r.out = &places;
    if ((r.op == row_operator::argmax) == (r.out == &places)) return;
    throw refusal("--out-dtype is " + std::string(r.out->name) + ", but " + std::string(name_of(r.op)) +
                  (r.out == &places ? " gives real numbers." : " gives places, which are i32."));
}

rows_request parse_one(const command_line& line) {
    rows_request r;
    r.op = parse_op(line.need("op"));
    r.backward = parse_backward(line, r.op), r.residual = line.has("residual");
    if (r.residual && !r.norm())
        throw refusal("--residual is added before rms_norm and layer_norm, but --op is " +
                      std::string(name_of(r.op)) + ".");
    r.k = parse_k(line, r.op);
    r.of_columns = parse_along(line, r.op), r.along = word_of(line, "along");
    r.rows = tools::whole("--rows", line.need("rows"));
    r.columns = tools::whole("--columns", line.need("columns"));
    parse_common(line, r, names_written(r));
    parse_output(line, r);
    return r;
}

}  // namespace

std::string_view name_of(row_operator op) { return operator_names[std::size_t(op)]; }

std::span<const std::string_view> row_operator_names() { return operator_names; }

std::vector<rows_request> parse_rows(std::span<const std::string_view> words) {
    const command_line line("fade-bench rows", rows_options_known(), words);
    return each_request(line, {"rows", "columns", "k"}, parse_one);
}

double operations_of(const rows_request& r) {
    constexpr double forward[] = {4, 7, 5, 5, 4, 1, 1, 1, 1, 1}, backward[] = {11, 14, 4, 4, 4};
    const std::size_t op = std::size_t(r.op);
    return double(r.rows) * double(r.columns) * (r.backward ? backward[op] : forward[op]);
}

}  // namespace fade::bench
