// Which device a command line means, and who serves a request on it.
#pragma once
#include "request.hpp"
#include "runner.hpp"
#include <string>

namespace fade::bench {

/// A device that this program can use.
struct device_choice {
    std::string name;    ///< as in the answer: host, emulated:gfx942, hip:0, cuda:0
    std::string kind;    ///< as runners are registered: host, emulated:gfx942, hip, cuda
    std::string arch{};  ///< of an emulated device
    int number = 0;      ///< of a GPU

    /// Are times here those of a device? Emulation is timed, too, but as a program.
    bool measures() const { return arch.empty(); }
};

/// Of the devices that runners of an operation serve; or a refusal that says which there are.
device_choice find_device(std::string_view word, const std::vector<runner_key>& held);

/// The kinds of devices that these runners serve: host, emulated:..., hip, cuda.
std::vector<std::string> devices_of(const std::vector<runner_key>& held);

/// Different types that these runners serve, as "f16 to f32"; on one kind of device, or on any.
std::vector<std::string> types_of(const std::vector<runner_key>& held, std::string_view kind = "");

/// Does this program hold compiled code for AMD GPUs?
bool holds_compiled_code(const std::vector<runner_key>& held);

/// Says which types an operation has on a device.
[[noreturn]] void refuse_types(std::string_view op, const request& asked, const std::string& kind,
                               const std::vector<runner_key>& held);

/// Refuses to count processor time where it is a GPU that works.
void check_clock(const request& asked, const std::string& kind);

/// The runner of a request on a device, or a refusal that names what is held.
template <class Runner, class Call>
const Runner& find_runner(std::string_view op, const request& asked, const std::string& kind,
                          const Call& call) {
    check_clock(asked, kind);
    for (const auto& r : runners<Runner>()) {
        const runner_key& k = r->key();
        if (k.device == kind && k.in == asked.in->type && k.out == asked.out->type && r->takes(call))
            return *r;
    }
    refuse_types(op, asked, kind, keys_of_runners<Runner>());
}

/// Who knows the launches of a request: for an emulated device the compiled code of that architecture where
/// this program has it, else the device's own runner.
std::string planner_kind(const device_choice& device, const std::vector<runner_key>& held);

}  // namespace fade::bench
