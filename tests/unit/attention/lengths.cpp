// Lengths on the device that say more than the problem: no kernel goes beyond what the problem names, and the
// keys that exist are attended to.
#include <cmath>
#include <doctest/doctest.h>
#include <fade/attention.hpp>
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
