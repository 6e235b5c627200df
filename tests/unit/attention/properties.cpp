// What must hold between attentions, whatever their numbers: other places, other tilings and other devices of
// the same problem.
#include "common/attention_reference.hpp"
#include "common/some_kernels.hpp"
#include <cstring>
#include <doctest/doctest.h>

using namespace fade;
using test::attention_case, test::attention_data;

namespace {

/// Heads have up to 64 dimensions.
template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{64, 64}>;

template <class T>
using data = attention_data<T, float>;

/// Computes, and says what is wrong.
template <class Device, class T>
std::string wrong_on(Device& device, data<T>& x, int split_kv = 0) {
    attention<T, float>(device, x.problem, x.operands(), {.split_kv = split_kv});
    return test::wrong_with(x);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// Gives the rows of `to` what the rows of `from` hold, wherever either lie.
template <class T>
void copy_inputs(const data<T>& from, data<T>& to) {
    const attention_problem& p = from.problem;
    for (fade::index b = 0; b < p.batch; ++b)
        for (fade::index d = 0; d < p.head_dim; ++d) {
            for (fade::index h = 0; h < p.heads; ++h)
                for (fade::index i = 0; i < from.queries(b); ++i)
                    to.q[to.query_at(b, i, h) + d] = from.q[from.query_at(b, i, h) + d];
            for (fade::index h = 0; h < p.kv_heads; ++h)
                for (fade::index j = 0; j < from.keys(b); ++j)
                    to.k[to.key_at(b, j, h) + d] = from.k[from.key_at(b, j, h) + d],
                                              to.v[to.key_at(b, j, h) + d] = from.v[from.key_at(b, j, h) + d];
        }
}

/// Calls f with the host and with devices whose kernels differ: all in registers, weights through shared
/// memory, WMMA.
template <class F>
void each_device(F f) {
    host_device cpu(2);
    some_kernels<arch::gfx942> mfma;
    some_kernels<arch::gfx1030> vector;
    some_kernels<arch::gfx1100> wmma;
    f(cpu), f(mfma), f(vector), f(wmma);
}

/// Two heads over one, and no whole number of tiles of queries or keys.
attention_case grouped(causal_kind causal = causal_kind::none) {
    return {.problem = {.batch = 2,
                        .heads = 2,
                        .kv_heads = 1,
                        .seq_q = 70,
                        .seq_k = 150,
                        .head_dim = 40,
                        .causal = causal},
            .seed = 5};
}

template <class T>
double largest_difference(const data<T>& a, const data<T>& b) {
    double max = 0;
    for (std::size_t i = 0; i < a.o.size(); ++i)
        max = std::max(max, std::fabs(double(a.o[i]) - double(b.o[i])));
    return max;
}

}  // namespace

TEST_CASE("pages hold what lies side by side: the same bits") {
    each_device([](auto& device) {
        for (const fade::index page : {1, 7, 64}) {
            attention_case c = grouped(causal_kind::bottom_right);
            data<f16> flat(c);
            c.problem.page_size = page;
            data<f16> paged(c);
            copy_inputs(flat, paged);
            const int splits = std::is_same_v<decltype(device), host_device&>
                                   ? 1
                                   : 2;  // shared keys are read in pages as they are read side by side
            CHECK(wrong_on(device, flat, splits) == "");
            CHECK(wrong_on(device, paged, splits) == "");
            CHECK_MESSAGE(same_bits(flat.o, paged.o), device.name(), ", pages of ", page);
            CHECK(same_bits(flat.lse, paged.lse));
        }
    });
}

TEST_CASE("packed sequences are those of a padded batch: the same bits") {
    each_device([](auto& device) {
        attention_case c = grouped(causal_kind::bottom_right);
        c.lengths_q = {70, 33}, c.lengths_k = {150, 61};
        data<f16> packed(c);
        CHECK(wrong_on(device, packed) == "");
        for (fade::index b = 0; b < 2; ++b) {  // each sequence alone, in memory of its own
            attention_case one = grouped(causal_kind::bottom_right);
            one.problem.batch = 1, one.problem.seq_q = c.lengths_q[std::size_t(b)],
            one.problem.seq_k = c.lengths_k[std::size_t(b)];
            data<f16> alone(one);
            std::copy_n(packed.q.begin() + packed.query_at(b, 0, 0), alone.q.size(), alone.q.begin());
            std::copy_n(packed.k.begin() + packed.key_at(b, 0, 0), alone.k.size(), alone.k.begin());
            std::copy_n(packed.v.begin() + packed.key_at(b, 0, 0), alone.v.size(), alone.v.begin());
            CHECK(wrong_on(device, alone) == "");
            CHECK_MESSAGE(std::memcmp(alone.o.data(), packed.o.data() + packed.query_at(b, 0, 0),
                                      alone.o.size() * sizeof(float)) == 0,
                          device.name(), ", sequence ", b);
        }
    });
}

TEST_CASE("workgroups that share keys find what one finds, in whatever number, and the same bits each time") {
    const auto each_emulated = [](auto f) {
        some_kernels<arch::gfx942> mfma;
        some_kernels<arch::gfx1030> vector;
        some_kernels<arch::gfx1100> wmma;
        f(mfma), f(vector), f(wmma);
    };
    each_emulated([](auto& device) {
        attention_case c{.problem = {.batch = 2,
                                     .heads = 4,
                                     .kv_heads = 2,
                                     .seq_q = 3,
                                     .seq_k = 400,
                                     .head_dim = 64,
                                     .causal = causal_kind::bottom_right,
                                     .page_size = 16},
                         .sink = true,
                         .seed = 21};
        data<f16> alone(c);
        attention<f16, float>(device, alone.problem, alone.operands(), {.split_kv = 1});
        CHECK(test::wrong_with(alone) == "");
        for (const int splits : {2, 5, 100}) {
            data<f16> shared(c), again(c);
            const report said =
                attention<f16, float>(device, shared.problem, shared.operands(), {.split_kv = splits});
            attention<f16, float>(device, again.problem, again.operands(), {.split_kv = splits});
            CHECK_MESSAGE(test::wrong_with(shared) == "", device.name(), ", ", splits, " splits");
            CHECK(largest_difference(alone, shared) < 2e-3);
            CHECK(same_bits(shared.o, again.o));
            CHECK((said.why.find("too few keys") != said.why.npos) == (splits == 100));
        }
    });
}

TEST_CASE("idle compute units share keys that nobody asked to share, and pages that few queries read are not "
          "copied") {
    some_kernels<arch::gfx942> device({.compute_units = 100});
    attention_case c{.problem = {.batch = 1,
                                 .heads = 8,
                                 .kv_heads = 1,
                                 .seq_q = 1,
                                 .seq_k = 1024,
                                 .head_dim = 64,
                                 .page_size = 16},
                     .seed = 22};
    data<f16> x(c);
    const attention_plan plan = plan_attention<f16, float>(device, x.problem, x.operands());
    CHECK(plan.variant == tune::attention_variant::decode);
    CHECK(plan.launches.size() == 2);  // the attention, and what combines
    CHECK(plan.launches[plan.main_launch].grid[0] == 8);
    CHECK(!plan.report.fallback);
    CHECK(plan.workspace_bytes == 8 * 8 * (64 + 2) * sizeof(float));
    CHECK(wrong_on(device, x) == "");
}

TEST_CASE("a NaN in K reaches the queries that see it, and no other") {
    each_device([](auto& device) {
        const fade::index key = 100;
        for (const bool window : {false, true}) {
            attention_case c = grouped(causal_kind::bottom_right);
            if (window) c.problem.window_left = 20;
            data<f16> x(c);
            x.k[std::size_t(x.key_at(1, key, 0) + 3)] = test::nearest<f16>(std::nan(""));
            attention<f16, float>(device, x.problem, x.operands());
            int wrong = 0;
            for (fade::index b = 0; b < 2; ++b)
                for (fade::index i = 0; i < x.problem.seq_q; ++i)
                    wrong += std::isnan(x.o[std::size_t(x.query_at(b, i, 1))]) !=
                             (b == 1 && test::is_visible(x, b, i, key));
            CHECK_MESSAGE(wrong == 0, device.name(), window ? ", window" : "");
        }
    });
}

TEST_CASE("scores of 1e4 and more") {
    each_device([](auto& device) {
        for (const double scale : {1e3, 1e4, -1e4}) {
            attention_case c = grouped();
            c.problem.scale = scale;
            data<f16> x(c);
            attention<f16, float>(device, x.problem, x.operands());
            test::error_sums sums;
            for (fade::index b = 0; b < 2; ++b)
                for (fade::index i = 0; i < x.problem.seq_q; ++i) test::compare_query(x, b, 1, i, sums);
            CHECK_MESSAGE(std::sqrt(sums.off / sums.all) < 0.02, device.name(), ", scale ",
                          scale);  // f32 scores of 1e4 are 1e-3 off
            CHECK(sums.lse < 1e-5);
        }
    });
}

TEST_CASE("queries that see no key get zeros and minus infinity") {
    each_device([](auto& device) {
        for (const fade::index keys :
             {0, 30}) {  // bottom-right: the first 40 of 70 queries stand before all keys
            attention_case c = grouped(causal_kind::bottom_right);
            c.problem.seq_k = keys;
            data<f16> x(c);
            CHECK(wrong_on(device, x) == "");
            int wrong = 0;
            for (fade::index i = 0; i < 70 - keys; ++i)
                for (fade::index d = 0; d < x.problem.head_dim; ++d)
                    wrong += x.o[std::size_t(x.query_at(1, i, 1) + d)] != 0.0f ||
                             x.lse[std::size_t(3 * 70 + i)] != -std::numeric_limits<float>::infinity();
            CHECK_MESSAGE(wrong == 0, device.name(), ", keys ", keys);
        }
    });
}

TEST_CASE("dropout drops the same weights whatever the tiling") {
    attention_case c = grouped();
    c.problem.dropout = 0.4, c.problem.seed = 11, c.problem.offset = 3;
    host_device cpu(2);
    data<f16> here(c);
    CHECK(wrong_on(cpu, here) == "");
    each_device([&](auto& device) {
        data<f16> there(c);
        CHECK(wrong_on(device, there) == "");
        CHECK_MESSAGE(largest_difference(here, there) < 2e-3, device.name());
    });
}

TEST_CASE("dropout drops as many weights as it is asked to, and others with another seed or offset") {
    attention_case c{.problem = {.heads = 4, .seq_q = 128, .seq_k = 256, .head_dim = 1, .dropout = 0.3},
                     .seed = 1};
    c.problem.kv_heads = 4;
    const auto kept_with = [&](std::uint64_t seed, std::uint64_t offset) {
        c.problem.seed = seed, c.problem.offset = offset;
        data<float> x(c);
        std::fill(x.q.begin(), x.q.end(), 0.0f),
            std::fill(x.v.begin(), x.v.end(), 1.0f);  // each weight is 1 / 256
        host_device cpu(2);
        attention<float>(cpu, x.problem, x.operands());
        return x.o;
    };
    const std::vector<float> o = kept_with(7, 0);
    const double mean = std::accumulate(o.begin(), o.end(), 0.0) / double(o.size());
    CHECK(std::fabs(mean - 1) < 4 * std::sqrt(0.3 / 0.7 / (4 * 128 * 256)));
    CHECK(same_bits(o, kept_with(7, 0)));
    CHECK(!same_bits(o, kept_with(8, 0)));
    CHECK(!same_bits(o, kept_with(7, 1)));
}

TEST_CASE("the same bits from run to run, with any number of threads") {
    attention_case c = grouped(causal_kind::top_left);
    c.problem.dropout = 0.1, c.problem.softcap = 5, c.alibi = c.sink = true;
    const auto twice = [&](auto a, auto b) {
        data<bf16> x(c), y(c);
        attention<bf16, float>(a, x.problem, x.operands()),
            attention<bf16, float>(b, y.problem, y.operands());
        CHECK_MESSAGE(same_bits(x.o, y.o), a.name());
        CHECK(same_bits(x.lse, y.lse));
    };
    twice(host_device(2), host_device(2));
    twice(host_device(1), host_device(3));
    twice(some_kernels<arch::gfx942>({.threads = 1}), some_kernels<arch::gfx942>({.threads = 2}));
    c.problem.seq_q = 400, c.problem.seq_k = 900, c.problem.causal = causal_kind::bottom_right,
    c.problem.window_left = 330;  // windows of different tiles begin at different keys
    twice(host_device(1), host_device(7));
}

TEST_CASE("one query a sequence: heads that share keys become queries of one head, unless something tells "
          "them apart") {
    attention_case c{.problem = {.batch = 2,
                                 .heads = 6,
                                 .kv_heads = 2,
                                 .seq_q = 1,
                                 .seq_k = 45,
                                 .head_dim = 40,
                                 .causal = causal_kind::bottom_right},
                     .padding = 3,
                     .seed = 11};
    host_device device(2);
    some_kernels<arch::gfx1100> emulated;
    const auto packs = [&](auto& on) {
        data<f16> x(c);
        const report said = attention<f16, float>(on, x.problem, x.operands());
        CHECK(test::wrong_with(x) == "");
        return said.why.find("are queries of one tile") != std::string::npos;
    };
    CHECK(packs(device));
    CHECK(packs(emulated));
    c.alibi = true;
    CHECK(!packs(device));
    CHECK(!packs(emulated));
    c.alibi = false, c.problem.causal = causal_kind::top_left;
    CHECK(!packs(emulated));
}

TEST_CASE("softcap holds infinite scores") {
    const attention_case c{
        .problem = {.heads = 1, .kv_heads = 1, .seq_q = 5, .seq_k = 40, .head_dim = 8, .softcap = 3},
        .seed = 5};
    host_device device(1);
    some_kernels<arch::gfx942> emulated;
    const auto right = [&](auto& on) {
        data<float> x(c);
        for (float& e : x.k) e = 1e30f;  // every product is infinite, all of a query of one sign
        for (std::size_t i = 0; i < x.q.size(); ++i) x.q[i] = i / 8 % 2 ? 1e30f : -1e30f;
        return wrong_on(on, x);
    };
    CHECK(right(device) == "");
    CHECK(right(emulated) == "");
}
