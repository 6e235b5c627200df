// Launches written to a folder, to be replayed elsewhere.
#pragma once
#include "../common/whole_folder.hpp"
#include "devices.hpp"
#include "matrix.hpp"
#include "request.hpp"
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fade::bench {

/// Refuses what cannot be captured, and a folder that cannot be written to.
void prepare_capture(const request& asked, const device_choice& device, const std::vector<runner_key>& held);

/// What a call would launch, with the memory that its kernels need beside its own. That is never touched.
struct captured_choice {
    std::unique_ptr<std::byte[]> workspace;
    kernel_choice choice;
};

template <class Runner, class Call>
captured_choice choose_with_workspace(const Runner& planner, const device_choice& device, Call call) {
    captured_choice out{nullptr, planner.choose(call, device.arch, device.number)};
    if (out.choice.workspace_bytes == 0) return out;
    out.workspace = std::make_unique_for_overwrite<std::byte[]>(out.choice.workspace_bytes);
    call.workspace = out.workspace.get(), call.workspace_bytes = out.choice.workspace_bytes;
    out.choice = planner.choose(call, device.arch, device.number);
    return out;
}

/// What is written to launch.json, and the files beside it: all of it when `write` returns, and nothing
/// before. `suffix` stands behind the names of buffers.
class capture {
public:
    capture(const std::string& folder, std::string arch);
    ~capture();

    void add_buffers(const buffer_set& buffers, const std::string& suffix = "");
    void add_launches(const captured_choice& c, const std::string& suffix = "");
    /// What the launches should write to an output, in doubles as it lies in memory.
    void expect(const buffer& output, const std::vector<double>& values, double bound,
                const std::string& suffix = "");
    void write() const;

private:
    void add_buffer(const buffer& b, const std::string& suffix);
    tools::whole_folder folder_;
    std::string arch_;
    std::unique_ptr<nlohmann::ordered_json> out_;
};

/// What a replay finds in an output that nobody wrote: 0xa5 bytes.
std::vector<double> untouched_values(const matrix& m);

}  // namespace fade::bench
