// Lengths on the device that say more than the problem: no kernel goes beyond what the problem names, and the
// keys that exist are attended to.
#include <cmath>
#include <doctest/doctest.h>
#include <fade/attention.hpp>
#include <fade/primitives.hpp>
#include <random>
#include <vector>

namespace {

struct lengths_case {
    fade::attention_problem problem;
    std::vector<int> lengths_q, lengths_k, table;
};

template <class Device>
std::vector<float> attended(Device& device, const lengths_case& c, const std::vector<float>& q,
                            const std::vector<float>& k, const std::vector<float>& v) {
    std::vector<float> o(q.size(), -7.0f);
    fade::attention_operands<float> x{.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
    if (!c.lengths_q.empty()) x.lengths_q = c.lengths_q.data();
    x.lengths_k = c.lengths_k.data();
    if (!c.table.empty()) x.block_table = c.table.data();
    fade::attention<float>(device, c.problem, x);
    return o;
}

/// The same bits with lengths that say too much, or less than nothing, as with those that are meant.
template <class Device>
void check(Device& device, const lengths_case& right, const std::vector<int>& wrong_k) {
    std::mt19937 random(std::random_device{}());
    std::normal_distribution<float> normal;
    const auto& p = right.problem;
    const auto filled = [&](fade::index size) {
        std::vector<float> out(static_cast<std::size_t>(size));
        for (float& x : out) x = normal(random);
        return out;
    };
    const fade::index pages = right.table.empty() ? 0 : fade::index(right.table.size());
    const fade::index keys = pages ? pages * p.page_size : right.lengths_k.back();
    const auto q = filled(p.batch * p.seq_q * p.heads * p.head_dim), k = filled(keys * p.head_dim),
               v = filled(keys * p.head_dim);
    lengths_case wrong = right;
    wrong.lengths_k = wrong_k;
    CHECK(attended(device, right, q, k, v) == attended(device, wrong, q, k, v));
}

template <class Device>
void check_all(Device& device) {
    // One query over one page, as decoding has it, and a sequence that ends before it begins.
    fade::attention_problem paged{.batch = 2, .seq_q = 1, .seq_k = 16, .head_dim = 64};
    paged.page_size = 16, paged.table_width = 1;
    check(device, {paged, {}, {0, 16, 32}, {1, 0}}, {0, 16 + 5, 16 + 5 + 1000});
    check(device, {paged, {}, {0, 0, 16}, {1, 0}}, {0, -3, 13});
    // Many queries over packed keys.
    const fade::attention_problem packed{
        .seq_q = 40, .seq_k = 70, .head_dim = 64, .causal = fade::causal_kind::top_left};
    check(device, {packed, {}, {0, 70}, {}}, {0, 1000000});
    // Rows that are copied first.
    const fade::attention_problem copied{.seq_q = 20, .seq_k = 33, .head_dim = 63};
    check(device, {copied, {}, {0, 33}, {}}, {0, 99});
}

}  // namespace

TEST_CASE("lengths beyond the keys that the problem names, on the host") {
    fade::host_device host;
    check_all(host);
}

TEST_CASE("lengths beyond the keys that the problem names, emulated") {
    fade::emulated_device<fade::arch::gfx942> cdna;
    check_all(cdna);
}

TEST_CASE("logarithms in memory of a tensor are refused") {
    fade::host_device host;
    std::vector<float> q(8 * 64, 1.0f), k(q), v(q), o(q.size(), -7.0f);
    const fade::attention_problem p{.seq_q = 8, .seq_k = 8, .head_dim = 64};
    for (float* lse : {q.data(), k.data() + 3, v.data(), o.data()}) {
        fade::attention_operands<float> x{.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
        x.lse = lse;
        std::string argument;
        try {
            fade::attention<float>(host, p, x);
        } catch (const fade::error& e) {
            argument = e.argument();
        }
        CHECK(argument == "lse");
        CHECK(o[5] == -7.0f);
    }
}

// ---- contiguous keys and values of which each sequence has its own number

namespace {

/// Caches of 50 positions, one a sequence, of which 7 and 50 are filled; the others hold NaN.
struct filled_caches {
    static constexpr int batch = 2, capacity = 50, dim = 64;
    fade::attention_problem problem{.batch = batch, .seq_q = 1, .seq_k = capacity, .head_dim = dim};
    std::vector<float> q, k, v;
    std::vector<int> counts{7, 50}, begins{0, 7, 57};

    filled_caches() {
        std::random_device seed;
        std::mt19937 random(seed());
        std::normal_distribution<float> normal;
        for (int i = 0; i < batch * dim; ++i) q.push_back(normal(random));
        for (std::vector<float>* of : {&k, &v})
            for (int i = 0; i < batch * capacity * dim; ++i)
                of->push_back(i / dim % capacity < counts[std::size_t(i / dim / capacity)] ? normal(random)
                                                                                           : std::nanf(""));
    }
    fade::attention_operands<float> operands(std::vector<float>& o) const {
        return {.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
    }
    /// Of one sequence, in f64.
    std::vector<float> expected() const {
        std::vector<float> o;
        for (int b = 0; b < batch; ++b) {
            std::vector<double> sum(dim);
            double all = 0;
            for (int j = 0; j < counts[std::size_t(b)]; ++j) {
                const float *key = &k[std::size_t((b * capacity + j) * dim)],
                            *value = &v[std::size_t((b * capacity + j) * dim)];
                double score = 0;
                for (int d = 0; d < dim; ++d) score += double(q[std::size_t(b * dim + d)]) * double(key[d]);
                const double weight = std::exp(score / 8);
                all += weight;
                for (int d = 0; d < dim; ++d) sum[std::size_t(d)] += weight * double(value[d]);
            }
            for (double x : sum) o.push_back(float(x / all));
        }
        return o;
    }
};

template <class Device>
void attends_to_what_is_filled(Device& device) {
    const filled_caches caches;
    std::vector<float> o(caches.q.size(), -7.0f);
    auto x = caches.operands(o);
    x.counts_k = caches.counts.data();
    fade::attention<float>(device, caches.problem, x);
    const std::vector<float> expected = caches.expected();
    for (std::size_t i = 0; i < o.size(); ++i) CHECK(o[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

/// The same keys side by side, and where they begin from a scan on the device.
template <class Device>
void attends_to_what_is_packed(Device& device) {
    const filled_caches caches;
    const auto packed = [&](const std::vector<float>& from) {
        std::vector<float> out;
        for (int b = 0; b < caches.batch; ++b) {
            const auto begin = from.begin() + b * caches.capacity * caches.dim;
            out.insert(out.end(), begin, begin + caches.counts[std::size_t(b)] * caches.dim);
        }
        return out;
    };
    std::vector<float> k = packed(caches.k), v = packed(caches.v), o(caches.q.size(), -7.0f);
    std::vector<int> lengths{0, -1, -1};
    fade::inclusive_scan(device, {.count = caches.batch}, caches.counts.data(), lengths.data() + 1);
    fade::attention<float>(
        device, caches.problem,
        {.q = caches.q.data(), .k = k.data(), .v = v.data(), .o = o.data(), .lengths_k = lengths.data()});
    const std::vector<float> expected = caches.expected();
    for (std::size_t i = 0; i < o.size(); ++i) CHECK(o[i] == doctest::Approx(expected[i]).epsilon(1e-4));
}

}  // namespace

TEST_CASE("cumulative lengths are scanned on the device") {
    fade::host_device host;
    attends_to_what_is_packed(host);
    fade::emulated_device<fade::arch::gfx942> cdna;
    attends_to_what_is_packed(cdna);
}

TEST_CASE("counts of each sequence leave it at its batch stride") {
    fade::host_device host;
    attends_to_what_is_filled(host);
    fade::emulated_device<fade::arch::gfx942> cdna;
    attends_to_what_is_filled(cdna);
}

TEST_CASE("cumulative lengths pack sequences, so a batch stride beside them is refused, as are two kinds") {
    fade::host_device host;
    filled_caches caches;
    std::vector<float> o(caches.q.size(), -7.0f);
    const std::vector<int> ones{0, 1, 2};
    const auto argument = [&](auto spoil) -> std::string {
        auto p = caches.problem;
        auto x = caches.operands(o);
        spoil(p, x);
        try {
            fade::attention<float>(host, p, x);
        } catch (const fade::error& e) {
            return e.argument();
        }
        return "";
    };
    const fade::attention_strides apart{3200, 64, 64}, packed{0, 64, 64};
    const auto keys = [&](auto& x) { x.lengths_k = caches.begins.data(); };
    const auto queries = [&](auto& x) { x.lengths_q = ones.data(); };
    CHECK(argument([&](auto& p, auto& x) { keys(x), p.k_strides = apart; }) == "k_strides");
    CHECK(argument([&](auto& p, auto& x) { keys(x), p.v_strides = apart; }) == "v_strides");
    CHECK(argument([&](auto& p, auto& x) { queries(x), p.q_strides = apart; }) == "q_strides");
    CHECK(argument([&](auto& p, auto& x) { queries(x), p.o_strides = apart; }) == "o_strides");
    CHECK(argument([&](auto&, auto& x) { keys(x), x.counts_k = caches.counts.data(); }) == "counts_k");
    CHECK(argument([&](auto&, auto& x) { queries(x), x.counts_q = caches.counts.data(); }) == "counts_q");
    CHECK(o[0] == -7.0f);
    CHECK(argument([&](auto& p, auto& x) { keys(x), p.k_strides = p.v_strides = packed; }) == "");
    CHECK(argument([&](auto& p, auto& x) { keys(x), p.batch = 1, p.k_strides = apart; }) == "");
}
