// Who runs an operation: one runner for each device and type that this program was built with.
#pragma once
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/report.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fade::bench {

/// Memory that a call names, as it lies on the host.
struct memory_piece {
    void* data;
    std::size_t bytes;
    bool written;
    bool addresses = false;  ///< words of 64 bits: each an address in one of the call's pieces
};

/// A call whose memory is in place on its device, whatever the operation.
class any_session {
public:
    virtual ~any_session() = default;
    /// Starts the kernels. With several sets of memory, each call takes the next one.
    virtual fade::report start() = 0;
    /// Has so many sets of the memory from now on, all with the same contents, and goes on with the first.
    virtual void rotate(int sets) = 0;
    /// Waits until all that was started is done.
    virtual void wait() {}
    /// Brings what was written back to the host.
    virtual void fetch() {}
    /// Brings the host's bytes of what is written to the device again.
    virtual void reset() {}
    /// What an emulated device noticed: a missing barrier, an access out of bounds.
    virtual std::vector<std::string> faults() const { return {}; }
};

template <class Call>
class session : public any_session {
public:
    /// The call with its addresses on the device, of each set of its memory.
    virtual std::vector<Call> there() const = 0;
};

/// One launch of a kernel.
struct launch {
    std::string symbol{};
    bool exact = true;  ///< false: `symbol` is a part of the name
    int grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    std::int64_t dynamic_lds = 0;
    int cluster = 1;
    std::vector<std::byte> kernarg{};
};

/// A value of a policy: a number, a word, or the sizes of a tile.
struct policy_field {
    std::string name, word;
    std::vector<std::int64_t> numbers;
};

/// What a call would do.
struct kernel_choice {
    fade::report report{};
    std::string kernel{};
    std::vector<policy_field> policy{};
    std::vector<launch> launches{};
    std::size_t main_launch =
        0;  ///< the one that computes; others bring its operands into place or add its parts
    std::int64_t workspace_bytes = 0;
};

/// What a runner serves.
struct runner_key {
    std::string device;  ///< host, emulated:ARCH, hip or cuda
    fade::dtype in, out;
};

template <class Call>
class runner {
public:
    explicit runner(runner_key key) : key_(std::move(key)) {}
    virtual ~runner() = default;

    const runner_key& key() const { return key_; }
    /// Of several runners of a device and type: does this one hold the kernel that the call needs?
    virtual bool takes(const Call&) const { return true; }
    /// A session with one set of memory: these pieces, which are all that the call names.
    virtual std::unique_ptr<session<Call>> prepare(const Call&, const std::vector<memory_piece>&,
                                                   int device) const = 0;
    /// What would run; `arch` names one of several architectures, or is empty for the device itself.
    virtual kernel_choice choose(const Call&, std::string_view arch, int device) const = 0;

private:
    runner_key key_;
};

/// The runners of an operation in this program. Each instance adds its own before main starts.
template <class Runner>
std::vector<std::unique_ptr<Runner>>& runners() {
    static std::vector<std::unique_ptr<Runner>> all;
    return all;
}

template <class Runner>
std::vector<runner_key> keys_of_runners() {
    std::vector<runner_key> out;
    for (const auto& r : runners<Runner>()) out.push_back(r->key());
    return out;
}

/// Kinds of GPUs that this program can drive, and how many of them are there.
struct gpu_kind {
    std::string name;  ///< hip or cuda
    int (*count)();
};
std::vector<gpu_kind>& gpu_kinds();

/// A static object of this type adds a runner.
template <class Runner>
struct add_runner {
    explicit add_runner(std::unique_ptr<Runner> r) { runners<Runner>().push_back(std::move(r)); }
};

struct add_gpu_kind {
    add_gpu_kind(std::string name, int (*count)());
};

}  // namespace fade::bench
