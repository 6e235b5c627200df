// The calls around the products of a mixture of experts: checked, and their launches.
#pragma once
#include <fade/device/operation.hpp>
#include <fade/device/run_on.hpp>
#include <fade/kernel/moe/check.hpp>
#include <fade/tune/moe/entry.hpp>

namespace FADE_NAMESPACE {

/// What both calls report: one kernel on every machine.
template <class Device>
report report_of_moe(const Device& device, std::string requested, const char* chosen, const char* why) {
    report out;
    out.requested = std::move(requested), out.chosen = chosen, out.why = why, out.device = device.name();
    with_arch_of(device, [&](auto arch) { out.arch = std::string(arch.traits.name); });
    out.evidence = "no measurement of this type and architecture";
    return out;
}

class moe_dispatch_operation {
public:
    template <class Device>
    moe_dispatch_operation(const Device& device, const moe_dispatch_problem& p,
                           const moe_dispatch_operands& tables)
        : args_(kernel::checked(p, tables)),
          said_(report_of_moe(device,
                              "moe_dispatch " + std::to_string(p.tokens) + " tokens, top " +
                                  std::to_string(p.top_k) + " of " + std::to_string(p.experts) + " experts",
                              "counting sort", "a workgroup finds the rows of each expert")) {}
    const report& said() const { return said_; }
    template <class F>
    void each_launch(F f) const {
        if (args_.experts > 0) f(tune::moe_dispatch_entry{}, grid_shape{args_.experts, 1, 1}, args_);
    }

private:
    kernel::moe_dispatch_arguments args_;
    report said_;
};

template <class In, class Out>
class moe_combine_operation {
    static constexpr int run = 16 / max_of(int(sizeof(In)), int(sizeof(Out)));

public:
    template <class Device>
    moe_combine_operation(const Device& device, const moe_combine_problem& problem,
                          const moe_combine_operands<In, Out>& memory)
        : p_(kernel::completed(problem)), memory_(memory) {
        kernel::check_combine(p_, memory);
        whole_ = has_whole_runs();
        said_ = report_of_moe(device,
                              "moe_combine " + std::to_string(p_.tokens) + " tokens x " +
                                  std::to_string(p_.columns) + " columns, top " + std::to_string(p_.top_k),
                              whole_ ? "runs" : "elements",
                              whole_ ? "rows are read in aligned runs"
                                     : "rows are not whole aligned runs, so elements move one by one");
        said_.fallback = !whole_ && !std::is_same_v<Device, host_device>;
    }
    const report& said() const { return said_; }
    template <class F>
    void each_launch(F f) const {
        if (p_.tokens == 0 || p_.columns == 0) return;
        if (whole_)
            launch<run>(f);
        else
            launch<1>(f);
    }

private:
    bool has_whole_runs() const {
        const auto aligned = [](const auto* data, index stride) {
            return reinterpret_cast<std::uintptr_t>(data) % (run * sizeof *data) == 0 && stride % run == 0;
        };
        return p_.columns % run == 0 && aligned(memory_.x, p_.x_stride) && aligned(memory_.y, p_.y_stride);
    }
    template <int Run, class F>
    void launch(F& f) const {
        const index items = p_.tokens * (p_.columns / Run),
                    groups = ceil_div<index>(items, kernel::moe_combine_items);
        require(groups < index(1) << 31, "tokens x columns", p_.tokens,
                "at most 2^31 - 1 workgroups can be launched");
        f(tune::moe_combine_entry<In, Out, Run>{}, grid_shape{int(groups), 1, 1},
          kernel::moe_combine_arguments<In, Out>{memory_, p_.tokens, p_.rows, p_.columns, p_.x_stride,
                                                 p_.y_stride, p_.top_k});
    }

    moe_combine_problem p_;
    moe_combine_operands<In, Out> memory_;
    bool whole_ = false;
    report said_;
};

}  // namespace FADE_NAMESPACE
