// Attention to so many keys that maxima of the first tile stay, and to keys that these cannot bear.
#pragma once
#include "common/attention_front.hpp"
#include "narrow_device.hpp"

namespace fade::test {

/// Weights of later keys are above one, which their values cannot bear.
template <class Device>
std::string wrong_with_large_values(Device& device, const attention_case& c, int splits) {
    attention_data<bf16> x(c);
    grow(x.v, 122);
    attention<bf16>(device, x.problem, x.operands(), {.split_kv = splits});
    return wrong_with(x);
}

/// Scores that are small before they are scaled: what is not scaled are weights that maxima of the first tile
/// bear.
template <class Device>
std::string wrong_with_small_scores(Device& device, const attention_case& c, int splits) {
    attention_data<f16> x(c);
    grow(x.q, -4);
    attention<f16>(device, x.problem, x.operands(), {.split_kv = splits});
    return wrong_with(x);
}

template <class Device>
std::string wrong_behind_nothing(Device& device, const attention_case& c, int splits) {
    attention_data<f16> x(c);
    forbid_first_keys(x, 150);
    attention<f16>(device, x.problem, x.operands(), {.split_kv = splits});
    return wrong_without_first_keys(x, 150);
}

template <class Device>
bool wrong_with_many_keys(Device& device, int splits = 0) {
    case_list list{40};
    for (const double scale :
         {0.0, 0.35, 1.0, 4.0})  // the larger, the further maxima grow after the first tile
        for (const int keys : {600, 900})
            list.add([&](auto& c, auto& p) {
                p.batch = 1, p.scale = scale, p.seq_q = 150, p.seq_k = keys, c.seed = 11;
            });
    return tried<f16>(device, list.all, splits) ||
           complained(device.name(), wrong_with_large_values(device, list.all[3], splits)) ||
           complained(device.name(), wrong_with_small_scores(device, list.all[4], splits)) ||
           complained(device.name(), wrong_behind_nothing(device, list.all[0], splits));
}

}  // namespace fade::test
