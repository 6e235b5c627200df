// Scores that are small beside a softcap keep the precision of f32: tanh of a small number is nearly that
// number.
#include "common/attention_front.hpp"
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

namespace {

using namespace fade;

template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{.min = 64, .max = 64}>;

/// The error of O, relative by the Frobenius norm, where scores are some hundredths of the cap; f32 loses a
/// few 10^-7.
template <class Device>
void small_scores() {
    Device device;
    test::holds(device.name() + " attention to scores far below a softcap", 4, [&] {
        test::attention_case c;
        c.problem = {.batch = 1,
                     .heads = 2,
                     .kv_heads = 1,
                     .seq_q = 20,
                     .seq_k = *rc::gen::inRange(40, 120),
                     .head_dim = 64,
                     .scale = *rc::gen::element(0.02, 0.05, 0.1)};
        c.problem.softcap = 50, c.seed = *rc::gen::arbitrary<std::uint64_t>();
        test::attention_data<float> x(c);
        attention<float>(device, x.problem, x.operands());
        test::error_sums sums;
        for (fade::index h = 0; h < 2; ++h)
            for (fade::index i = 0; i < 20; ++i) test::compare_query(x, 0, h, i, sums);
        const double error = std::sqrt(sums.off / sums.all);
        test::must_be_right(c,
                            error < 1e-6 ? "" : "an error of " + std::to_string(error * 1e6) + " millionths");
    });
}

}  // namespace

TEST_CASE("softcap of small scores on the host") { small_scores<host_device>(); }
TEST_CASE("softcap of small scores on gfx942") { small_scores<some_kernels<fade::arch::gfx942>>(); }
TEST_CASE("softcap of small scores on gfx1100") { small_scores<some_kernels<fade::arch::gfx1100>>(); }
