#include "../../common/numbers.hpp"
#include "request.hpp"
#include <algorithm>
#include <numeric>

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;

void parse_pass(const command_line& line) {
    const auto pass = line.get("pass");
    if (!pass || *pass == "fwd") return;
    if (*pass == "bwd")
        throw refusal("--pass is 'bwd', but FADE has only the forward pass of attention: take --pass fwd.");
    throw refusal("--pass is " + quoted(*pass) + ", but must be fwd.");
}

/// "5,17,300" as numbers; an empty word or part is no number.
std::vector<index> whole_numbers(const char* option, std::string_view words, index min) {
    std::vector<index> out;
    for (std::size_t from = 0; from <= words.size();) {
        const std::size_t to = std::min(words.find(',', from), words.size());
        out.push_back(tools::whole(option, words.substr(from, to - from), min));
        from = to + 1;
    }
    return out;
}

index size_of(const command_line& line, const char* option) {
    return tools::whole("--" + std::string(option), line.need(option));
}

/// Lengths begin at places that are 32-bit numbers.
void parse_lengths(const command_line& line, std::string_view words, attention_request& r) {
    for (const char* option : {"seq-q", "seq-k"})
        if (line.has(option))
            throw refusal("--varlen gives the lengths of all sequences, so --" + std::string(option) +
                          " cannot be given beside it.");
    constexpr double max = 2147483647;
    r.lengths = whole_numbers("A length of --varlen", words, 0);
    if (std::accumulate(r.lengths->begin(), r.lengths->end(), 0.0) > max)
        throw refusal("--varlen adds up to more than 2147483647 positions.");
    if (line.has("batch") && r.batch != index(r.lengths->size()))
        throw refusal("--batch is " + std::to_string(r.batch) + ", but --varlen lists " +
                      std::to_string(r.lengths->size()) + " sequences.");
    r.batch = index(r.lengths->size());
    r.seq_q = r.seq_k = *std::ranges::max_element(*r.lengths);
}

/// One for each sequence; without --batch and --varlen there are as many sequences.
void parse_starts(const command_line& line, std::string_view words, attention_request& r) {
    r.starts = whole_numbers("A first key of --starts-k", words, 0);
    if (!r.lengths && !line.has("batch")) r.batch = index(r.starts->size());
    if (index(r.starts->size()) != r.batch)
        throw refusal("--starts-k lists " + std::to_string(r.starts->size()) + " first keys, but there are " +
                      std::to_string(r.batch) + " sequences.");
    for (index b = 0; b < r.batch; ++b)
        if (r.first_key(b) > r.keys(b))
            throw refusal("--starts-k begins sequence " + std::to_string(b) + " at key " +
                          std::to_string(r.first_key(b)) + ", but it has " + std::to_string(r.keys(b)) + ".");
}

void parse_sizes(const command_line& line, attention_request& r) {
    if (line.has("batch")) r.batch = size_of(line, "batch");
    r.heads = size_of(line, "heads"), r.head_dim = size_of(line, "head-dim");
    if (line.has("head-dim-v")) r.head_dim_v = tools::whole("--head-dim-v", line.need("head-dim-v"), 1);
    r.kv_heads = line.has("kv-heads") ? size_of(line, "kv-heads") : r.heads;
    if (r.kv_heads == 0 && r.heads > 0)
        throw refusal("--kv-heads is 0, but --heads is " + std::to_string(r.heads) +
                      ", which must be a multiple of it.");
    if (const auto words = line.get("varlen"))
        parse_lengths(line, *words, r);
    else
        r.seq_q = size_of(line, "seq-q"), r.seq_k = size_of(line, "seq-k");
    if (const auto words = line.get("starts-k")) parse_starts(line, *words, r);
    if (const auto w = line.get("page")) r.page = tools::whole("--page", *w, 1);
}

void parse_causal(const command_line& line, attention_request& r) {
    const auto word = line.get("causal");
    if (!word) return;
    r.causal = causal_kind::bottom_right, r.causal_named = !word->empty();
    if (*word == "top-left")
        r.causal = causal_kind::top_left;
    else if (r.causal_named && *word != "bottom-right")
        throw refusal("--causal is " + quoted(*word) +
                      ", but must be top-left, bottom-right or without a value.");
}

/// A causal mask is a window that ends at the query; another end beside it would not act.
void parse_window(const command_line& line, attention_request& r) {
    const auto words = line.get("window");
    if (!words) return;
    const auto ends = whole_numbers("An end of --window", *words, -1);
    if (ends.size() != 2)
        throw refusal("--window is " + quoted(*words) + ", but must be two numbers, as 127,0.");
    if (r.causal != causal_kind::none && ends[1] > 0)
        throw refusal("--window ends " + std::to_string(ends[1]) +
                      " keys after a query, but with --causal it ends at the query: give 0 or -1.");
    r.window = {ends[0], ends[1]};
}

/// A number that an f32 can hold and that is far enough from its ends for products.
double moderate(const char* option, std::string_view word) {
    const double x = tools::real(option, word);
    if (x == 0 || (std::abs(x) >= 1e-30 && std::abs(x) <= 1e30)) return x;
    throw refusal(std::string(option) + " is " + quoted(word) +
                  ", but its size must be between 1e-30 and 1e30.");
}

void parse_rules(const command_line& line, attention_request& r) {
    parse_causal(line, r);
    parse_window(line, r);
    if (const auto w = line.get("scale")) r.scale = moderate("--scale", *w);
    if (r.scale == 0.0) throw refusal("--scale is 0, but must be a number beside 0.");
    if (const auto w = line.get("softcap")) r.softcap = moderate("--softcap", *w);
    if (r.softcap && *r.softcap <= 0)
        throw refusal("--softcap is " + quoted(*line.get("softcap")) + ", but must be above 0.");
    if (const auto w = line.get("dropout")) r.dropout = tools::real("--dropout", *w);
    if (r.dropout && !(*r.dropout >= 0 && *r.dropout < 1))
        throw refusal("--dropout is " + quoted(*line.get("dropout")) +
                      ", but must be at least 0 and below 1.");
    if (r.starts && r.dropout)
        throw refusal(
            "--dropout draws its numbers for four keys at a time, so --starts-k cannot be given beside it.");
    r.alibi = line.has("alibi"), r.bias = line.has("bias"), r.sink = line.has("sink");
}

/// Factors are what gives numbers of 8 bits their range; the others have one of their own.
std::optional<bool> parse_scales(const command_line& line, const attention_request& r) {
    const auto word = line.get("scales");
    if (!word) return std::nullopt;
    if (*word != "tensor" && *word != "head")
        throw refusal("--scales is " + quoted(*word) + ", but must be tensor or head.");
    if (r.in->bytes != 1)
        throw refusal(
            "--scales is given, but --dtype is " + std::string(r.in->name) +
            ", and only 8-bit types are measured with factors: take one of those, or leave --scales out.");
    return *word == "head";
}

int parse_split_kv(std::string_view word) {
    constexpr int max = 4096;
    std::int64_t parts = 0;
    if (word == "auto") return 0;
    if (tools::is_number(word, parts) && parts >= 1 && parts <= max) return int(parts);
    throw refusal("--split-kv is " + quoted(word) + ", but must be auto or a whole number from 1 to 4096.");
}

attention_request parse_one(const command_line& line) {
    attention_request r;
    parse_common(line, r, {"o", "lse"});
    parse_pass(line);
    parse_sizes(line, r);
    parse_rules(line, r);
    r.head_scales = parse_scales(line, r);
    if (const auto w = line.get("split-kv")) r.split_kv = parse_split_kv(*w);
    return r;
}

}  // namespace

std::vector<attention_request> parse_attention(std::span<const std::string_view> words) {
    const command_line line("fade-bench attention", attention_options_known(), words);
    return each_request(line, {"batch", "heads", "kv-heads", "seq-q", "seq-k", "head-dim", "head-dim-v"},
                        parse_one);
}

attention_problem attention_request::problem() const {
    return {.batch = batch,
            .heads = heads,
            .kv_heads = kv_heads,
            .seq_q = seq_q,
            .seq_k = seq_k,
            .head_dim = head_dim,
            .head_dim_v = value_dim(),
            .causal = causal,
            .window_left = left(),
            .window_right = right(),
            .scale = scale.value_or(0),
            .softcap = softcap.value_or(0),
            .dropout = dropout.value_or(0),
            .seed = seed,
            .page_size = page.value_or(0)};
}

double operations_of(const attention_request& r) {
    double pairs = 0;
    for (index b = 0; (r.lengths || r.starts) && b < r.batch; ++b)
        pairs += double(r.queries(b)) * double(r.keys(b) - r.first_key(b));
    if (!r.lengths && !r.starts) pairs = double(r.batch) * double(r.seq_q) * double(r.seq_k);
    return (r.causal == causal_kind::none ? 2 : 1) * pairs * double(r.heads) *
           (double(r.head_dim) + double(r.value_dim()));
}

}  // namespace fade::bench
