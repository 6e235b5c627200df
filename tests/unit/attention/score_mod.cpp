// Rules of one's own: scores bent and keys hidden by functors, with memory of theirs.
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

namespace {

/// Heads of up to 100 dimensions, with rules.
template <class Arch>
using some_kernels = test::some_kernels<Arch, test::attention_kernels{.min = 64, .max = 128, .plain = false}>;

/// Scores gain a number of the head's own for each step of distance; every third key is hidden from odd
/// queries.
struct skewed_and_sparse {
    const float* per_head;
    FADE_FN float score_mod(float score, int batch, int head, int query, int key) const {
        return score * 0.5f + per_head[head] * float(key - query) + float(batch);
    }
    FADE_FN bool mask_mod(int, int, int query, int key) const { return query % 2 == 0 || key % 3 != 0; }
};

struct sparse {
    int period;
    FADE_FN bool mask_mod(int, int head, int query, int key) const {
        return (query + head + key) % period != 0;
    }
};

/// The same in double precision, for the reference.
constexpr double hidden = -std::numeric_limits<double>::infinity();

template <class Device, class T, class Rule>
void is_right(Device& device, test::attention_case c, const Rule& rule, auto own, int split_kv) {
    test::attention_data<T, float> x(c);
    x.score_mod_rule = own;
    const report r = attention<T, float>(device, x.problem, x.operands(), {.split_kv = split_kv}, rule);
    test::must_be_right(c, test::wrong_with(x) + (r.requested.find("rule of one's own") == r.requested.npos
                                                      ? " the report does not name the rule"
                                                      : ""));
}

template <class T, class Device>
void score_mod_rules(Device& device, int splits) {
    test::holds(device.name() + " rules of one's own", 15, [&] {
        test::attention_case c = test::draw_attention(100, *rc::gen::arbitrary<bool>());
        const std::vector<float> skew = {0.01f, -0.02f, 0.03f, 0.0f};
        const int split_kv = *rc::gen::inRange(1, splits + 1), period = *rc::gen::inRange(1, 4);
        is_right<Device, T>(
            device, c, skewed_and_sparse{skew.data()},
            [&](double s, fade::index b, fade::index h, fade::index i, fade::index j) {
                return i % 2 == 0 || j % 3 != 0
                           ? s * 0.5 + double(skew[std::size_t(h)]) * double(j - i) + double(b)
                           : hidden;
            },
            split_kv);
        is_right<Device, T>(
            device, c, sparse{period},
            [&](double s, fade::index, fade::index h, fade::index i, fade::index j) {
                return (i + h + j) % period != 0 ? s : hidden;
            },
            split_kv);
    });
}

}  // namespace

TEST_CASE("rules of one's own on the host") {
    host_device device(2);
    score_mod_rules<float>(device, 1);
}
TEST_CASE("rules of one's own on gfx942") {
    some_kernels<arch::gfx942> device;
    score_mod_rules<bf16>(device, 3);
}
TEST_CASE("rules of one's own on gfx1030") {
    some_kernels<arch::gfx1030> device;
    score_mod_rules<f16>(device, 3);
}
TEST_CASE("rules of one's own on gfx1100") {
    some_kernels<arch::gfx1100> device;
    score_mod_rules<f16>(device, 3);
}
