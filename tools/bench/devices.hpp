// Which device a command line means, and who serves a request on it.
#pragma once
#include <string>
#include "request.hpp"
#include "runner.hpp"

namespace fade::bench {

/// A device that this program can use.
struct device_choice {
    std::string name;  ///< as in the answer: host, emulated:gfx942, hip:0, cuda:0
    std::string kind;  ///< as runners are registered: host, emulated:gfx942, hip, cuda
    std::string arch{};  ///< of an emulated device
    int number = 0;    ///< of a GPU
};

/// Throws a refusal that says which devices there are.
device_choice find_device(std::string_view word);

/// The kinds of devices that this program holds: host, emulated:..., hip, cuda.
std::vector<std::string> held_devices();

/// The runner of a request on a device, or a refusal that names what is held.
const gemm_runner& find_runner(const gemm_request& request, const std::string& kind, const gemm_call& call);

/// Who knows the launches of a request: for an emulated device the compiled code of that architecture where this
/// program has it, else the device's own runner.
const gemm_runner& find_planner(const gemm_request& request, const device_choice& device, const gemm_call& call);

/// Does this program hold compiled code for AMD GPUs?
bool holds_compiled_code();

}  // namespace fade::bench
