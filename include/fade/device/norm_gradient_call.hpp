// The gradients of a norm: of its input by rows, of its weights and biases by columns.
#pragma once
#include <fade/device/column_call.hpp>
#include <fade/device/row_call.hpp>
#include <fade/kernel/rows/problem.hpp>
#include <fade/tune/rows/norm_gradient_entry.hpp>

namespace FADE_NAMESPACE {

/// Both by one reading of the rows, which workgroups take in turn; a second launch adds what those found.
template <class Operator, class Sums, class Device>
class norm_gradient_operation {
    using kind = tune::row_kind;

public:
    norm_gradient_operation(const Device& device, const char* name, const kernel::row_size& size,
                            const Operator& op, const Sums& sums)
        : size_(size), op_(op), sums_(sums) {
        kernel::check_rows(op, size);
        with_arch_of(device, [&](auto arch) { choose(name, device, arch); });
    }

    /// Do registers of one workgroup, or of several, hold a row beside the sums of its columns? Rows of dy
    /// and dx that begin elsewhere than those of h would move element by element.
    static bool takes(const Device& device, const kernel::row_size& size, const Operator& op) {
        bool out = false;
        with_arch_of(device, [&](auto arch) {
            const bool whole_runs = kernel::has_whole_runs(op, size, 16 / Operator::element_bytes);
            const bool alike =
                kernel::begin_alike(op.h, op.dy, size) && kernel::begin_alike(op.h, op.dx, size);
            out = size.rows > 0 && size.columns > 0 && (whole_runs || alike) &&
                  (kind_of(size, whole_runs, arch.traits) != kind::streamed ||
                   (tune::has_norm_parts(arch.traits) && size.columns >= tune::least_columns_anywhere));
        });
        return out;
    }

    const report& said() const { return said_; }
    std::size_t workspace_bytes() const {
        return found_bytes() + std::size_t(way_ == way::parts ? size_.rows : 0) * sizeof(block::two_sums);
    }
    std::string what_needs() const { return "sums of columns need"; }
    void place(void* memory) { found_ = static_cast<char*>(memory); }

    template <class F>
    void each_launch(F f) const {
        const kernel::finish_norm_gradient_arguments<Sums> args{.rows = rows_from(sums_),
                                                                .order = order_,
                                                                .columns = int(size_.columns),
                                                                .parts = int(groups_),
                                                                .found = found()};
        if (whole_runs_) {
            launch_rows<true>(f);
            f(tune::finish_norm_gradient_entry<Sums, true>{},
              tune::finish_columns_grid(order_.places(), false), args);
        } else {
            launch_rows<false>(f);
            f(tune::finish_norm_gradient_entry<Sums, false>{},
              tune::finish_columns_grid(size_.columns, false), args);
        }
    }

private:
    /// Who has a row: a workgroup, two that read all of it, or several that know its sums.
    enum class way { one, split, parts };

    std::size_t found_bytes() const {
        return std::size_t(groups_ * order_.places()) * sizeof(kernel::norm_gradients);
    }
    kernel::norm_gradients* found() const { return reinterpret_cast<kernel::norm_gradients*>(found_); }
    block::two_sums* sums_of_rows() const {
        return reinterpret_cast<block::two_sums*>(found_ ? found_ + found_bytes() : nullptr);
    }
    static kind kind_of(const kernel::row_size& size, bool whole_runs, const arch::arch_traits& t) {
        return tune::choose_norm_gradient_kind(size.columns, whole_runs, t, Operator::element_bytes);
    }
    /// Do two workgroups hold the columns of a row? What one of them writes the other may not read.
    static bool splits(const kernel::row_size& size, const Operator& op, const arch::arch_traits& t) {
        const auto written = kernel::range_of_rows(op.dx, size);
        return size.columns <= tune::max_split_columns<Operator>(t) &&
               !written.overlaps(kernel::range_of_rows(op.h, size)) &&
               !written.overlaps(kernel::range_of_rows(op.dy, size));
    }
    void share(const Device& device, int parts, int width) {
        order_.parts = parts, order_.width = width;
        groups_ = min_of<index>(size_.rows, max_of(index(device.compute_units()) / parts, index(1)));
    }
    void choose_way(const Device& device, const arch::arch_traits& t) {
        constexpr int bytes = Operator::element_bytes, run = 16 / bytes;
        const int columns = int(size_.columns);
        if (whole_runs_ && splits(size_, op_, t)) {
            way_ = way::split;
            order_ = block::column_sum_order::of(tune::split_norm_gradient_policy(t, bytes), t.wave_size);
            return share(device, 2, block::split_width(columns, run));
        }
        const row_policy p = tune::norm_part_policy(t, bytes, whole_runs_);
        const int max_columns = p.columns(t.wave_size) - (whole_runs_ ? 0 : run),
                  parts =
                      tune::norm_parts(columns, max_columns, device.compute_units(), whole_runs_ ? 1 : run);
        way_ = way::parts;
        order_ = block::column_sum_order::of(p, t.wave_size);
        share(device, parts, ceil_div(ceil_div(columns, parts), run) * run);
    }
    template <class Arch>
    void choose(const char* name, const Device& device, Arch) {
        constexpr int lanes = Arch::traits.wave_size;
        whole_runs_ = kernel::has_whole_runs(op_, size_, 16 / Operator::element_bytes);
        kind_ = kind_of(size_, whole_runs_, Arch::traits);
        const row_policy p = tune::norm_gradient_policy(kind_ == kind::streamed ? kind::wide : kind_,
                                                        Arch::traits, Operator::element_bytes, whole_runs_);
        const index taken = p.rows_at_once();
        order_ = block::column_sum_order::of(p, lanes);
        // As many as units hold at once: each leaves sums to be added.
        groups_ = min_of<index>(ceil_div<index>(size_.rows, taken),
                                index(device.compute_units()) * max_of(p.waves_per_simd * 4 / p.waves, 1));
        if (kind_ == kind::streamed) choose_way(device, Arch::traits);
        // Rows so many apart begin at the same byte of 16.
        if (!whole_runs_ && groups_ < size_.rows) groups_ = max_of<index>(groups_ / p.run, 1) * p.run;
        said_.requested = kernel::size_in_words(name, size_);
        said_.chosen = "rows " + words_of_way() + " with sums of columns";
        said_.device = device.name(), said_.arch = std::string(Arch::traits.name);
        said_.why = way_ == way::parts
                        ? "registers hold parts of a row and sums of their columns, so memory is read twice"
                        : "registers hold a row and the sums of its columns, so memory is read once";
        said_.evidence = "no measurement of this type and architecture";
        said_.fallback = !whole_runs_;
        if (said_.fallback)
            said_.why +=
                "; rows are not whole aligned runs of 16 bytes, so elements of their ends move alone";
    }
    std::string words_of_way() const {
        if (way_ == way::one) return tune::name(kind_);
        if (way_ == way::split) return "of two workgroups";
        return words("in ", order_.parts, " parts");
    }
    template <bool WholeRuns, class F>
    void launch_rows(F& f) const {
        switch (kind_) {
        case kind::wave:
            if constexpr (WholeRuns) launch<kind::wave, true>(f);
            return;
        case kind::lanes_128:
            return launch<kind::lanes_128, WholeRuns>(f);
        case kind::lanes_256:
            return launch<kind::lanes_256, WholeRuns>(f);
        case kind::lanes_512:
            return launch<kind::lanes_512, WholeRuns>(f);
        case kind::wide:
            return launch<kind::wide, WholeRuns>(f);
        default:
            if constexpr (WholeRuns)
                if (way_ == way::split)
                    return launch(tune::split_norm_gradient_entry<Operator>{}, 2 * groups_, f);
            launch_parts<WholeRuns>(f);
        }
    }
    template <bool WholeRuns, class F>
    void launch_parts(F& f) const {
        auto sums = arguments_of<kernel::norm_sums_arguments<Operator>>();
        sums.extent.groups = int(min_of(size_.rows, index(1) << 20)), sums.sums = sums_of_rows();
        f(tune::norm_sums_entry<Operator, WholeRuns>{}, grid_shape{sums.extent.groups, 1, 1}, sums);
        auto args = arguments_of<kernel::norm_part_arguments<Operator>>();
        args.found = found(), args.sums = sums_of_rows();
        args.parts = order_.parts, args.width = order_.width;
        f(tune::norm_part_entry<Operator, WholeRuns>{}, grid_shape{int(groups_) * order_.parts, 1, 1}, args);
    }
    template <kind Kind, bool WholeRuns, class F>
    void launch(F& f) const {
        launch(tune::norm_gradient_entry<Operator, Kind, WholeRuns>{}, groups_, f);
    }
    template <class Entry, class F>
    void launch(Entry entry, index workgroups, F& f) const {
        auto args = arguments_of<kernel::norm_gradient_arguments<Operator>>();
        args.found = found();
        f(entry, grid_shape{int(workgroups), 1, 1}, args);
    }
    template <class Args>
    Args arguments_of() const {
        Args out{};
        static_cast<kernel::row_arguments<Operator>&>(out) = rows_from(op_);
        return out;
    }
    /// Runs follow the addresses of h.
    template <class Of>
    kernel::row_arguments<Of> rows_from(const Of& of) const {
        constexpr int bytes = int(sizeof(*op_.h.data));
        return {.op = of,
                .extent = {.rows = size_.rows, .columns = int(size_.columns), .groups = int(groups_)},
                .begin = whole_runs_ ? nullptr : reinterpret_cast<const char*>(op_.h.data),
                .row_bytes = whole_runs_ ? 0 : kernel::row_stride(op_.h, size_) * bytes,
                .element_bytes = bytes};
    }

    kernel::row_size size_;
    Operator op_;
    Sums sums_;
    kind kind_{};
    bool whole_runs_ = true;
    block::column_sum_order order_{};
    index groups_ = 1;
    way way_ = way::one;
    char* found_ = nullptr;  ///< sums of columns, and behind them those of rows
    report said_;
};

/// By one operation where registers allow it, else by two; the report is that of the rows, or of the columns
/// alone.
template <class Device, class Operands, class Operator>
report run_norm_gradient(Device& device, const char* name, const norm_gradient_problem& p, const Operands& o,
                         const Operator& op, const operation_options& options) {
    using in = std::remove_cvref_t<decltype(*o.h)>;
    using gradient = std::remove_cvref_t<decltype(*o.dy)>;
    using weight = std::remove_cvref_t<decltype(*o.weight)>;
    using sums_type = kernel::norm_weight_gradient<in, gradient, weight>;
    const kernel::row_size size{p.rows, p.columns};
    const sums_type sums{.h = {o.h, p.h_stride},
                         .dy = {o.dy, p.dy_stride},
                         .mean = o.mean,
                         .inverse_root = o.inverse_root,
                         .dweight = o.dweight,
                         .dbias = o.dbias};
    const bool sums_columns = o.dweight || o.dbias;
    if constexpr (!std::is_same_v<Device, host_device>) {
        using all = norm_gradient_operation<Operator, sums_type, Device>;
        if (sums_columns && o.dx && all::takes(device, size, op)) {
            all operation(device, name, size, op, sums);
            return run_operation(device, operation, options);
        }
    }
    column_operation<sums_type, Device> columns(device, std::string(name) + " of weights", size, sums);
    // Weights first: dx may lie where dy does.
    report said = columns.said();
    if (sums_columns) said = run_operation(device, columns, options);
    if (!o.dx) return said;
    row_operation<Operator, Device> rows(device, name, size, op);
    report out = run_operation(device, rows, options);
    if (sums_columns) out.chosen += " and " + said.chosen;
    out.fallback = out.fallback || said.fallback;
    return out;
}

}  // namespace FADE_NAMESPACE
