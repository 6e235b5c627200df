// A product by the policy of a row, whose kernel the program has, or a module.
#pragma once
#include <fade/device/gemm_call.hpp>
#include <fade/device/tune/search.hpp>
#include <fade/tune/gemm/tuned.hpp>
#include <fade/tune/module/cache.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// The device of a call as modules know it. Modules have a device of their own for it, on the same stream.
template <class Device>
tune::module_target module_target_of(const Device& device) {
    tune::module_target out{.compute_units = device.compute_units()};
    if constexpr (requires { device.stream(); }) {
        const std::string name = device.name();  // "hip:0 gfx942"
        out.number = std::atoi(name.c_str() + name.find(':') + 1);
        out.stream = device.stream();
    }
    return out;
}

/// Asks another source, and remembers what was asked.
class remembering : public tuned_policies {
public:
    explicit remembering(const tuned_policies& source) : source_(source) {}
    tuned_policy find(const tuning_problem& problem, const tuning_machine& machine) const override {
        return answer = source_.find(problem, machine);
    }
    mutable tuned_policy answer{};

private:
    const tuned_policies& source_;
};

struct module_said {
    char text[400] = "";
    operator tune::module_words() { return {text, sizeof text}; }
};

}  // namespace detail

/// Multiplies as gemm() does with `options.tuned`, which must be set. Where the row of this very problem has
/// a policy that this program holds no kernel of, its module is taken from the cache, or compiled by the
/// cache where it may. Its device stays open in the cache, which must end before the stream does. Nothing is
/// loaded for other calls. The report says which ran. Sums are those of the policy. Throws fade::error for
/// what gemm() refuses, and where a module fails.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device>
report gemm_by_module(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                      tune::module_cache& modules, gemm_options options) {
    static_assert(std::is_same_v<In, Out>, "modules hold products whose D has the type of A and B");
    static_assert(!std::is_same_v<Device, host_device>, "the host's kernel takes every policy of a row");
    if (!options.tuned) throw error("tuned", "null", "it must be a source of tuned policies");
    const detail::remembering source(*options.tuned);
    options.tuned = &source;
    gemm_operation<In, Out, Device, epilogue::none, Kernels> operation(device, problem, operands, {},
                                                                       options);
    report said = operation.said();
    const auto row = tune::read_policy<tuned_gemm>(source.answer.policy);
    const bool decides = said.evidence == source.answer.evidence;
    const bool wanted = source.answer.match == tuned_match::exact && row && !decides &&
                        operation.access() == operand_access(int(problem.layout));
    if (!wanted) return run_operation(device, operation, common_options(options));
    const bool on_gpu = requires { device.stream(); };
    const tune::found_module found =
        modules.find({.device = on_gpu ? tune::module_device::hip : tune::module_device::emulated,
                      .arch = said.arch,
                      .type = dtype_v<In>,
                      .access = operation.access(),
                      .policy = row->policy},
                     tune::time_limit::max());
    if (!found.functions) {
        said = run_operation(device, operation, common_options(options));
        said.why += "; no module: " + found.why;
        return said;
    }
    const auto& [a, b, c, d] = operands;
    detail::module_said why;
    void* const opened = modules.device_of(*found.functions, detail::module_target_of(device), why);
    if (!opened) throw error("module", "not to be opened", why.text);
    const bool done =
        found.functions->multiply(opened, problem, {a.get(), b.get(), c.get(), d.get()},
                                  options.split_k == 0 ? row->split_k : options.split_k, true, why);
    if (!done) throw error("module", "called", why.text);
    said.chosen = "a module of " + tune::in_words(row->policy);
    said.why += found.cached ? "; a module of the cache has it" : "; a module was compiled for it";
    said.evidence = source.answer.evidence, said.fallback = false;
    return said;
}

}  // namespace FADE_NAMESPACE
