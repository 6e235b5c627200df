// Fails when scores that are computed ahead go wrong, with one stage of shared memory and with two. Exit 1 at the first that does.
#include "narrow_device.hpp"
#include "common/attention_front.hpp"

using namespace fade;

namespace {

/// Weights of later keys are above one, which their values cannot bear.
template <class Device>
std::string wrong_with_large_values(Device& device, const test::attention_case& c) {
    test::attention_data<bf16> x(c);
    for (bf16& v : x.v) v = test::nearest<bf16>(std::ldexp(test::value_of(v), 122));
    attention<bf16>(device, x.problem, x.operands());
    return wrong_with(x);
}

template <class Device>
std::string wrong_behind_nothing(Device& device, const test::attention_case& c) {
    test::attention_data<f16> x(c);
    test::forbid_first_keys(x, 150);
    attention<f16>(device, x.problem, x.operands());
    return test::wrong_without_first_keys(x, 150);
}

template <class Device>
bool wrong(Device& device) {
    test::case_list list{40};
    for (const double scale : {0.0, 0.35, 1.0, 4.0})   // the larger, the further maxima grow after the first tile
        for (const int keys : {600, 900}) list.add([&](auto& c, auto& p) { p.batch = 1, p.scale = scale, p.seq_q = 150, p.seq_k = keys, c.seed = 11; });
    return test::tried<f16>(device, list.all) || test::complained(device.name(), wrong_with_large_values(device, list.all[3])) || test::complained(device.name(), wrong_behind_nothing(device, list.all[0]));
}

}  // namespace

int main() {
    test::narrow_device<arch::gfx942, {64, false}> one_stage;
    test::narrow_device<arch::gfx950, {64, false}> two_stages;
    return wrong(one_stage) || wrong(two_stages);
}
