// Sums of D's rows and columns behind a product: against sums in f64 of what D holds, which the product alone
// makes with the same bits.
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

namespace fade::test {

namespace {

template <class Arch>
constexpr auto kernels =
    only(std::is_same_v<Arch, arch::host> ? operand_access::strided : operand_access::nt);

/// What guards the end of a list of sums.
constexpr float guard = 12345;

/// dz = drelu of dy W, z the input of relu: its columns' sums are the gradient of the bias of z.
template <class T>
struct trial {
    gemm_problem p;
    matrix<T> a, b, d, alone, z;

    trial(std::mt19937_64& random, index batch, index pad)
        : p{.m = 70 + index(random() % 300),
            .n = 8 * (1 + index(random() % 40)) + index(random() % 2),
            .k = 64,
            .layout = gemm_layout::nt,
            .batch = batch},
          a({p.m, p.k, p.k, batch, p.m * p.k}), b({p.n, p.k, p.k, batch, p.n * p.k}),
          d({p.m, p.n, p.n + pad, batch, p.m * (p.n + pad)}),
          alone({p.m, p.n, p.n + pad, batch, p.m * (p.n + pad)}),
          z({p.m, p.n, p.n + pad, batch, p.m * (p.n + pad)}) {
        a.fill(random, 1), b.fill(random, 1), z.fill(random, 1);
        p.ldd = p.n + pad;
    }
    gemm_operands<T> operands(matrix<T>& to) { return {.a = a.data(), .b = b.data(), .d = to.data()}; }

    index changed() const {
        index out = 0;
        d.each([&](index l, index i, index j) {
            out += std::memcmp(&d.at(l, i, j), &alone.at(l, i, j), sizeof(T)) != 0;
        });
        return out;
    }
    /// How many sums are further from those of D in f64 than additions in f32 may take them.
    template <class S>
    index wrong(const std::vector<S>& rows, const std::vector<S>& columns) const {
        std::vector<double> row(rows.size() - 1), column(columns.size() - 1), row_of(row), column_of(column);
        d.each([&](index l, index i, index j) {
            const double x = value_of(d.at(l, i, j));
            const auto r = std::size_t(l * p.m + i), c = std::size_t(j);
            row[r] += x, row_of[r] += std::fabs(x), column[c] += x, column_of[c] += std::fabs(x);
        });
        const auto off = [](const std::vector<S>& got, const std::vector<double>& want,
                            const std::vector<double>& magnitude, index terms) {
            index out = value_of(got.back()) != value_of(nearest<S>(guard));
            for (std::size_t i = 0; i < want.size(); ++i)
                out += !(std::fabs(value_of(got[i]) - want[i]) <=
                         double(terms) * 0x1p-24 * magnitude[i] + unit_roundoff<S> * std::fabs(want[i]));
            return out;
        };
        return off(rows, row, row_of, p.n) + off(columns, column, column_of, p.m * p.batch);
    }
};

template <class Arch, class T, class S>
void check(index batch, index pad, int split_k = 1) {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed + std::uint64_t(pad));
    trial<T> t(random, batch, pad);
    const auto front = drelu(t.z.data(), t.p.ldd);
    INFO(Arch::traits.name, " m ", t.p.m, " n ", t.p.n, " batch ", batch, " split_k ", split_k);
    auto device = device_of<Arch>(2, 64);
    gemm<T, T, kernels<Arch>>(device, t.p, t.operands(t.alone), front, {.split_k = split_k});
    std::vector<S> first;
    for (const int again : {1, 3}) {
        // The threads of the host share the rows of a column.
        const int threads = std::is_same_v<Arch, arch::host> ? 2 : again;
        auto other = device_of<Arch>(threads, 64);
        std::vector<S> rows(std::size_t(t.p.m * batch) + 1, nearest<S>(guard)),
            columns(std::size_t(t.p.n) + 1, nearest<S>(guard));
        t.d.each([&](index l, index i, index j) { t.d.at(l, i, j) = poison<T>(); });
        const report said = gemm<T, T, kernels<Arch>>(
            other, t.p, t.operands(t.d), front | row_sums(rows.data()) | column_sums(columns.data()),
            {.split_k = split_k});
        CHECK(said.requested.find("epilogue drelu, row_sums, column_sums") != std::string::npos);
        CHECK(t.d.disturbed() == 0);
        CHECK(t.changed() == 0);
        CHECK(t.wrong(rows, columns) == 0);
        if (!first.empty()) CHECK(std::memcmp(first.data(), columns.data(), first.size() * sizeof(S)) == 0);
        first = columns;
    }
}

}  // namespace

TEST_CASE("host") {
    check<arch::host, float, float>(1, 0), check<arch::host, float, float>(3, 5, 2);
    check<arch::host, bf16, bf16>(2, 3);
}
TEST_CASE("emulated GPUs") {
    check<arch::gfx942, f16, float>(1, 0), check<arch::gfx942, f16, float>(2, 6, 2);
    check<arch::gfx1100, bf16, bf16>(1, 0), check<arch::sm_90a, f16, float>(2, 8);
}

TEST_CASE("behind a gate, and without stages") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    trial<float> t(random, 1, 0);
    t.p.n = 16, t.p.ldd = 8, t.p.layout = gemm_layout::nt;
    host_device cpu;
    std::vector<float> d(std::size_t(t.p.m * 8)), plain(std::size_t(t.p.m * 16)), sums(8), all(16);
    std::vector<float> b(std::size_t(16 * t.p.k), 0.25f);
    gemm<float>(cpu, t.p, {.a = t.a.data(), .b = b.data(), .d = d.data()}, swiglu() | column_sums(sums));
    t.p.ldd = 0;
    gemm<float>(cpu, t.p, {.a = t.a.data(), .b = b.data(), .d = plain.data()}, column_sums(all));
    double gated = 0, whole = 0, magnitude = 0;
    for (index i = 0; i < t.p.m; ++i)
        gated += d[std::size_t(i * 8 + 3)], whole += plain[std::size_t(i * 16 + 3)],
            magnitude += std::fabs(plain[std::size_t(i * 16 + 3)]) + std::fabs(d[std::size_t(i * 8 + 3)]);
    CHECK(std::fabs(sums[3] - gated) <= 1e-4 * magnitude);
    CHECK(std::fabs(all[3] - whole) <= 1e-4 * magnitude);
}

TEST_CASE("a plan names their launches and memory") {
    emulated_device<arch::gfx942> device({.compute_units = 304});
    const auto at = [](int bit) { return reinterpret_cast<f16*>(std::uintptr_t(1) << bit); };
    const auto sums_at = [](int bit) { return reinterpret_cast<float*>(std::uintptr_t(1) << bit); };
    const gemm_problem p{.m = 4096, .n = 256, .k = 64, .layout = gemm_layout::nt};
    const gemm_operands<f16> o{.a = at(30), .b = at(31), .d = at(32)};
    const auto plain = plan_gemm<f16, f16, kernels<arch::gfx942>>(device, p, o, relu());
    const auto both = plan_gemm<f16, f16, kernels<arch::gfx942>>(
        device, p, o, relu() | row_sums(sums_at(33)) | column_sums(sums_at(34)));
    REQUIRE(plain.launches.size() == 1);
    REQUIRE(both.launches.size() == 4);
    CHECK(both.launches[0].entry == plain.launches[0].entry);
    CHECK(plain.workspace_bytes == 0);
    CHECK(both.workspace_bytes > 0);
    CHECK(both.workspace_bytes % (256 * sizeof(float)) == 0);
}

TEST_CASE("what they refuse, and a D without elements") {
    host_device cpu;
    std::vector<float> a(256, 1), d(256, 7), sums(16, 7);
    const auto refused = [&](const auto& epilogue, gemm_problem p = {.m = 8, .n = 8, .k = 8}) -> std::string {
        try {
            gemm<float>(cpu, p, {.a = a.data(), .b = a.data(), .d = d.data()}, epilogue);
        } catch (const error& e) {
            return e.argument() + " " + e.value();
        }
        return "";
    };
    CHECK(refused(column_sums(static_cast<float*>(nullptr))) == "column_sums null");
    CHECK(refused(row_sums(static_cast<f16*>(nullptr))) == "row_sums null");
    std::vector<float> few(7, 7);
    CHECK(refused(relu() | column_sums(few)) == "column_sums 7 values long");
    CHECK(refused(row_sums(few)) == "row_sums 7 values long");
    CHECK(refused(column_sums(&d[60])) == "column_sums overlapping d");
    CHECK(refused(row_sums(&a[3])) == "row_sums overlapping a");
    CHECK(refused(row_sums(sums) | column_sums(&sums[7])) == "column_sums overlapping other sums");
    CHECK(refused(column_sums(sums), {.m = 8, .n = 8, .k = 8, .batch = 2, .stride_d = 65}) == "stride_d 65");
    for (const auto* list : {&d, &sums, &few})
        for (const float x : *list) CHECK(x == 7);
    CHECK(refused(column_sums(sums), {.m = 0, .n = 8, .k = 8}) == "");
    for (std::size_t i = 0; i < sums.size(); ++i) CHECK(sums[i] == (i < 8 ? 0 : 7));
    CHECK(refused(row_sums(few) | column_sums(sums), {.m = 7, .n = 16, .k = 0}) == "");
    for (const float x : sums) CHECK(x == 0);
}

}  // namespace fade::test
