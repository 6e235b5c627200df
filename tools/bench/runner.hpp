// Who runs a multiplication: one runner for each device, type and layout that this program was built with.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>
#include <fade/core/report.hpp>
#include <fade/kernel/gemm/problem.hpp>
#include "stage.hpp"

namespace fade::bench {

/// A stage with the memory that it reads.
struct stage_use {
    const stage* what;
    const void* values;
    index row, batch_stride;
};

/// A problem with the memory of its matrices, whatever their types.
struct gemm_call {
    gemm_problem problem;
    const void* a = nullptr;
    const void* b = nullptr;
    const void* c = nullptr;
    void* d = nullptr;
    std::vector<stage_use> epilogue{};
    int split_k = 1;
    bool strict = false;
    void* workspace = nullptr;  ///< null: the device's own
    std::size_t workspace_bytes = 0;
};

/// Memory that a call names, as it lies on the host.
struct memory_piece {
    void* data;
    std::size_t bytes;
    bool written;
};

/// A call whose memory is in place on its device.
class gemm_session {
public:
    virtual ~gemm_session() = default;
    /// Starts the kernels.
    virtual fade::report start() = 0;
    /// Waits until all that was started is done.
    virtual void wait() {}
    /// Brings what was written back to the host.
    virtual void fetch() {}
    /// Brings the host's bytes of what is written to the device again.
    virtual void reset() {}
    /// What an emulated device noticed: a missing barrier, an access out of bounds.
    virtual std::vector<std::string> faults() const { return {}; }
    /// The call with its addresses on the device.
    virtual const gemm_call& there() const = 0;
};

/// One launch of a kernel.
struct launch {
    std::string symbol{};
    bool exact = true;  ///< false: `symbol` is a part of the name
    int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    std::int64_t dynamic_lds = 0;
    std::vector<std::byte> kernarg{};
};

/// A value of a policy: a number, a word, or the sizes of a tile.
struct policy_field {
    std::string name, word;
    std::vector<std::int64_t> numbers;
};

/// What a call would do.
struct gemm_choice {
    fade::report report{};
    std::string kernel{};
    std::vector<policy_field> policy{};
    std::vector<launch> launches{};
    std::int64_t workspace_bytes = 0;
};

/// What a runner serves.
struct gemm_runner_key {
    std::string device;  ///< host, emulated:ARCH, hip or cuda
    fade::dtype in, out;
    std::string layout;  ///< nn, nt, tn, tt, or any of them
};

class gemm_runner {
public:
    explicit gemm_runner(gemm_runner_key key) : key_(std::move(key)) {}
    virtual ~gemm_runner() = default;

    const gemm_runner_key& key() const { return key_; }
    /// Of several runners of a device, type and layout: does this one hold the kernel that the call needs?
    virtual bool takes(const gemm_call&) const { return true; }
    /// The chains held beside none; empty where every sequence of stages is.
    virtual std::vector<std::string> chains() const = 0;
    virtual std::unique_ptr<gemm_session> prepare(const gemm_call&, const std::vector<memory_piece>&, int device) const = 0;
    /// What would run; `arch` names one of several architectures, or is empty for the device itself.
    virtual gemm_choice choose(const gemm_call&, std::string_view arch, int device) const = 0;

private:
    gemm_runner_key key_;
};

/// The runners of this program. Each instance adds its own before main starts.
std::vector<std::unique_ptr<gemm_runner>>& gemm_runners();

/// Kinds of GPUs that this program can drive, and how many of them are there.
struct gpu_kind {
    std::string name;  ///< hip or cuda
    int (*count)();
};
std::vector<gpu_kind>& gpu_kinds();

/// A static object of this type adds a runner.
struct add_gemm_runner {
    explicit add_gemm_runner(std::unique_ptr<gemm_runner> r) { gemm_runners().push_back(std::move(r)); }
};

struct add_gpu_kind {
    add_gpu_kind(std::string name, int (*count)());
};

}  // namespace fade::bench
