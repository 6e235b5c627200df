// What an emulated launch notices: faults of the kernel, and shared-memory bank conflicts.
#pragma once
#include <cstdint>
#include <fade/backend/host/mutex.hpp>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::backend::emulated {

enum class fault_kind { missing_barrier, out_of_bounds, uninitialised, too_early };

struct fault {
    fault_kind kind;
    std::string what;
};

/// Told what a workgroup that awaits its inputs itself may read: until then the kernel before it writes them.
/// A test poisons them in `late` and writes them in `here`, on a device of one thread.
struct input_watcher {
    virtual void late() = 0;  ///< a workgroup begins
    virtual void here() = 0;  ///< it has awaited its inputs
    virtual ~input_watcher() = default;
};

/// Collects over all workgroups of a launch; workgroups may run on several threads.
class monitor {
public:
    static constexpr std::size_t max_kept = 16;
    input_watcher* inputs = nullptr;  ///< null: nobody wants to know

    void report(fault_kind kind, std::string what) {
        const host::lock_guard lock(mutex_);
        ++count_;
        if (kept_.size() < max_kept) kept_.push_back({kind, std::move(what)});
    }
    void count_shared(std::uint64_t accesses, std::uint64_t extra_cycles) {
        const host::lock_guard lock(mutex_);
        accesses_ += accesses;
        extra_cycles_ += extra_cycles;
    }

    std::uint64_t fault_count() const { return count_; }
    const std::vector<fault>& faults() const { return kept_; }
    /// Wave-wide shared accesses, and the cycles that bank conflicts add to them.
    std::uint64_t shared_accesses() const { return accesses_; }
    std::uint64_t conflict_cycles() const { return extra_cycles_; }
    void clear() { *this = monitor(); }

    monitor() = default;
    monitor& operator=(monitor&& other) noexcept {
        count_ = other.count_, accesses_ = other.accesses_, extra_cycles_ = other.extra_cycles_;
        kept_ = std::move(other.kept_);
        return *this;
    }

private:
    host::mutex mutex_;
    std::uint64_t count_ = 0, accesses_ = 0, extra_cycles_ = 0;
    std::vector<fault> kept_;
};

}  // namespace FADE_NAMESPACE::backend::emulated
