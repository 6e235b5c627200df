// One call of a column operator: checked, shared out, and the list of its launches.
#pragma once
#include <fade/device/operation.hpp>
#include <fade/kernel/rows/check.hpp>
#include <fade/tune/rows/column_entry.hpp>

namespace FADE_NAMESPACE {

template <class Operator, class Device>
class column_operation {
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    using value = typename Operator::value;

public:
    column_operation(const Device& device, const std::string& name, const kernel::row_size& size,
                     const Operator& op)
        : size_(size), op_(op) {
        kernel::check_rows(op, size);
        whole_runs_ = !on_host && kernel::has_whole_runs(op, size, 16 / Operator::element_bytes);
        with_arch_of(device, [&](auto arch) { share(name, device, arch); });
    }

    const report& said() const { return said_; }
    std::size_t workspace_bytes() const {
        return parts_ > 1 ? std::size_t(parts_ * size_.columns) * sizeof(value) : 0;
    }
    std::string what_needs() const { return "what workgroups find needs"; }
    void place(void* memory) { found_ = static_cast<value*>(memory); }

    template <class F>
    void each_launch(F f) const {
        if (size_.columns == 0) return;
        const kernel::column_arguments<Operator> args{.op = op_,
                                                      .rows = size_.rows,
                                                      .columns = int(size_.columns),
                                                      .parts = int(parts_),
                                                      .found = parts_ > 1 ? found_ : nullptr};
        const grid_shape strips{int(strips_), int(parts_), 1};
        if constexpr (on_host)
            f(tune::column_entry<Operator, false>{}, strips, args);
        else if (whole_runs_)
            f(tune::column_entry<Operator, true>{}, strips, args);
        else
            f(tune::column_entry<Operator, false>{}, strips, args);
        if (parts_ > 1)
            f(tune::finish_columns_entry<Operator>{}, tune::finish_columns_grid(size_.columns, on_host),
              args);
    }

private:
    template <class Arch>
    void share(const std::string& name, const Device& device, Arch) {
        const row_policy p = tune::column_policy<Arch, Operator>(whole_runs_);
        strips_ = ceil_div<index>(size_.columns, block::strip_columns(p, Arch::traits.wave_size));
        // As many workgroups as units hold, while each has rows enough to be worth what it leaves behind.
        const index wanted = index(device.compute_units()) * (on_host ? 1 : tune::column_groups_of_unit(p));
        const index max_parts = min_of<index>(ceil_div<index>(size_.rows, 256), 1024);
        parts_ = max_of<index>(min_of(wanted / max_of<index>(strips_, 1), max_parts), 1);
        said_.requested = words(name, " ", size_.rows, " rows x ", size_.columns, " columns, along columns");
        said_.chosen = words("columns in ", strips_, " strips by ", parts_);
        said_.device = device.name(), said_.arch = std::string(Arch::traits.name);
        said_.fallback = !on_host && !whole_runs_;
        said_.why = parts_ > 1
                        ? "workgroups share the rows of a strip, and a second launch adds what they found"
                        : "there are strips enough for every compute unit, or few rows";
        if (said_.fallback)
            said_.why += "; rows are not whole aligned runs of 16 bytes, so elements move alone";
        said_.evidence = "no measurement of this type and architecture";
    }

    kernel::row_size size_;
    Operator op_;
    bool whole_runs_ = false;
    index strips_ = 0, parts_ = 1;
    value* found_ = nullptr;
    report said_;
};

}  // namespace FADE_NAMESPACE
