// One step of an optimizer, or the search for gradients that are not finite: checked, and its launches.
#pragma once
#include <cmath>
#include <fade/device/operation.hpp>
#include <fade/device/run_on.hpp>
#include <fade/kernel/optimizer/check.hpp>
#include <fade/tune/optimizer/entry.hpp>

namespace FADE_NAMESPACE {

/// "sgd_step 100 parameters, f16"
template <class T, class Device>
report report_of_parameters(const Device& device, const char* call, index count) {
    report out;
    out.requested = call + (" " + std::to_string(count)) + " parameters, " + fade::name(dtype_v<T>);
    out.device = device.name();
    with_arch_of(device, [&](auto arch) { out.arch = std::string(arch.traits.name); });
    out.evidence = "no measurement: each number is read once and written once";
    return out;
}

/// Arguments of `Kind` launched in runs of four parameters where all lists begin at whole runs.
template <tune::optimizer Kind, class Arguments>
class optimizer_operation {
    static constexpr int run = 4;

public:
    optimizer_operation(const Arguments& arguments, report said, bool whole_runs)
        : arguments_(arguments), whole_(whole_runs), said_(std::move(said)) {
        said_.chosen = whole_ ? "runs of 4 parameters" : "single parameters";
        said_.why = whole_
                        ? "lists begin at whole runs"
                        : "a list does not begin at a whole run of 4 elements, so parameters move one by one";
        said_.fallback = !whole_ && said_.device != "host";
    }
    const report& said() const { return said_; }

    template <class F>
    void each_launch(F f) const {
        if (arguments_.count == 0) return;
        if (whole_)
            launch<run>(f);
        else
            launch<1>(f);
    }

    /// Do lists of such elements begin at whole runs?
    template <class... T>
    static bool takes_runs(const T*... lists) {
        return (... && (reinterpret_cast<std::uintptr_t>(lists) % (run * sizeof(T)) == 0));
    }

private:
    template <int Run, class F>
    void launch(F& f) const {
        const index runs = ceil_div<index>(arguments_.count, Run);
        f(tune::optimizer_entry<Kind, Arguments, Run>{},
          grid_shape{int(ceil_div<index>(runs, kernel::runs_of_step)), 1, 1}, arguments_);
    }

    Arguments arguments_;
    bool whole_;
    report said_;
};

template <class Gradient, class Copy, class Device>
auto sgd_operation(const Device& device, const sgd_problem& p, const sgd_operands<Gradient, Copy>& o) {
    using arguments = kernel::sgd_arguments<Gradient, Copy>;
    using operation = optimizer_operation<tune::optimizer::sgd, arguments>;
    kernel::check_sgd(p, o);
    return operation(arguments{.gradient = o.gradient,
                               .master = o.master,
                               .velocity = o.velocity,
                               .copy = o.copy,
                               .nonfinite = o.nonfinite,
                               .count = p.count,
                               .rate = float(p.rate),
                               .momentum = float(p.momentum),
                               .weight_decay = float(p.weight_decay),
                               .inverse_scale = float(1 / p.loss_scale),
                               .nesterov = p.nesterov},
                     report_of_parameters<Gradient>(device, "sgd_step", p.count),
                     operation::takes_runs(o.gradient, o.master, o.velocity, o.copy));
}

template <class Gradient, class Copy, class Device>
auto adamw_operation(const Device& device, const adamw_problem& p, const adamw_operands<Gradient, Copy>& o) {
    using arguments = kernel::adamw_arguments<Gradient, Copy>;
    using operation = optimizer_operation<tune::optimizer::adamw, arguments>;
    kernel::check_adamw(p, o);
    const double first = 1 - std::pow(p.beta1, double(p.step)),
                 second = 1 - std::pow(p.beta2, double(p.step));
    return operation(arguments{.gradient = o.gradient,
                               .master = o.master,
                               .first_moment = o.first_moment,
                               .second_moment = o.second_moment,
                               .copy = o.copy,
                               .nonfinite = o.nonfinite,
                               .count = p.count,
                               .rate = float(p.rate / first),
                               .decayed = float(1 - p.rate * p.weight_decay),
                               .beta1 = float(p.beta1),
                               .beta2 = float(p.beta2),
                               .epsilon = float(p.epsilon),
                               .root_correction = float(1 / std::sqrt(second)),
                               .inverse_scale = float(1 / p.loss_scale)},
                     report_of_parameters<Gradient>(device, "adamw_step", p.count),
                     operation::takes_runs(o.gradient, o.master, o.first_moment, o.second_moment, o.copy));
}

template <class T>
class nonfinite_operation {
public:
    template <class Device>
    nonfinite_operation(const Device& device, index count, const T* gradient, float* nonfinite)
        : said_(report_of_parameters<T>(device, "find_nonfinite", count)) {
        kernel::check_parameter_count(count);
        kernel::check_parameter_lists(kernel::read_list("gradient", gradient, count),
                                      kernel::written_list("nonfinite", nonfinite, 1));
        const index parts = ceil_div<index>(count, kernel::nonfinite_items);
        arguments_ = {.gradient = gradient,
                      .nonfinite = nonfinite,
                      .found = nullptr,
                      .count = count,
                      .parts = int(min_of<index>(parts, kernel::max_nonfinite_parts))};
        said_.chosen = "find_nonfinite " + std::to_string(arguments_.parts) + " workgroups";
        said_.why = "workgroups share the elements, and a second launch joins what they found";
    }
    const report& said() const { return said_; }
    std::size_t workspace_bytes() const { return std::size_t(arguments_.parts) * sizeof(float); }
    std::string what_needs() const { return "what workgroups find needs"; }
    void place(void* memory) { arguments_.found = static_cast<float*>(memory); }

    template <class F>
    void each_launch(F f) const {
        using step = tune::nonfinite_step;
        if (arguments_.parts > 0)
            f(tune::nonfinite_entry<T, step::find>{}, grid_shape{arguments_.parts, 1, 1}, arguments_);
        f(tune::nonfinite_entry<T, step::join>{}, grid_shape{1, 1, 1}, arguments_);
    }

private:
    kernel::nonfinite_arguments<T> arguments_{};
    report said_;
};

}  // namespace FADE_NAMESPACE
