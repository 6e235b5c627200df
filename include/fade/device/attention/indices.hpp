// Lengths and block tables of an attention, looked at before it runs.
#pragma once
#include <fade/device/devices.hpp>
#include <fade/device/host_copy.hpp>
#include <fade/kernel/attention/indices.hpp>
#include <optional>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

/// The first wrong length or page number. On a GPU this waits for the stream.
template <class In, class Out, class Device>
kernel::wrong_index wrong_index_on(Device& device, const attention_problem& p,
                                   const attention_operands<In, Out>& o) {
    const auto begin = [](const auto& list) { return list.get(); };
    kernel::attention_indices x{begin(o.lengths_q), begin(o.lengths_k),   begin(o.counts_q),
                                begin(o.counts_k),  begin(o.block_table), begin(o.starts_k)};
    std::vector<int> copies[6];
    if constexpr (!is_cpu<Device>) {
        const auto bring = [&](const int*& list, std::vector<int>& copy, index count) {
            if (!list) return;
            copy.resize(std::size_t(count));
            device.copy_to_host(copy.data(), list, copy.size() * sizeof(int));
            list = copy.data();
        };
        bring(x.lengths_q, copies[0], p.batch + 1), bring(x.lengths_k, copies[1], p.batch + 1);
        bring(x.counts_q, copies[2], p.batch), bring(x.counts_k, copies[3], p.batch);
        bring(x.table, copies[4], p.batch * p.table_width), bring(x.starts_k, copies[5], p.batch);
        device.synchronize();
    }
    return kernel::find_wrong_index(p, x);
}

/// The same in words for a report, or an error where the caller asked for one.
template <class In, class Out, class Device>
std::string said_of_indices(Device& device, const attention_problem& p, const attention_operands<In, Out>& o,
                            std::optional<bool> asked) {
    if (!asked.value_or(is_cpu<Device>)) return {};
    const kernel::wrong_index wrong = wrong_index_on(device, p, o);
    if (wrong.argument.empty()) return {};
    if (asked) throw error(wrong.argument, wrong.value, wrong.rule);
    return "; " + wrong.argument + " is " + wrong.value + ", but " + wrong.rule;
}

}  // namespace FADE_NAMESPACE
