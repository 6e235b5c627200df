// This CPU, by whichever vectors it has and by those that it could do with.
#include "common/attention_suite.hpp"
#include "common/each_isa.hpp"

using namespace fade;

namespace {

/// The distance to the exact outputs of what anyone would write: scores and softmax in f32, weights rounded
/// to bf16, sums in f32.
template <class Data>
double plain_error(const Data& x) {
    const attention_problem& p = x.problem;
    test::error_sums sums;
    for (fade::index h = 0; h < p.heads; ++h)
        for (fade::index i = 0; i < p.seq_q; ++i) {
            std::vector<float> s(std::size_t(p.seq_k));
            for (fade::index j = 0; j < p.seq_k; ++j) {
                for (fade::index d = 0; d < p.head_dim; ++d)
                    s[std::size_t(j)] += convert<float>(x.q[std::size_t(x.query_at(0, i, h) + d)]) *
                                         convert<float>(x.k[std::size_t(x.key_at(0, j, h) + d)]);
                s[std::size_t(j)] /= std::sqrt(float(p.head_dim));
            }
            const float top = *std::max_element(s.begin(), s.end());
            float all = 0;
            for (float& e : s) all += e = std::exp(e - top);
            for (float& e : s) e = convert<float>(convert<bf16>(e / all));
            const auto exact = test::reference_weights(x, 0, h, i).weights;
            for (fade::index d = 0; d < p.head_dim; ++d) {
                float o = 0;
                double want = 0;
                for (fade::index j = 0; j < p.seq_k; ++j) {
                    const bf16 v = x.v[std::size_t(x.value_at(0, j, h) + d)];
                    o += s[std::size_t(j)] * convert<float>(v),
                        want += exact[std::size_t(j)] * test::value_of(v);
                }
                sums.off += (o - want) * (o - want), sums.all += want * want;
            }
        }
    return std::sqrt(sums.off / sums.all);
}

template <class Data>
double error_of(const Data& x) {
    test::error_sums sums;
    for (fade::index h = 0; h < x.problem.heads; ++h)
        for (fade::index i = 0; i < x.problem.seq_q; ++i) test::compare_query(x, 0, h, i, sums);
    return std::sqrt(sums.off / sums.all);
}

}  // namespace

TEST_CASE("attention on the host") {
    host_device device;
    test::attention_suite<float>(device, 256, 60);
    test::attention_suite<bf16>(device, 256, 60);
    test::attention_suite<f16, float>(device, 256, 20);
}

TEST_CASE("attention on the host, instruction set by instruction set") {
    test::each_isa([] {
        host_device device(2);
        test::attention_suite<f16>(device, 100, 20);
        test::attention_suite<bf16, float>(device, 100, 20);
    });
}

TEST_CASE("bf16 is at most twice as far off as the plainest computation in bf16 with a softmax in f32") {
    test::each_isa([] {
        for (const fade::index head_dim : {64, 128})
            for (const fade::index keys : {33, 700}) {  // a part of a block of keys, and several
                test::attention_data<bf16, float> x({.problem = {.batch = 1,
                                                                 .heads = 2,
                                                                 .kv_heads = 2,
                                                                 .seq_q = 50,
                                                                 .seq_k = keys,
                                                                 .head_dim = head_dim},
                                                     .seed = 3});
                host_device device(1);
                attention<bf16, float>(device, x.problem, x.operands());
                INFO("head_dim ", head_dim, ", keys ", keys, ": off by ", error_of(x), ", plainly by ",
                     plain_error(x));
                CHECK(error_of(x) <= 2 * plain_error(x));
            }
    });
}

TEST_CASE("queries fill several tiles, whose number depends on the head dimension and on the threads") {
    for (const int threads : {1, 3})
        for (const fade::index head_dim : {32, 200})
            for (const auto causal : {causal_kind::none, causal_kind::bottom_right}) {
                test::attention_data<bf16, float> x({.problem = {.batch = 1,
                                                                 .heads = 1,
                                                                 .kv_heads = 1,
                                                                 .seq_q = 5000,
                                                                 .seq_k = 40,
                                                                 .head_dim = head_dim,
                                                                 .causal = causal},
                                                     .seed = 4});
                host_device device(threads);
                attention<bf16, float>(device, x.problem, x.operands());
                CHECK_MESSAGE(test::wrong_with(x) == "", threads, " threads, head_dim ", head_dim);
            }
}
