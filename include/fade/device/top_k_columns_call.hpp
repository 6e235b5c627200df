// One call of top_k along columns: checked, shared out, and the list of its launches.
#pragma once
#include <fade/device/operation.hpp>
#include <fade/kernel/rows/check.hpp>
#include <fade/tune/rows/top_k_columns_entry.hpp>

namespace FADE_NAMESPACE {

template <class In, class Out, class Device>
class top_k_columns_operation {
    static constexpr bool on_host = std::is_same_v<Device, host_device>;
    using arguments_type = kernel::top_k_columns_arguments<In, Out>;

public:
    top_k_columns_operation(const Device& device, const kernel::row_size& size, const arguments_type& args)
        : args_(args) {
        kernel::check_row_size(size);
        kernel::check_row_tensor("x", args.x, size, false);
        require(size.rows < index(1) << 31, "rows", size.rows,
                "places along columns are of 32 bits, so it must be below 2^31");
        args_.rows = size.rows, args_.columns = int(size.columns);
        with_arch_of(device, [&](auto arch) { share(device, arch); });
    }

    const report& said() const { return said_; }
    std::size_t workspace_bytes() const {
        return args_.parts > 1 ? std::size_t(args_.parts) * std::size_t(args_.k) *
                                     std::size_t(args_.columns) * sizeof(placed_number)
                               : 0;
    }
    std::string what_needs() const { return "what workgroups find needs"; }
    void place(void* memory) { args_.found = static_cast<placed_number*>(memory); }

    template <class F>
    void each_launch(F f) const {
        if (args_.columns == 0) return;
        if (args_.k <= tune::few_of_column)
            launch<tune::few_of_column>(f);
        else
            launch<tune::most_of_column>(f);
    }

private:
    template <int Capacity, class F>
    void launch(F& f) const {
        f(tune::top_k_columns_entry<In, Out, Capacity, false>{}, grid_shape{strips_, args_.parts, 1}, args_);
        if (args_.parts > 1)
            f(tune::top_k_columns_entry<In, Out, Capacity, true>{}, grid_shape{strips_, 1, 1}, args_);
    }
    template <class Arch>
    void share(const Device& device, Arch) {
        strips_ = int(ceil_div<index>(args_.columns, block::columns_of_lists(Arch::traits.wave_size)));
        // Enough waves for all units, while each has rows enough to be worth the list that it leaves behind.
        const index wanted = index(device.compute_units()) * (on_host ? 1 : 16);
        const index rows_of_list = max_of<index>(8 * args_.k, 64);
        args_.parts = int(max_of<index>(
            min_of(ceil_div<index>(wanted, max_of(strips_, 1)), ceil_div(args_.rows, rows_of_list)), 1));
        said_.requested =
            words("top_k ", args_.rows, " rows x ", args_.columns, " columns, along columns, k ", args_.k);
        said_.chosen = words("lists of ", args_.k, " in ", strips_, " strips by ", args_.parts);
        said_.device = device.name(), said_.arch = std::string(Arch::traits.name);
        said_.why = args_.parts > 1 ? "waves share the rows of a strip, and a second launch joins their lists"
                                    : "there are strips enough for every compute unit, or few rows";
        said_.evidence = "no measurement of this type and architecture";
    }

    arguments_type args_;
    int strips_ = 0;
    report said_;
};

}  // namespace FADE_NAMESPACE
