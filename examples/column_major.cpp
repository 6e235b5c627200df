// Column-major matrices, as Fortran, MATLAB and BLAS have them: the normal equations of a least-squares fit,
// G = X^T X and r = X^T y, by a call of BLAS' shape and by views.
#include <cmath>
#include <cstdio>
#include <fade/blas.hpp>
#include <random>
#include <vector>

namespace {

constexpr fade::index samples = 200, features = 12;

struct fit {
    std::vector<float> gram = std::vector<float>(features * features, -1.0f);
    std::vector<float> right = std::vector<float>(features, -1.0f);
};

/// X has a column a feature, y a value a sample.
template <class Device>
fit normal_equations(Device& device, const std::vector<float>& x, const std::vector<float>& y) {
    fit out;
    // As cblas_sgemm without its order: G = 1 X^T X + 0 G. Leading dimensions lead from column to column.
    fade::blas::sgemm(device, 'T', 'N', features, features, samples, 1, x.data(), samples, x.data(), samples,
                      0, out.gram.data(), features);
    // By views, which may also be std::mdspan: a matrix says itself how it lies.
    const auto columns = fade::blas::column_major(x.data(), samples, features);
    fade::blas::gemm(device, 1, fade::blas::transposed(columns),
                     fade::blas::column_major(y.data(), samples, 1), 0,
                     fade::blas::row_major(out.right.data(), features, 1));
    return out;
}

double worst_error(const fit& f, const std::vector<float>& x, const std::vector<float>& y) {
    double worst = 0;
    const auto check = [&](const float* a, const float* b, float got) {
        double sum = 0;
        for (fade::index i = 0; i < samples; ++i) sum += double(a[i]) * b[i];
        worst = std::max(worst, std::abs(sum - got));
    };
    for (fade::index j = 0; j < features; ++j) {
        const float* column = x.data() + j * samples;
        for (fade::index i = 0; i < features; ++i)
            check(x.data() + i * samples, column, f.gram[std::size_t(j * features + i)]);
        check(column, y.data(), f.right[std::size_t(j)]);
    }
    return worst;
}

}  // namespace

int main() {
    std::mt19937 random{std::random_device{}()};
    std::normal_distribution<float> normal;
    std::vector<float> x(samples * features), y(samples);
    for (auto* of : {&x, &y})
        for (float& v : *of) v = normal(random);
    int wrong = 0;
    const auto check = [&](auto&& device) {
        const double error = worst_error(normal_equations(device, x, y), x, y);
        std::printf("%s: largest error %.1e\n", device.name().c_str(), error);
        wrong += !(error < 1e-3);
    };
    check(fade::host_device());
    check(fade::emulated_device<fade::arch::gfx1100>());
    return wrong;
}
