// Attention on quantised queries, keys and values: what it is off from the f64 attention of the numbers
// before they were quantised.
#include "common/attention_reference.hpp"
#include "common/some_kernels.hpp"
#include <doctest/doctest.h>
#include <fade/quantize.hpp>

using namespace fade;

namespace {

/// Heads have up to 64 dimensions.
template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{64, 64}>;

/// Normal inputs, v about a mean. Heads of q and v are 2^spread times as large as those before them, those of
/// k 2^-spread times, so that scores of all heads are alike.
struct inputs {
    double scores;  // their standard deviation
    double mean_v;
    int spread;
    bool per_head;
};

using original = test::attention_data<float>;
template <class T>
using quantised = test::attention_data<T, float>;

original draw(const test::attention_case& c, const inputs& how) {
    original x(c);
    const attention_problem& p = x.problem;
    const auto grow = [&](std::vector<float>& tensor, fade::index heads, int spread, double mean) {
        for (std::size_t i = 0; i < tensor.size(); ++i)
            tensor[i] = float(
                std::ldexp(double(tensor[i]) + mean, spread * int(fade::index(i) / p.head_dim % heads)));
    };
    grow(x.q, p.heads, how.spread, 0), grow(x.k, p.kv_heads, -how.spread, 0),
        grow(x.v, p.kv_heads, how.spread, how.mean_v);
    return x;
}

/// The tensors of x as 8-bit floats with their factors.
template <class T, class Device>
quantised<T> quantise(Device& device, const test::attention_case& c, const original& x, bool per_head) {
    quantised<T> out(c);
    const attention_problem& p = x.problem;
    const auto one = [&](const std::vector<float>& from, std::vector<T>& to, std::vector<float>& scales,
                         fade::index positions, fade::index heads) {
        scales.assign(per_head ? std::size_t(heads) : 1, std::nanf(""));
        quantize<T, float>(device,
                           {.batch = p.batch,
                            .positions = positions,
                            .heads = heads,
                            .head_dim = p.head_dim,
                            .per_head = per_head},
                           {.x = from.data(), .out = to.data(), .scales = scales.data()});
    };
    one(x.q, out.q, out.scales_q, p.seq_q, p.heads), one(x.k, out.k, out.scales_k, p.seq_k, p.kv_heads),
        one(x.v, out.v, out.scales_v, p.seq_k, p.kv_heads);
    return out;
}

struct measured {
    double all, worst_head;  // relative Frobenius errors
};

/// What outputs are off from the attention of `x`.
template <class Out>
measured error_of(original& x, const std::vector<Out>& o) {
    const attention_problem& p = x.problem;
    x.o.assign(o.begin(), o.end());
    test::error_sums sums;
    double worst = 0;
    for (fade::index h = 0; h < p.heads; ++h) {
        test::error_sums head;
        for (fade::index b = 0; b < p.batch; ++b)
            for (fade::index i = 0; i < p.seq_q; ++i) test::compare_query(x, b, h, i, head);
        sums.off += head.off, sums.all += head.all, worst = std::max(worst, std::sqrt(head.off / head.all));
    }
    return {std::sqrt(sums.off / sums.all), worst};
}

template <class T, class Device>
measured attend(Device& device, const inputs& how) {
    const double unit = 1 / std::sqrt(64.0);
    const test::attention_case c{.problem = {.batch = 2,
                                             .heads = 4,
                                             .kv_heads = 4,
                                             .seq_q = 96,
                                             .seq_k = 160,
                                             .head_dim = 64,
                                             .scale = how.scores * unit},
                                 .seed = std::random_device{}()};
    original x = draw(c, how);
    quantised<T> y = quantise<T>(device, c, x, how.per_head);
    attention<T, float>(device, y.problem, y.operands());
    INFO(device.name(), ", seed ", c.seed);
    CHECK(test::wrong_with(y) == "");  // of what the 8-bit floats and their factors mean, it is exact
    return error_of(x, y.o);
}

/// Of heads alike with a factor for the tensor, and of heads 2^12 apart with a factor for each: overall, and
/// in each head.
template <class T, class Device>
void is_within(Device& device, double scores, double mean_v, double bound) {
    for (const inputs& how : {inputs{scores, mean_v, 0, false}, inputs{scores, mean_v, 12, true}}) {
        const measured e = attend<T>(device, how);
        INFO(device.name(), ", scores ", scores, ", mean of v ", mean_v, ", spread ", how.spread);
        CHECK(e.all <= bound);
        CHECK(e.worst_head <= 1.2 * bound);
    }
}

/// Rounding to 3 bits after the first loses 2.6 % of an element (the root of the mean square), to 2 bits
/// twice that. Scores of deviation 1 lose it from q and from k, outputs about zero from v once more.
template <class T, class Device>
void keeps_its_bounds(Device& device) {
    const double unit = test::power_of_two(3 - test::format_of<T>.mantissa);
    is_within<T>(device, 1, 0, 6e-2 * unit), is_within<T>(device, 0.25, 0, 4e-2 * unit),
        is_within<T>(device, 1, 1, 1e-2 * unit);
}

}  // namespace

TEST_CASE("attention on quantised inputs on the host") {
    host_device device(2);
    keeps_its_bounds<f8e4m3>(device);
    keeps_its_bounds<f8e5m2>(device);
}
TEST_CASE("attention on quantised inputs on gfx942") {
    some_kernels<arch::gfx942> device;
    keeps_its_bounds<f8e4m3fnuz>(device);
}
TEST_CASE("attention on quantised inputs on gfx1201") {
    some_kernels<arch::gfx1201> device;
    keeps_its_bounds<f8e4m3>(device);
}

TEST_CASE("heads of very different magnitudes want factors of their own") {
    host_device device(2);
    CHECK(attend<f8e4m3>(device, {1, 0, 12, true}).all < 6e-2);
    CHECK(attend<f8e4m3>(device, {1, 0, 12, false}).all > 0.3);
}
