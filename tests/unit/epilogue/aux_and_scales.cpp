// Stages that have memory of their own kind: a factor a row and a column, a bias of each batch, and what an
// activation saw, stored.
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>

namespace fade::test {

namespace {

template <class Arch>
constexpr auto kernels =
    only(std::is_same_v<Arch, arch::host> ? operand_access::strided : operand_access::nt);

struct vectors {
    std::vector<float> rows, columns, biases;
    vectors(const gemm_problem& p, std::mt19937_64& random)
        : rows(std::size_t(p.m)), columns(std::size_t(p.n)), biases(std::size_t(p.batch * p.n)) {
        std::normal_distribution<float> normal;
        for (auto* of : {&rows, &columns, &biases})
            for (float& v : *of) v = normal(random);
    }
};

/// D and what relu saw, of sums of In.
template <class Arch, class In>
void check(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    gemm_case c;
    c.problem = {.m = 45, .n = 48, .k = 64, .layout = gemm_layout::nt, .batch = 2};
    lay_out(c.problem, 16, 32), c.seed = random();
    gemm_data<In, float> data(c);
    const auto& p = c.problem;
    matrix<float> seen({p.m, p.n, p.n + 3, p.batch, p.m * (p.n + 3) + 5, 1});
    const vectors v(p, random);
    auto device = device_of<Arch>(2, 64);
    data.poison_output();
    gemm<In, float, kernels<Arch>>(device, p, data.operands(),
                                   scale_rows(v.rows) | scale_columns(v.columns) | batch_bias(v.biases) |
                                       aux(seen.data(), seen.place().ld, seen.place().stride) | relu());
    CHECK(seen.disturbed() == 0);
    CHECK(data.d.disturbed() == 0);
    double off = 0, allowed = 0;
    for (index batch = 0; batch < p.batch; ++batch) {
        const auto a = unpacked(data.a, batch, false), b = unpacked(data.b, batch, false);
        for (index i = 0; i < p.m; ++i)
            for (index j = 0; j < p.n; ++j) {
                auto want = dot(a.data() + i * p.k, b.data() + j * p.k, p.k, accumulator_unit<In>);
                want.unit = unit_roundoff<float>;
                want = times(times(want, v.rows[std::size_t(i)]), v.columns[std::size_t(j)]);
                want = plus(want, v.biases[std::size_t(batch * p.n + j)]);
                const double z = double(seen.at(batch, i, j)) - want.value;
                off += z * z, allowed += want.error * want.error;
                CHECK(data.d.at(batch, i, j) == std::max(seen.at(batch, i, j), 0.0f));
            }
    }
    INFO("seed ", seed);
    CHECK(off <= allowed);
}

template <class Arch>
void check_all() {
    const std::uint64_t seed = rc::detail::configuration().testParams.seed;
    check<Arch, f16>(seed), check<Arch, i8>(seed + 1);
}

}  // namespace

TEST_CASE("host") { check_all<arch::host>(); }
TEST_CASE("gfx942") { check_all<arch::gfx942>(); }
TEST_CASE("gfx1100") { check_all<arch::gfx1100>(); }

TEST_CASE("what they refuse") {
    host_device cpu;
    std::vector<float> a(64, 1), d(64, 7), few(7), enough(16), z(60);
    const gemm_problem p{.m = 8, .n = 8, .k = 8};
    const gemm_operands<float> o{.a = a.data(), .b = a.data(), .d = d.data()};
    const auto refused = [&](const auto& epilogue) -> std::string {
        try {
            gemm<float>(cpu, p, o, epilogue);
        } catch (const error& e) {
            return e.argument();
        }
        return "";
    };
    CHECK(refused(scale_rows(few)) == "scale_rows");
    CHECK(refused(scale_columns(few)) == "scale_columns");
    CHECK(refused(batch_bias(few)) == "batch_bias");
    CHECK(refused(batch_bias(static_cast<const float*>(nullptr))) == "batch_bias");
    CHECK(refused(aux(z)) == "aux");
    CHECK(refused(aux(z.data(), 7)) == "ld of aux");
    for (const float x : d) CHECK(x == 7);
    CHECK(refused(scale_rows(enough) | batch_bias(enough, 8)) == "");
}

}  // namespace fade::test
