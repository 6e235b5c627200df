// A row operator of one's own: rows become vectors of length 1, and their lengths are kept. It names no lane;
// the machine that it runs on comes with Row.
#include <cmath>
#include <cstdio>
#include <fade/rows.hpp>
#include <vector>

struct unit_rows {
    fade::row_tensor<const float> x;
    fade::row_tensor<fade::bf16> y;
    float* lengths;

    // Tensors that are read at once, and the size of their elements: what the policy follows from.
    static constexpr int operands = 1, element_bytes = sizeof(float);
    template <class F>
    void each_tensor(F f) const {
        f("x", x), f("y", y);
    }

    template <class Row>
    FADE_FN void operator()(Row& row) const {
        const auto in = row.read(x);
        const float length = std::sqrt(row.sum([](float x) { return x * x; }, in));
        row.put(lengths, length);
        row.write(y, [&](float x) { return length > 0 ? x / length : 0.0f; }, in);
    }
};

/// 0 where every row has the length that it should have.
template <class Device>
int wrong(Device& device) {
    const fade::index rows = 5, columns = 1000;
    std::vector<float> x(rows * columns), lengths(rows);
    std::vector<fade::bf16> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37f * float(i));
    const fade::report ran = fade::run_rows(device, "unit rows", {rows, columns},
                                            unit_rows{{x.data()}, {y.data()}, lengths.data()});
    int bad = 0;
    for (fade::index r = 0; r < rows; ++r) {
        double squares = 0, of_y = 0;
        for (fade::index c = 0; c < columns; ++c) {
            squares += double(x[r * columns + c]) * x[r * columns + c];
            of_y += std::pow(double(to_f32(y[r * columns + c])), 2);
        }
        bad += std::abs(lengths[r] - std::sqrt(squares)) > 1e-4 || std::abs(of_y - 1) > 1e-2;
    }
    std::printf("%s: %s; %d of %d rows are wrong\n", ran.device.c_str(), ran.chosen.c_str(), bad, int(rows));
    return bad;
}

int main() {
    fade::host_device host;
    fade::emulated_device<fade::arch::gfx942> cdna;
    fade::emulated_device<fade::arch::gfx1201> rdna;
    return wrong(host) + wrong(cdna) + wrong(rdna) ? 1 : 0;
}
