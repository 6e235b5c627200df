// Convolutions by each algorithm on this GPU, which unit tests try on few architectures.
#include "common/conv_by.hpp"

namespace fade::test {

using here = arch::FADE_TEST_GPU;

TEST_CASE("im2col") {
    conv_draw draw(conv_seed());
    conv_by<here, f16, f16, conv_algorithms{.im2col = true}>(24, [&] {
        conv_case c = draw();
        c.algorithm = conv_algorithm::im2col;
        return c;
    });
}

TEST_CASE_TEMPLATE("winograd", T, float, f16, bf16) {
    conv_draw draw(conv_seed());
    for (const conv_algorithm algorithm : {conv_algorithm::winograd_f2, conv_algorithm::winograd_f4})
        conv_by<here, T, T, conv_algorithms{.winograd = true}>(30,
                                                               [&] { return draw.of_3x3_taps(algorithm); });
}

TEST_CASE_TEMPLATE("fft", T, float, f16, bf16) {
    conv_draw draw(conv_seed());
    conv_by<here, T, T, conv_algorithms{.fft = true}>(30, [&] { return draw.of_large_filters(false); });
    conv_by<here, T, T, conv_algorithms{.fft = true}>(10, [&] { return draw.of_deep_filters(); });
}

}  // namespace fade::test
