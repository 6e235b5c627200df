// Groups whose epilogue is a gate: each pair of columns of the plain product, which other tests hold against
// a reference, goes through it.
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>
#include <fade/grouped_gemm.hpp>

namespace fade::test {

namespace {

template <class Arch, class In>
void check(std::vector<int> sizes, bool listed) {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    grouped_gemm_problem p{.n = 144, .k = 64, .groups = int(sizes.size())};
    std::vector<int> ends, list;
    for (const int size : sizes) ends.push_back(int(p.rows += size));
    p.rows += 3;  // behind the last group
    p.rows_of_a = listed ? 29 : 0;
    for (index i = 0; listed && i < p.rows; ++i) list.push_back(int(random() % 29));
    matrix<In> a({listed ? 29 : p.rows, p.k, p.k}), b({p.n, p.k, p.k, index(p.groups), p.n * p.k});
    matrix<float> plain({p.rows, p.n, p.n}), d({p.rows, p.n / 2, p.n / 2 + 5});
    std::vector<float> biases(std::size_t(p.n / 2 * p.groups));
    a.fill(random, 1), b.fill(random, 0.125);
    std::normal_distribution<float> normal;
    for (float& v : biases) v = normal(random);
    auto device = device_of<Arch>(2, 64);
    grouped_gemm_operands<In, float> o{.a = a.data(), .b = b.data(), .ends = ends.data()};
    if (listed) o.row_list = list.data();
    o.d = plain.data();
    grouped_gemm<In, float>(device, p, o);
    o.d = d.data(), p.ldd = p.n / 2 + 5;
    grouped_gemm<In, float>(device, p, o, swiglu() | batch_bias(biases));
    CHECK(d.disturbed() == 0);
    index wrong = 0;
    for (index i = 0, group = 0; i < p.rows; ++i) {
        while (group < p.groups && i >= ends[std::size_t(group)]) ++group;
        for (index j = 0; j < p.n / 2; ++j) {
            const float got = d.at(0, i, j);
            if (group == p.groups) {
                wrong += !is_poison(got);
                continue;
            }
            const double gate = plain.at(0, i, 2 * j), up = plain.at(0, i, 2 * j + 1),
                         want = gate * sigmoid_of(gate) * up + biases[std::size_t(group * p.n / 2 + j)];
            wrong += !(std::fabs(got - want) <= 4e-6 * (1 + std::fabs(gate * up) + std::fabs(want)));
        }
    }
    INFO(Arch::traits.name);
    CHECK(wrong == 0);
}

template <class Arch, class In>
void check_all() {
    check<Arch, In>({20, 0, 37}, true), check<Arch, In>({300, 200}, false);
}

}  // namespace

TEST_CASE("host") { check_all<arch::host, f16>(), check_all<arch::host, float>(); }
TEST_CASE("gfx942") { check_all<arch::gfx942, f16>(); }
TEST_CASE("gfx1030") { check_all<arch::gfx1030, f16>(); }
TEST_CASE("sm_90a") { check_all<arch::sm_90a, bf16>(); }

TEST_CASE("what they refuse") {
    host_device cpu;
    std::vector<float> x(64, 1), d(64, 7);
    const int ends[] = {8};
    const auto refused = [&](grouped_gemm_problem p) -> std::string {
        p.rows = p.k = 8, p.groups = 1;
        try {
            grouped_gemm<float>(
                cpu, p, {.a = x.data(), .b = x.data(), .c = x.data(), .d = d.data(), .ends = ends}, swiglu());
        } catch (const error& e) {
            return e.what();
        }
        return "";
    };
    CHECK(refused({.n = 7}).find("n must be even") != std::string::npos);
    CHECK(refused({.n = 8, .beta = 1}).find("it must be 0") != std::string::npos);
    CHECK(refused({.n = 8, .ldd = 3}).find("has 4 elements") != std::string::npos);
    for (const float v : d) CHECK(v == 7);
    CHECK(refused({.n = 8, .ldd = 4}) == "");
}

}  // namespace fade::test
