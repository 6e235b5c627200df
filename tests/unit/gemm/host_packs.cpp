// The host with every instruction set that this CPU has: products of packs of k, and of widened elements
// where there are none.
#include "common/each_isa.hpp"
#include "common/gemm_suite.hpp"

using namespace fade;

namespace {

/// Extents around rows of micro-kernels, around vectors and panels, and around packs; then steps of k that
/// end within a pack; then few rows or columns, whose other operand is read where it lies.
constexpr test::extent extents[] = {
    {1, 1, 1},      {2, 3, 2},    {3, 31, 3},    {5, 32, 4},    {7, 33, 5},     {8, 67, 63},   {11, 61, 64},
    {12, 64, 65},   {13, 7, 0},   {23, 65, 131}, {37, 97, 127}, {61, 45, 251},  {1, 2503, 67}, {53, 41, 4099},
    {5, 37, 16411}, {1, 83, 613}, {93, 1, 4099}, {4, 71, 259},  {66, 15, 1031}, {31, 38, 517}};

template <class In, class Out>
void check_extents(double alpha, double beta) {
    auto random = test::fresh_random();
    using enum gemm_layout;
    for (const auto layout : {nn, nt, tn, tt})
        for (const auto& e : extents) {
            auto c = test::case_of({layout, true, false}, e, random());
            c.problem.alpha = alpha, c.problem.beta = beta, c.threads = 1 + int(random() % 3);
            const std::string wrong = test::check_gemm<arch::host, In, Out, all_accesses>(c);
            INFO(c);
            CHECK(wrong == "");
        }
}

template <class In, class Out>
void check_random(int cases) {
    test::holds(std::string("host ") + name(dtype_v<In>), cases, [] {
        auto c = test::random_case({gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt});
        if (std::is_integral_v<In>)
            c.stages.clear(), c.problem.alpha = -3, c.problem.beta = c.problem.beta ? 2 : 0;
        test::must_be_right(c, test::check_gemm<arch::host, In, Out, all_accesses>(c));
    });
}

/// The value of element i of op(X), which lies by rows or, turned, by columns; `pitch` is the length of a
/// line.
template <class T>
T element(const std::vector<T>& x, bool turned, fade::index i, fade::index k, fade::index pitch) {
    return x[std::size_t(turned ? k * pitch + i : i * pitch + k)];
}

/// m x n x k of the outermost numbers: how many elements are not the sum in 64 bits, modulo 2^32.
fade::index wrong_integers(gemm_layout layout, fade::index m, fade::index n, fade::index k,
                           const std::vector<i8>& from) {
    auto random = test::fresh_random();
    const auto filled = [&](fade::index count) {
        std::vector<i8> out(static_cast<std::size_t>(count));
        for (i8& x : out) x = from[random() % from.size()];
        return out;
    };
    const auto a = filled(m * k), b = filled(k * n);
    std::vector<i32> d(std::size_t(m * n), test::poison<i32>());
    host_device cpu(2);
    gemm<i8, i32>(cpu, {.m = m, .n = n, .k = k, .layout = layout},
                  {.a = a.data(), .b = b.data(), .d = d.data()});
    const bool ta = a_transposed(layout), tb = b_transposed(layout);
    fade::index wrong = 0;
    for (fade::index i = 0; i < m; ++i)
        for (fade::index j = 0; j < n; ++j) {
            std::int64_t sum = 0;
            for (fade::index p = 0; p < k; ++p)
                sum += int(element(a, ta, i, p, ta ? m : k)) * int(element(b, !tb, j, p, tb ? k : n));
            wrong += std::uint32_t(d[std::size_t(i * n + j)]) != std::uint32_t(sum);
        }
    return wrong;
}

/// Whether a product whose steps of k depend on its shares has the same bits with 1 to 5 threads.
template <class In, class Out>
bool same_bits(gemm_layout layout, const test::extent& e) {
    auto random = test::fresh_random();
    test::gemm_data<In, Out> data(test::case_of({layout, true, false}, e, random()));
    std::vector<Out> first;
    for (int threads = 1; threads <= 5; ++threads) {
        data.poison_output();
        host_device cpu(threads);
        gemm<In, Out>(cpu, data.of.problem, data.operands());
        if (threads == 1) first = data.d.bytes();
        if (!data.d.same_bytes(first)) return false;
    }
    return true;
}

/// D = A B with one row, one column and these factors.
float dot(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<bf16> left, right;
    for (const float x : a) left.push_back(test::nearest<bf16>(x));
    for (const float x : b) right.push_back(test::nearest<bf16>(x));
    float d = test::poison<float>();
    host_device cpu(1);
    gemm<bf16, float>(cpu, {.m = 1, .n = 1, .k = fade::index(a.size())},
                      {.a = left.data(), .b = right.data(), .d = &d});
    return d;
}

/// What flushing may lose beside roundings: products with a subnormal factor, and for each of k sums all that
/// is below the smallest normal number.
double flushed(const double* a, const double* b, fade::index k) {
    constexpr double normal = test::smallest_normal<float>;
    double lost = double(k) * normal;
    for (fade::index i = 0; i < k; ++i)
        if (std::fabs(a[i]) < normal || std::fabs(b[i]) < normal) lost += std::fabs(a[i] * b[i]);
    return lost;
}

/// Numbers around the end of bf16's range, times numbers around its other end: ||D - reference|| against the
/// bound of the sum and of what is flushed.
void check_subnormal(bool flushes) {
    auto random = test::fresh_random();
    auto c = test::case_of({gemm_layout::nt, true, false}, {29, 43, 37}, random());
    test::gemm_data<bf16, float> data(c);
    const auto any = [&](int low, int high) {
        return test::nearest<bf16>(
            std::ldexp(double(random() % 4001) / 2000 - 1, low + int(random() % std::uint64_t(high - low))));
    };
    data.a.each([&](fade::index b, fade::index i, fade::index j) { data.a.at(b, i, j) = any(-133, -118); });
    data.b.each([&](fade::index b, fade::index i, fade::index j) { data.b.at(b, i, j) = any(-20, 20); });
    host_device cpu(1);
    data.poison_output();
    gemm<bf16, float>(cpu, c.problem, data.operands());
    const auto a = test::unpacked(data.a, 0, false), b = test::unpacked(data.b, 0, false);
    double off = 0, allowed = 0;
    data.d.each([&](fade::index, fade::index i, fade::index j) {
        const double *left = &a[std::size_t(i * c.problem.k)], *right = &b[std::size_t(j * c.problem.k)];
        const auto want =
            test::stored<float>(test::dot(left, right, c.problem.k, test::accumulator_unit<bf16>));
        const double error =
            want.error + (flushes
                              ? flushed(left, right, c.problem.k)
                              : double(c.problem.k) * std::ldexp(1.0, -150));  // half of f32's last subnormal
        off += std::pow(test::value_of(data.d.at(0, i, j)) - want.value, 2), allowed += error * error;
    });
    CHECK(std::sqrt(off) <= std::sqrt(allowed));
}

}  // namespace

TEST_CASE("bf16") {
    test::each_isa([] {
        check_extents<bf16, f32>(1, 0);
        check_extents<bf16, bf16>(-1.5, 0.5);
        check_random<bf16, f32>(100);
        check_random<bf16, bf16>(100);
    });
}
TEST_CASE("i8") {
    test::each_isa([] {
        check_extents<i8, i32>(1, 0);
        check_extents<i8, i32>(-3, 2);
        check_random<i8, i32>(100);
    });
}
TEST_CASE("other types") {
    test::each_isa([] {
        check_extents<f32, f32>(1, 0);
        check_extents<f16, f32>(1, 0);
    });
}
TEST_CASE("integers at the ends of their range") {
    test::each_isa([] {
        for (const auto layout : {gemm_layout::nn, gemm_layout::nt, gemm_layout::tn, gemm_layout::tt}) {
            CHECK(wrong_integers(layout, 17, 37, 1031, {-128}) == 0);
            CHECK(wrong_integers(layout, 3, 37, 1031, {-128, -1, 127}) == 0);
            CHECK(wrong_integers(layout, 25, 67, 4099, {-128, -127, -1, 0, 1, 126, 127}) == 0);
            CHECK(wrong_integers(layout, 3, 5, 131101, {-128}) == 0);  // beyond 2^31
        }
    });
}
TEST_CASE("the same bits with any number of threads") {
    test::each_isa([] {
        for (const test::extent& e : {test::extent{61, 613, 5003}, {16, 131, 9001}, {613, 1, 9001}}) {
            const auto layout = e.m < e.n ? gemm_layout::nt : gemm_layout::nn;
            CHECK(same_bits<bf16, f32>(layout, e));
            CHECK(same_bits<i8, i32>(layout, e));
        }
    });
}
TEST_CASE("NaN and infinities") {
    test::each_isa([] {
        auto random = test::fresh_random();
        test::check_specials<arch::host, bf16>(random);
    });
}
TEST_CASE("subnormal numbers") {
    test::each_isa([] {
        const bool flushes = atom::used_isa >= atom::cpu_isa::avx512_bf16;
        check_subnormal(flushes);
        const float normal = 0x1p-126f;
        CHECK(dot({normal / 2}, {0x1p10f}) == (flushes ? 0 : normal * 0x1p9f));  // a subnormal factor
        CHECK(dot({normal}, {0.5f}) == (flushes ? 0 : normal / 2));              // a subnormal product
        CHECK(dot({0, 1.5f * normal, -normal, 0, normal}, {1, 1, 1, 1, 1}) ==
              (flushes ? normal : 1.5f * normal));  // a subnormal sum on the way
    });
}
