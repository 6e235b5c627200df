// Devices whose memory is the program's own: this CPU, and the architectures it emulates.
#pragma once
#include "call.hpp"

namespace fade::bench {

template <class Device>
std::unique_ptr<Device> make_device() {
    if constexpr (requires { emulation_options{}; Device{emulation_options{}}; }) return std::make_unique<Device>(emulation_options{.faults_throw = false});
    else return std::make_unique<Device>();
}

template <class Device, class In, class Out>
class cpu_session : public gemm_session {
public:
    explicit cpu_session(const gemm_call& call) : device_(make_device<Device>()), call_(call), epilogue_(any_chain_of<Out>(call)) {}

    fade::report start() override {
        return fade::gemm<In, Out>(*device_, call_.problem, operands_of<In, Out>(call_), epilogue_, options_of(call_));
    }
    const gemm_call& there() const override { return call_; }

    std::vector<std::string> faults() const override {
        std::vector<std::string> out;
        if constexpr (requires { device_->monitor(); })
            for (const auto& f : device_->monitor().faults()) out.push_back(f.what);
        return out;
    }

private:
    std::unique_ptr<Device> device_;
    gemm_call call_;
    any_chain<Out> epilogue_;
};

template <class Device, class In, class Out>
class cpu_runner : public gemm_runner {
public:
    explicit cpu_runner(std::string device) : gemm_runner({std::move(device), dtype_v<In>, dtype_v<Out>, "any"}) {}

    std::vector<std::string> chains() const override { return {}; }
    std::unique_ptr<gemm_session> prepare(const gemm_call& call, const std::vector<memory_piece>&, int) const override {
        return std::make_unique<cpu_session<Device, In, Out>>(call);
    }
    gemm_choice choose(const gemm_call& call, std::string_view, int) const override {
        const auto device = make_device<Device>();
        return choice_of(plan_gemm<In, Out>(*device, call.problem, operands_of<In, Out>(call), any_chain_of<Out>(call), options_of(call)));
    }
};

}  // namespace fade::bench
