#include "stage.hpp"
#include "../../common/command_line.hpp"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace fade::bench {
namespace {

double add(double x, double o) { return x + o; }
double multiply(double x, double o) { return x * o; }
double relu(double x, double) { return std::isnan(x) ? x : std::max(x, 0.0); }
double gelu(double x, double) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); }
double sigmoid(double x, double) { return 1 / (1 + std::exp(-x)); }
double silu(double x, double) { return x / (1 + std::exp(-x)); }
double scale(double x, double) { return x * scale_factor; }
double clamp(double x, double) { return std::isnan(x) ? x : std::clamp(x, clamp_low, clamp_high); }

double drelu(double x, double o) { return o > 0 ? x : 0; }

double dgelu(double x, double o) {
    return x * (0.5 * std::erfc(-o / std::numbers::sqrt2) +
                o * std::exp(-0.5 * o * o) / std::sqrt(2 * std::numbers::pi));
}

double dsilu(double x, double o) {
    const double s = sigmoid(o, 0);
    return x * s * (1 + o * (1 - s));
}

/// 0.5 x (1 + tanh(u)), written so that nothing cancels where tanh(u) is near -1.
double gelu_tanh(double x, double) {
    const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * u));
}

/// The number of stages to insert, drop or replace to get from one chain to another.
std::size_t changes(const chain& a, const chain& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (const stage* s : a) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 1; j < row.size(); ++j) {
            const std::size_t replaced = diagonal + (s != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

const std::vector<stage>& stages() {
    using enum stage_operand;
    static const std::vector<stage> all = {
        {"bias", column, add, "adds one number a column"},
        {"bias_col", row, add, "adds one number a row"},
        {"relu", none, relu, "max(x, 0)"},
        {"gelu", none, gelu, "x (1 + erf(x / sqrt 2)) / 2"},
        {"gelu_tanh", none, gelu_tanh, "gelu by its approximation with tanh"},
        {"silu", none, silu, "x sigmoid(x)"},
        {"sigmoid", none, sigmoid, "1 / (1 + exp(-x))"},
        {"clamp", none, clamp, "limits x to [-1, 1]"},
        {"scale", none, scale, "multiplies by 0.5"},
        {"residual", output, add, "adds a matrix of the output's shape"},
        {"mul", output, multiply, "multiplies by a matrix of the output's shape"},
        {"drelu", output, drelu, "multiplies by the derivative of relu at such a matrix"},
        {"dgelu", output, dgelu, "the same of gelu"},
        {"dsilu", output, dsilu, "the same of silu"},
    };
    return all;
}

chain parse_chain(std::string_view text) {
    chain out;
    if (text == "none") return out;
    constexpr std::size_t max = 8;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t to = std::min(text.find('+', from), text.size());
        const auto found = std::ranges::find(stages(), text.substr(from, to - from), &stage::name);
        if (found == stages().end() || out.size() == max) {
            std::vector<std::string_view> names;
            for (const stage& s : stages()) names.push_back(s.name);
            throw tools::refusal("--epilogue is " + tools::quoted(text) + ", but must be none or up to " +
                                 std::to_string(max) + " stages joined with +, of " + tools::listed(names) +
                                 ".");
        }
        out.push_back(&*found);
        from = to + 1;
    }
    return out;
}

std::string name(const chain& c) {
    std::string out;
    for (const stage* s : c) out += (out.empty() ? "" : "+") + std::string(s->name);
    return out.empty() ? "none" : out;
}

std::string nearest_chain(const chain& asked, const std::vector<std::string>& held) {
    const auto distance = [&](const std::string& other) { return changes(asked, parse_chain(other)); };
    return *std::ranges::min_element(held, {}, distance);
}

const std::vector<std::string>& promised_chains() {
    static const std::vector<std::string> all = {"bias",      "relu",      "gelu",      "silu",
                                                 "residual",  "bias+relu", "bias+gelu", "bias+residual",
                                                 "bias+silu", "scale+bias"};
    return all;
}

}  // namespace fade::bench
