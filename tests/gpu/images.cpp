// Operators of images on this GPU, which unit tests try on few architectures.
#include "common/image_suite.hpp"

namespace fade::test {

using here = arch::FADE_TEST_GPU;

TEST_CASE_TEMPLATE("pooling", T, float, bf16) { pool_suite<here, T>(60); }
TEST_CASE_TEMPLATE("batch normalisation", T, float, bf16) { batch_norm_suite<here, T>(40); }
TEST_CASE_TEMPLATE("resampling", T, float, bf16) { sample_suite<here, T>(60); }

}  // namespace fade::test
