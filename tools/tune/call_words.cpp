#include "tune/call_words.hpp"
#include "common/refusal.hpp"
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

namespace fade::tools {

namespace {
using json = nlohmann::json;

/// How a value is spelt: 12, 56,56 or nt.
enum class spelling { number, numbers, word };

/// An option of a call, and the operations that have it; `needs` are those that cannot do without.
struct call_word {
    option said;
    spelling as;
    std::string_view field, has, needs = "";  // operations between spaces
};

constexpr std::string_view row_words = " rms_norm layer_norm softmax log_softmax ";
constexpr call_word words[] = {
    {{"m", "N", "rows of D"}, spelling::number, "m", " gemm ", " gemm "},
    {{"n", "N", "columns of D; images of a convolution"},
     spelling::number,
     "n",
     " gemm conv ",
     " gemm conv "},
    {{"k", "N", "depth of a product; filters of a convolution"},
     spelling::number,
     "k",
     " gemm conv ",
     " gemm conv "},
    {{"layout", "LAYOUT", "nn, nt, tn or tt; nhwc or nchw"}, spelling::word, "layout", " gemm conv "},
    {{"batch", "N", "products, or sequences"}, spelling::number, "batch", " gemm attention "},
    {{"split-k", "N", "of the calls that will ask (default: 1, and on a GPU 0 as well)"},
     spelling::number,
     "split_k",
     " gemm "},
    {{"pass", "PASS", "fwd, bwd-data or bwd-weights"}, spelling::word, "pass", " conv "},
    {{"c", "N", "channels"}, spelling::number, "c", " conv ", " conv "},
    {{"in", "SIZES", "of an image, as 56,56"}, spelling::numbers, "in", " conv ", " conv "},
    {{"filter", "SIZES", "of a filter"}, spelling::numbers, "filter", " conv ", " conv "},
    {{"stride", "SIZES", "of a convolution"}, spelling::numbers, "stride", " conv "},
    {{"pad", "SIZES", "on both sides"}, spelling::numbers, "pad", " conv "},
    {{"dilation", "SIZES", "of a filter"}, spelling::numbers, "dilation", " conv "},
    {{"groups", "N", "of channels"}, spelling::number, "groups", " conv "},
    {{"heads", "N", "of queries"}, spelling::number, "heads", " attention ", " attention "},
    {{"kv-heads", "N", "of keys and values"}, spelling::number, "kv_heads", " attention "},
    {{"seq-q", "N", "queries"}, spelling::number, "seq_q", " attention ", " attention "},
    {{"seq-k", "N", "keys"}, spelling::number, "seq_k", " attention "},
    {{"head-dim", "N", "numbers of a head"}, spelling::number, "head_dim", " attention ", " attention "},
    {{"causal", "KIND", "bottom-right or top-left"}, spelling::word, "causal", " attention "},
    {{"rows", "N", "of a row operator"}, spelling::number, "rows", row_words, row_words},
    {{"columns", "N", "of a row operator"}, spelling::number, "columns", row_words, row_words},
};

bool stands_in(std::string_view operations, std::string_view op) {
    return operations.find(" " + std::string(op) + " ") != std::string_view::npos;
}

int number_of(std::string_view name, std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw refusal("--" + std::string(name) + " is " + tools::quoted(text) +
                      ", but it must be a whole number.");
    return value;
}

json value_of(const call_word& word, std::string_view text) {
    if (word.as == spelling::word) return std::string(text);
    if (word.as == spelling::number) return number_of(word.said.name, text);
    json list = json::array();
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        list.push_back(number_of(word.said.name, text.substr(at, end - at)));
        at = end + 1;
    }
    return list;
}

json line_of(const command_line& line, const std::string& op) {
    json out{{"op", op}};
    for (const call_word& word : words) {
        const std::string name(word.said.name);
        if (stands_in(word.needs, op) && !line.has(name))
            throw refusal("--op " + op + " needs --" + name + "; --help lists the options.");
        if (!line.has(name)) continue;
        if (!stands_in(word.has, op)) throw refusal("--" + name + " is no option of --op " + op + ".");
        out[std::string(word.field)] = value_of(word, *line.get(name));
    }
    return out;
}
}  // namespace

std::vector<option> call_options() {
    std::vector<option> out{{"op", "OP",
                             "run: one call instead of a list: gemm, conv, attention, rms_norm, layer_norm, "
                             "softmax or log_softmax, with"}};
    for (const call_word& word : words) out.push_back(word.said);
    return out;
}

std::string first_call_word(const command_line& line) {
    for (const option& o : call_options())
        if (line.has(o.name)) return std::string(o.name);
    return "";
}

listed_call call_of(const command_line& line) {
    const std::string op(line.need("op"));
    if (op != "gemm" && op != "conv" && op != "attention" && !stands_in(row_words, op))
        throw refusal("--op is " + tools::quoted(op) + ": there are " + all_operations() + ".");
    const json said = line_of(line, op);
    try {
        return {"", work_of(said)};
    } catch (const std::exception& e) {
        throw refusal("There is no such " + op + ": " + e.what() + ".");
    }
}

}  // namespace fade::tools
