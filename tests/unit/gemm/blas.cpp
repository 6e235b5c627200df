// Products in the words of BLAS, against loops over column-major matrices; views of any order; and what is
// refused, in the names of the call.
#include "common/gemm_check.hpp"
#include "common/property.hpp"
#include <fade/blas.hpp>

namespace fade::test {

namespace {

struct blas_case {
    char op_a, op_b;
    index m, n, k, lda, ldb, ldc;
    double alpha, beta;
    std::uint64_t seed;
};
std::ostream& operator<<(std::ostream& to, const blas_case& c) {
    return to << c.op_a << c.op_b << ' ' << c.m << ' ' << c.n << ' ' << c.k << " ld " << c.lda << ' ' << c.ldb
              << ' ' << c.ldc << " alpha " << c.alpha << " beta " << c.beta << " seed " << c.seed;
}

blas_case random_blas_case() {
    blas_case c{};
    c.op_a = *rc::gen::element('n', 'N', 't', 'T', 'c', 'C'), c.op_b = *rc::gen::element('n', 'T', 't', 'C');
    const auto size = [] {
        return *rc::gen::weightedOneOf<index>(
            {{1, rc::gen::element<index>(0, 1)}, {5, rc::gen::inRange<index>(1, 70)}});
    };
    c.m = size(), c.n = size(), c.k = size();
    const auto pad = [] { return *rc::gen::inRange<index>(0, 4); };
    const bool ta = c.op_a != 'n' && c.op_a != 'N', tb = c.op_b != 'n' && c.op_b != 'N';
    c.lda = std::max<index>(ta ? c.k : c.m, 1) + pad(), c.ldb = std::max<index>(tb ? c.n : c.k, 1) + pad();
    c.ldc = std::max<index>(c.m, 1) + pad();
    c.alpha = *rc::gen::element(1.0, -0.5, 0.0), c.beta = *rc::gen::element(0.0, 1.0, -2.0);
    c.seed = *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>());
    return c;
}

/// A row-major test matrix is the transpose of the column-major one that BLAS sees.
template <class T, class Device, class F>
std::string trial(Device device, const blas_case& c, F gemm_of_t) {
    std::mt19937_64 random(c.seed);
    const bool ta = c.op_a != 'n' && c.op_a != 'N', tb = c.op_b != 'n' && c.op_b != 'N';
    matrix<T> a({ta ? c.m : c.k, ta ? c.k : c.m, c.lda}), b({tb ? c.k : c.n, tb ? c.n : c.k, c.ldb}),
        before({c.n, c.m, c.ldc}), d({c.n, c.m, c.ldc});
    a.fill(random, 1), b.fill(random, 1 / std::sqrt(double(c.k + 1)));
    if (c.beta != 0) before.fill(random, 1), d.copy_from(before);
    try {
        gemm_of_t(device, c, a.data(), b.data(), d.data());
    } catch (const error& e) {
        return e.what();
    }
    if (d.disturbed()) return "elements outside C were written";
    std::vector<bounded> wanted;
    constexpr double unit = accumulator_unit<T>;
    for (index j = 0; j < c.n; ++j)
        for (index i = 0; i < c.m; ++i) {
            double sum = 0, magnitude = 0;
            for (index p = 0; p < c.k; ++p) {
                const double x = value_of(ta ? a.at(0, i, p) : a.at(0, p, i)) *
                                 value_of(tb ? b.at(0, p, j) : b.at(0, j, p));
                sum += x, magnitude += std::fabs(x);
            }
            bounded v = times({sum, double(c.k + 1) * unit * magnitude, unit}, c.alpha);
            if (c.beta != 0) v = plus(v, c.beta * value_of(before.at(0, j, i)));
            wanted.push_back(stored<T>(v));
        }
    return difference(d, wanted);
}

const auto by_sgemm = [](auto& device, const blas_case& c, const float* a, const float* b, float* d) {
    blas::sgemm(device, c.op_a, c.op_b, c.m, c.n, c.k, float(c.alpha), a, c.lda, b, c.ldb, float(c.beta), d,
                c.ldc);
};
const auto by_hgemm = [](auto& device, const blas_case& c, const f16* a, const f16* b, f16* d) {
    blas::hgemm(device, c.op_a, c.op_b, c.m, c.n, c.k, float(c.alpha), a, c.lda, b, c.ldb, float(c.beta), d,
                c.ldc);
};

/// As std::mdspan, with strides.
template <class T>
struct strided_span {
    using element_type = T;
    T* data;
    int extents[2];
    int strides[2];
    static constexpr std::size_t rank() { return 2; }
    T* data_handle() const { return data; }
    int extent(std::size_t i) const { return extents[i]; }
    int stride(std::size_t i) const { return strides[i]; }
};

template <class F>
std::string refused(const F& f) {
    try {
        f();
    } catch (const error& e) {
        return e.what();
    }
    return "";
}
void contains(const std::string& said, const char* words) {
    INFO(said);
    CHECK(said.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("sgemm, dgemm, hgemm and bgemm on the host") {
    holds("host", 200, [] {
        const blas_case c = random_blas_case();
        must_be_right(c, trial<float>(host_device(2), c, by_sgemm));
        must_be_right(c, trial<f16>(host_device(2), c, by_hgemm));
        must_be_right(c, trial<double>(host_device(2), c,
                                       [](auto& device, const blas_case& p, const double* a, const double* b,
                                          double* d) {
                                           blas::dgemm(device, p.op_a, p.op_b, p.m, p.n, p.k, p.alpha, a,
                                                       p.lda, b, p.ldb, p.beta, d, p.ldc);
                                       }));
        must_be_right(
            c, trial<bf16>(host_device(2), c,
                           [](auto& device, const blas_case& p, const bf16* a, const bf16* b, bf16* d) {
                               blas::bgemm(device, p.op_a, p.op_b, p.m, p.n, p.k, float(p.alpha), a, p.lda, b,
                                           p.ldb, float(p.beta), d, p.ldc);
                           }));
    });
}
TEST_CASE("emulated GPUs") {
    holds("gfx1100", 40, [] {
        const blas_case c = random_blas_case();
        must_be_right(c, trial<f16>(emulated_device<arch::gfx1100>(), c, by_hgemm));
    });
}

TEST_CASE("views in any order make the same product") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    host_device cpu(2);
    constexpr index m = 7, n = 5, k = 9;
    std::vector<float> a(m * k), b(k * n);
    std::normal_distribution<float> normal;
    for (auto* of : {&a, &b})
        for (float& v : *of) v = normal(random);
    const auto turned = [](const std::vector<float>& x, index rows, index columns) {
        std::vector<float> out(x.size());
        for (index i = 0; i < rows; ++i)
            for (index j = 0; j < columns; ++j)
                out[std::size_t(j * rows + i)] = x[std::size_t(i * columns + j)];
        return out;
    };
    std::vector<float> at = turned(a, m, k), bt = turned(b, k, n);
    const blas::matrix_view<float> as[] = {blas::row_major(a.data(), m, k),
                                           blas::column_major(at.data(), m, k),
                                           blas::transposed(blas::row_major(at.data(), k, m))};
    const blas::matrix_view<float> bs[] = {blas::row_major(b.data(), k, n),
                                           blas::column_major(bt.data(), k, n)};
    for (const auto& x : as)
        for (const auto& y : bs)
            for (const bool columns : {false, true}) {
                std::vector<float> c(m * n, 3);
                const auto to =
                    columns ? blas::column_major(c.data(), m, n) : blas::row_major(c.data(), m, n);
                blas::gemm(cpu, 2, x, y, -1, to);
                const strided_span<const float> span{
                    x.data, {m, k}, {int(x.row_stride), int(x.column_stride)}};
                std::vector<float> again(m * n, 3);
                auto there = to;
                there.data = again.data();
                blas::gemm(cpu, 2, span, y, -1, there);
                CHECK(again == c);
                for (index i = 0; i < m; ++i)
                    for (index j = 0; j < n; ++j) {
                        double want = -3;
                        for (index p = 0; p < k; ++p)
                            want += 2.0 * a[std::size_t(i * k + p)] * b[std::size_t(p * n + j)];
                        CHECK(c[std::size_t(i * to.row_stride + j * to.column_stride)] ==
                              doctest::Approx(want).epsilon(1e-4));
                    }
            }
}

TEST_CASE("vectors are matrices of one row or column") {
    host_device cpu;
    const std::vector<float> a{1, 2, 3, 4, 5, 6}, x{1, 0, 10, 0, 100, 0};
    std::vector<float> y(6, -1);
    // 2 x 3 by every other element of x, to every third of y
    blas::gemm(cpu, 1, blas::row_major(a.data(), 2, 3), blas::matrix_view<const float>{x.data(), 3, 1, 2, 1},
               0, blas::matrix_view<float>{y.data(), 2, 1, 3, 1});
    CHECK(y == std::vector<float>{321, -1, -1, 654, -1, -1});
    std::fill(y.begin(), y.end(), -1.0f);
    blas::gemm(cpu, 1, blas::matrix_view<const float>{x.data(), 1, 3, 1, 2},
               blas::column_major(a.data(), 3, 2), 0, blas::matrix_view<float>{y.data(), 1, 2, 1, 4});
    CHECK(y == std::vector<float>{321, -1, -1, -1, 654, -1});
}

TEST_CASE("what they refuse, in the names of the call") {
    host_device cpu;
    std::vector<float> x(400, 1), c(400, 7);
    const auto call = [&](char op_a, char op_b, index m, index n, index k, index lda, index ldb, index ldc,
                          const float* b, float* to) {
        return refused([&] { blas::sgemm(cpu, op_a, op_b, m, n, k, 1, x.data(), lda, b, ldb, 0, to, ldc); });
    };
    contains(call('x', 'n', 4, 4, 4, 4, 4, 4, x.data(), c.data()), "op of a is 'x'");
    contains(call('n', '?', 4, 4, 4, 4, 4, 4, x.data(), c.data()), "op of b is '?'");
    contains(call('n', 'n', 4, 3, 2, 3, 2, 4, x.data(), c.data()), "lda is 3, but a column of a has 4");
    contains(call('t', 'n', 4, 3, 5, 4, 5, 4, x.data(), c.data()), "lda is 4, but a column of a has 5");
    contains(call('n', 't', 4, 3, 2, 4, 2, 4, x.data(), c.data()), "ldb is 2, but a column of b has 3");
    contains(call('n', 'n', 4, 3, 2, 4, 2, 3, x.data(), c.data()), "ldc is 3, but a column of c has 4");
    contains(call('n', 'n', -1, 3, 2, 4, 2, 4, x.data(), c.data()), "rows of a is -1");
    contains(call('n', 'n', 4, 3, 2, 4, 2, 4, nullptr, c.data()), "b is null");
    contains(call('n', 'n', 4, 3, 2, 4, 2, 4, c.data() + 2, c.data()), "c is overlapping b");
    contains(call('n', 'n', 4, 3, 2, 4, index(1) << 41, 4, x.data(), c.data()), "ldb is 2199023255552");
    contains(call('n', 'n', 4, 3, 2, 4, 2, 4, x.data(), nullptr), "c is null");
    const auto of = [&](const auto& a, const auto& b, const auto& to) {
        return refused([&] { blas::gemm(cpu, 1, a, b, 0, to); });
    };
    const auto a = blas::row_major(x.data(), 4, 2), b = blas::row_major(x.data(), 2, 3),
               to = blas::row_major(c.data(), 4, 3);
    contains(of(a, a, to), "rows of b is 4, but a has 2 columns");
    contains(of(a, b, blas::row_major(c.data(), 3, 3)), "rows of c is 3");
    contains(of(a, b, blas::row_major(c.data(), 4, 2)), "columns of c is 2");
    contains(of(blas::matrix_view<float>{x.data(), 4, 2, 4, 2}, b, to),
             "strides of a is 4 and 2, but one of them must be 1");
    contains(of(a, blas::matrix_view<float>{x.data(), 2, 3, 1, 1}, to), "strides of b is 1 and 1");
    contains(of(a, b, blas::matrix_view<float>{c.data(), 4, 3, 0, 1}), "strides of c is 0 and 1");
    contains(refused([&] { blas::gemm(cpu, 1, a, b, 0, blas::row_major(x.data(), 4, 3)); }),
             "c is overlapping a");
    for (const float v : c) CHECK(v == 7);
    CHECK(of(a, b, to) == "");
}

}  // namespace fade::test
