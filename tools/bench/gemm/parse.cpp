#include "../../common/numbers.hpp"
#include "layout.hpp"
#include "request.hpp"

namespace fade::bench {
namespace {

using tools::command_line;
using tools::quoted;
using tools::refusal;

gemm_layout parse_layout(std::string_view word) {
    for (const layout_word& w : layout_words)
        if (word == w.name) return w.layout;
    throw refusal("--layout is " + quoted(word) + ", but must be nn, nt, tn or tt.");
}

int parse_split_k(std::string_view word) {
    constexpr int max = 65535;
    std::int64_t parts = 0;
    if (word == "auto") return 0;
    if (tools::is_number(word, parts) && parts >= 1 && parts <= max) return int(parts);
    throw refusal("--split-k is " + quoted(word) + ", but must be auto or a whole number from 1 to 65535.");
}

std::optional<index> parse_row(const command_line& line, std::string_view option) {
    const auto word = line.get(option);
    return word ? std::optional(tools::whole("--" + std::string(option), *word)) : std::nullopt;
}

std::vector<gemm_sizes> parse_sizes(const command_line& line) {
    const auto size = [&](const char* option) {
        return tools::whole("--" + std::string(option), line.need(option));
    };
    if (!line.has("grouped")) return {{size("m"), size("n"), size("k")}};
    for (const char* option : {"m", "n", "k", "batch", "lda", "ldb", "ldc"})
        if (line.has(option))
            throw refusal("--grouped takes its sizes from a file, so --" + std::string(option) +
                          " cannot be given beside it.");
    return read_groups(std::string(*line.get("grouped")));
}

void check_row(const char* option, std::optional<index> given, index min, const char* what) {
    if (given && *given < min)
        throw refusal("--" + std::string(option) + " is " + std::to_string(*given) + ", but a row of " +
                      what + " is " + std::to_string(min) + " elements long.");
}

/// Leading dimensions are at least a row, and nobody splits more products than there are.
void check_together(const gemm_request& r) {
    const auto [m, n, k] = r.sizes[0];  // with --grouped no rows are given
    check_row("lda", r.lda, turned_a(r.layout) ? m : k, "A");
    check_row("ldb", r.ldb, turned_b(r.layout) ? k : n, "B");
    check_row("ldc", r.ldc, n, "C");
    for (const gemm_sizes& s : r.sizes)
        if (r.split_k > 1 && s.k > 0 && r.split_k > s.k)
            throw refusal("--split-k is " + std::to_string(r.split_k) + ", but k is only " +
                          std::to_string(s.k) + ".");
    if (r.grouped && r.peer)
        throw refusal("--vs measures one problem, so --grouped cannot be given beside it.");
}

void parse_problem(const command_line& line, gemm_request& r) {
    r.sizes = parse_sizes(line);
    if (const auto w = line.get("layout")) r.layout = parse_layout(*w);
    if (const auto w = line.get("batch")) r.batch = tools::whole("--batch", *w);
    if (const auto w = line.get("alpha")) r.alpha = tools::real("--alpha", *w);
    if (const auto w = line.get("beta")) r.beta = tools::real("--beta", *w);
    if (const auto w = line.get("epilogue")) r.epilogue = parse_chain(*w);
    if (const auto w = line.get("split-k")) r.split_k = parse_split_k(*w);
    r.lda = parse_row(line, "lda"), r.ldb = parse_row(line, "ldb"), r.ldc = parse_row(line, "ldc");
}

gemm_request parse_one(const command_line& line) {
    gemm_request r;
    parse_common(line, r, {"d"});
    parse_problem(line, r);
    r.grouped = word_of(line, "grouped");
    check_together(r);
    return r;
}

}  // namespace

std::vector<gemm_request> parse_gemm(std::span<const std::string_view> words) {
    const command_line line("fade-bench gemm", gemm_options_known(), words);
    return each_request(line, {"m", "n", "k", "batch"}, parse_one);
}

std::vector<gemm_problem> gemm_request::problems() const {
    std::vector<gemm_problem> out;
    for (const auto& [m, n, k] : sizes) {
        gemm_problem p{
            .m = m, .n = n, .k = k, .layout = layout, .batch = batch, .alpha = alpha, .beta = beta};
        p.lda = lda.value_or(turned_a(layout) ? m : k);
        p.ldb = ldb.value_or(turned_b(layout) ? k : n);
        p.ldc = p.ldd = ldc.value_or(n);
        out.push_back(p);
    }
    return out;
}

}  // namespace fade::bench
