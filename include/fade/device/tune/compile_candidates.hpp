// Candidates that a device compiles: side by side, and compared with the model's choice before they are
// timed.
#pragma once
#include <algorithm>
#include <chrono>
#include <fade/core/error.hpp>
#include <fade/device/plan/run_time_entry.hpp>
#include <fade/device/tune/memory_sets.hpp>
#include <fade/device/tune/search.hpp>
#include <fade/tune/module/step_time.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// Until when a device compiles kernels, while this lives.
template <class Device>
class compile_limit {
    using time_point = std::chrono::steady_clock::time_point;

public:
    compile_limit(Device& device, time_point end) : device_(device), before_(device.compiled_until()) {
        device.compile_until(end);
    }
    ~compile_limit() { device_.compile_until(before_); }
    compile_limit(const compile_limit&) = delete;
    compile_limit& operator=(const compile_limit&) = delete;

private:
    Device& device_;
    time_point before_;
};

/// What `why` says behind "which is not used", or all of it.
inline std::string reason_of(const std::string& why) {
    constexpr std::string_view not_used = "which is not used: ";
    const std::size_t at = why.rfind(not_used);
    return at == std::string::npos ? why : why.substr(at + not_used.size());
}

/// What the model's choice computes of a call, against which kernels that were compiled are held. Calls write
/// apart while this lives.
template <class Problem>
class reference_output {
public:
    explicit reference_output(Problem& problem)
        : problem_(problem),
          step_(first + nanosecond_of_byte * std::int64_t(problem.memory().bytes_apart())) {}
    ~reference_output() { problem_.memory().write_home(); }
    reference_output(const reference_output&) = delete;
    reference_output& operator=(const reference_output&) = delete;

    /// Is there a reference, or time to make it?
    bool is_there(const deadline& end) {
        if (!expected_.empty()) return true;
        if (!end.has_room_for(next()) || !problem_.memory().write_apart()) return false;
        problem_.source.policy.clear();
        expected_ = written();
        return true;
    }
    /// Would another comparison end in time?
    bool has_time(const deadline& end) const { return end.has_room_for(next()); }
    /// What is wrong with a policy; empty where nothing is. Throws fade::error where it cannot be launched.
    std::string fault_of(const std::string& policy) {
        problem_.source.policy = policy;
        return problem_.memory().difference(expected_, written());
    }

private:
    double next() const { return std::chrono::duration<double, std::nano>(step_.next()).count(); }
    std::vector<std::byte> written() {
        const auto begin = deadline::clock::now();
        problem_.memory().clear_apart();
        problem_.call_once();
        std::vector<std::byte> out = problem_.memory().written_apart();
        step_.took(2 * (deadline::clock::now() - begin));  // to look at it takes as long again
        return out;
    }

    // The first call of a kernel loads code. What calls write is carried to and fro, and looked at.
    static constexpr std::chrono::milliseconds first{50};
    static constexpr std::chrono::nanoseconds nanosecond_of_byte{8};

    Problem& problem_;
    std::vector<std::byte> expected_;
    tune::step_time step_;
};

/// Of a problem's policies those that are neither the model's choice nor a kernel of the program's.
template <class Problem>
std::vector<std::string> new_policies(const Problem& problem, const tuned_call& call) {
    std::vector<std::string> out = problem.policies_to_compile();
    std::erase_if(out, [&](const std::string& policy) {
        return policy == call.model ||
               std::ranges::find(call.candidates, policy, &candidate::policy) != call.candidates.end();
    });
    return out;
}

/// Compiles the kernels of policies side by side: calls ask for them first, and none is launched.
template <class Device, class Problem>
void compile_concurrently(Device& device, Problem& problem, const std::vector<std::string>& policies,
                          const deadline& end) {
    struct noting {
        Device& device;
        explicit noting(Device& d) : device(d) { device.note_kernels(); }
        ~noting() { device.forget_noted(); }  // also where memory runs out
    } const until_here(device);
    for (const std::string& policy : policies) {
        problem.source.policy = policy;
        try {
            static_cast<void>(problem.said());
        } catch (const error&) {  // it cannot be launched, as is said when it is asked for again
        }
    }
    device.compile_noted([&] { return !end.has_room_for(0); });
}

/// Adds the policies of a device that compiles kernels: compiled side by side for two thirds of the time, and
/// held against what the model's choice computes for half of what is then left. One that differs is refused,
/// here and later. Nothing is timed meanwhile: compilers would be in the way of calls, of a GPU too, which
/// this CPU begins.
template <class Device, class Problem>
void add_compiled(Device& device, Problem& problem, tuned_call& call, const deadline& end) {
    constexpr double part = 2.0 / 3, part_of_checks = 0.5, slowest_kernel = 16;
    if constexpr (compiles_kernels<Device>) {
        if (!device.has_kernels() || !problem.memory().writes()) return;
        const deadline compiling(end, part);
        const compile_limit<Device> limit(device, compiling.end());
        const std::vector<std::string> policies = new_policies(problem, call);
        compile_concurrently(device, problem, policies, compiling);
        const deadline checking(end, part_of_checks);
        reference_output reference(problem);
        for (const std::string& policy : policies) {
            problem.source.policy = policy;
            try {
                device.compile_until(compiling.end());
                const report said = problem.said();
                std::string why;
                if (said.evidence != one_policy::evidence) {
                    why = reason_of(said.why);
                } else if (!reference.is_there(checking) || !reference.has_time(checking)) {
                    call.compiled_all = false;
                    break;
                } else if (why = reference.fault_of(policy); !why.empty()) {
                    why = "it computes otherwise than the model's choice: " + why;
                    device.refuse_launched(why);
                }
                if (device.ran_out_of_time())
                    call.compiled_all = false;
                else if (why.empty())
                    call.candidates.push_back({policy, slowest_kernel, true});
                else
                    call.refused.push_back({policy, why});
            } catch (const error& refusal) {  // a policy that cannot be launched: there may be others
                call.refused.push_back({policy, refusal.what()});
            }
        }
    }
}

}  // namespace FADE_NAMESPACE::detail
