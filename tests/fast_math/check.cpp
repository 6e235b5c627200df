// FADE is right where a program is compiled with -ffast-math or -Ofast: sums may come in another order,
// subnormal numbers of f32 may count as zero, and nothing else changes. Hidden keys and unseen ones are
// infinities to users.
#include "common/attention_suite.hpp"
#include "common/gemm_check.hpp"
#include "common/gemm_random.hpp"
#include "fast_math/calls.hpp"

using namespace fade;

namespace {

template <class F>
void each_isa(F f) {
    for (int isa = 0; isa <= int(atom::widest_isa()); ++isa) f(atom::cpu_isa(isa));
}

template <class T>
void attends() {
    each_isa([](atom::cpu_isa isa) {
        for (const bool ruled : {false, true})
            test::holds("attention with -ffast-math " + std::string(name(dtype_v<T>)), 40, [&] {
                const test::attention_case c = test::draw_attention(130, ruled);
                test::attention_data<T, float> x(c);
                fast_math::attend<T>(isa, x.problem, x.operands());
                test::must_be_right(c, test::wrong_with(x));
            });
    });
}

template <class In, class Out>
void multiplies() {
    each_isa([](atom::cpu_isa isa) {
        test::holds("gemm with -ffast-math " + std::string(name(dtype_v<In>)), 40, [&] {
            test::gemm_case c = test::random_case({gemm_layout::nn, gemm_layout::nt, gemm_layout::tn});
            c.split_k = 1;
            if (std::is_integral_v<In>) c.stages.clear(), c.problem.alpha = 1, c.problem.beta = 0;
            test::gemm_data<In, Out> x(c);
            const auto reference = test::expected(x);
            x.poison_output();
            fast_math::multiply<In, Out>(isa, c.problem, x.operands(), x.chain());
            test::must_be_right(c, test::difference(x.d, reference));
        });
    });
}

/// What is no subnormal number of f32, which a program may take for zero.
bool counts(double x) { return x == 0 || !(std::fabs(x) < test::smallest_normal<float>); }
template <class T>
bool is_nan(T x) {
    return std::isnan(test::value_of(x));
}
template <class T>
bool same(T a, T b) {
    return std::memcmp(&a, &b, sizeof a) == 0 || (is_nan(a) && is_nan(b));
}

template <class To, class From, class Right>
void converts(const std::vector<From>& from, Right right) {
    each_isa([&](atom::cpu_isa isa) {
        std::vector<To> one_by_one(from.size()), in_vectors(from.size());
        fast_math::convert_all<To, From>(isa, from.data(), one_by_one.data(), in_vectors.data(),
                                         fade::index(from.size()));
        int wrong = 0;
        for (std::size_t i = 0; i < from.size(); ++i) {
            const To want = right(from[i]);
            wrong += !same(one_by_one[i], want) + !same(in_vectors[i], want);
        }
        CHECK_MESSAGE(wrong == 0, std::string(name(dtype_v<From>)), " to ", std::string(name(dtype_v<To>)),
                      ", instruction set ", int(isa));
    });
}

template <class T>
void there_and_back() {
    std::vector<T> all;
    for (std::uint32_t bits = 0; bits < (sizeof(T) == 1 ? 256u : 65536u); ++bits) {
        const T x{decltype(T::bits)(bits)};
        if (counts(test::value_of(x))) all.push_back(x);
    }
    converts<float>(all, [](T x) { return float(test::value_of(x)); });
    std::vector<float> around;  // each number, and what lies beside and between
    for (const T x : all)
        for (const std::uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xfffffu, 0x100000u, 0x100001u}) {
            const std::uint32_t bits = std::bit_cast<std::uint32_t>(float(test::value_of(x))) + low;
            if ((bits & 0x7fffffffu) == 0 || bits & 0x7f800000u) around.push_back(std::bit_cast<float>(bits));
        }
    converts<T>(around, [](float x) { return test::nearest<T>(double(x)); });
}

}  // namespace

TEST_CASE("attention on the host with -ffast-math, with every rule") {
    attends<float>(), attends<f16>(), attends<bf16>();
}

TEST_CASE("attention on an emulated device with -ffast-math") {
    for (const bool ruled : {false, true})
        test::holds("emulated attention with -ffast-math", 15, [&] {
            test::attention_case c = test::draw_attention(64, ruled);
            const auto options = test::draw_decoding(c);
            test::attention_data<f16, float> x(c);
            fast_math::attend_emulated(x.problem, x.operands(), options.split_kv);
            test::must_be_right(c, test::wrong_with(x));
        });
}

TEST_CASE("gemm on the host with -ffast-math") {
    multiplies<float, float>(), multiplies<f16, f16>(), multiplies<bf16, float>(), multiplies<i8, i32>();
}

TEST_CASE("conversions with -ffast-math: all numbers of 16 and 8 bits, and f32 around them") {
    there_and_back<f16>(), there_and_back<bf16>();
    there_and_back<f8e4m3>(), there_and_back<f8e5m2>(), there_and_back<f8e4m3fnuz>(),
        there_and_back<f8e5m2fnuz>();
}
