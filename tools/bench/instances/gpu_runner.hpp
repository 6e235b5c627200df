// Devices with a memory of their own.
#pragma once
#include "chains.hpp"

namespace fade::bench {

/// The memory of a call, copied to a device.
template <class Device>
class memory_there {
public:
    memory_there(Device& device, std::vector<memory_piece> pieces) : device_(device), pieces_(std::move(pieces)) {
        for (const memory_piece& p : pieces_) {
            there_.push_back(device_.allocate(std::max<std::size_t>(p.bytes, 1)));
            if (p.bytes) device_.copy_to_device(there_.back(), p.data, p.bytes);
        }
        device_.synchronize();
    }
    memory_there(const memory_there&) = delete;
    ~memory_there() {
        for (void* p : there_) release(p);
    }

    /// Where a piece of the host lies on the device.
    void* operator()(const void* here) const {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].data == here) return there_[i];
        return nullptr;
    }
    void fetch() {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].written && pieces_[i].bytes) device_.copy_to_host(pieces_[i].data, there_[i], pieces_[i].bytes);
        device_.synchronize();
    }
    void reset() {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (pieces_[i].written && pieces_[i].bytes) device_.copy_to_device(there_[i], pieces_[i].data, pieces_[i].bytes);
        device_.synchronize();
    }

private:
    void release(void* p) noexcept {
        try {
            device_.release(p);
        } catch (const error&) {  // what failed before says so itself
        }
    }
    Device& device_;
    std::vector<memory_piece> pieces_;
    std::vector<void*> there_;
};

inline gemm_call moved(gemm_call call, const auto& there) {
    call.a = there(call.a), call.b = there(call.b), call.c = there(call.c), call.d = there(call.d);
    for (stage_use& s : call.epilogue) s.values = there(s.values);
    return call;
}

template <class Device, class In, class Out, class Chains>
class gpu_session : public gemm_session {
public:
    gpu_session(int device, const gemm_call& call, const std::vector<memory_piece>& pieces)
        : device_(device), memory_(device_, pieces), call_(moved(call, memory_)) {}

    fade::report start() override {
        return Chains::template with<Out>(call_, [&](const auto& chain) {
            return fade::gemm<In, Out>(device_, call_.problem, operands_of<In, Out>(call_), chain, options_of(call_));
        });
    }
    void wait() override { device_.synchronize(); }
    void fetch() override { memory_.fetch(); }
    void reset() override { memory_.reset(); }
    const gemm_call& there() const override { return call_; }

private:
    Device device_;
    memory_there<Device> memory_;
    gemm_call call_;
};

/// Target: what answers for an architecture whose device is not here.
template <class Device, class Target, class In, class Out, class Chains>
class gpu_runner : public gemm_runner {
public:
    explicit gpu_runner(std::string device) : gemm_runner({std::move(device), dtype_v<In>, dtype_v<Out>, "any"}) {}

    /// A chain that no object has is taken too, and refused by its name.
    bool takes(const gemm_call& call) const override { return Chains::has(call) || !all_chains::has(call); }
    std::vector<std::string> chains() const override { return compiled_chains(); }
    std::unique_ptr<gemm_session> prepare(const gemm_call& call, const std::vector<memory_piece>& pieces, int device) const override {
        return std::make_unique<gpu_session<Device, In, Out, Chains>>(device, call, pieces);
    }
    gemm_choice choose(const gemm_call& call, std::string_view arch, int device) const override {
        if constexpr (!std::is_same_v<Device, Target>)
            if (!arch.empty()) return planned(Target(std::string(arch)), call);
        return planned(Device(device), call);
    }

private:
    template <class Planner>
    static gemm_choice planned(Planner planner, const gemm_call& call) {
        return Chains::template with<Out>(call, [&](const auto& chain) {
            return choice_of(plan_gemm<In, Out>(planner, call.problem, operands_of<In, Out>(call), chain, options_of(call)));
        });
    }
};

}  // namespace fade::bench
