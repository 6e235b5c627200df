// A convolution as the library's own call.
#pragma once
#include "../../instances/launches.hpp"
#include "../call.hpp"
#include <fade/conv.hpp>
#include <tuple>

namespace fade::bench {

inline conv_call moved(conv_call call, const auto& there) {
    call.x = there(call.x), call.w = there(call.w), call.y = there(call.y);
    return call;
}

/// What kernels may know of an architecture: its traits, of which the first is its name.
template <class Arch>
constexpr auto traits_known() {
    const auto [name, family, wave_size, simds, waves, vgprs, granule, most_vgprs, lds, lds_of_unit, wrap,
                buffer_word, xcds, tensor_maps, transposing_reads] = Arch::traits;
    return std::tuple(family, wave_size, simds, waves, vgprs, granule, most_vgprs, lds, lds_of_unit, wrap,
                      buffer_word, xcds, tensor_maps, transposing_reads);
}

constexpr bool same_row(const tune::gemm_row& one, const tune::gemm_row& other) {
    return one.large == other.large && one.small == other.small &&
           one.ring_transposes == other.ring_transposes;
}

template <class Device>
inline constexpr bool is_emulated = false;
template <class Arch>
inline constexpr bool is_emulated<emulated_device<Arch>> = true;

/// What is compiled beside the algorithms that automatic takes. Emulation times nothing, and has none of
/// these; fft, whose kernels are many, is there for f32.
template <class In, class Device>
inline constexpr conv_algorithms algorithms{.im2col = !is_emulated<Device>,
                                            .winograd = !is_emulated<Device>,
                                            .fft = !is_emulated<Device> && std::is_same_v<In, float>};

/// Whole numbers have the forward pass alone, so that no kernels of the others are compiled.
template <class In_, class Out_>
class conv_task {
public:
    using In = In_;
    using Out = Out_;
    using runner = conv_runner;
    /// Kernels know of an architecture its atoms, its traits and its policies.
    template <class One, class Other>
    static constexpr bool same_kernels =
        std::is_same_v<typename One::atoms, typename Other::atoms> &&
        traits_known<One>() == traits_known<Other>() &&
        same_row(tune::gemm_rows<One, In>::row, tune::gemm_rows<Other, In>::row);

    explicit conv_task(const conv_call& call) : call_(call) {}

    const conv_call& call() const { return call_; }
    template <class Device>
    fade::report run(Device& device) const {
        const conv_problem& p = call_.problem;
        if constexpr (!std::is_integral_v<In>) {
            if (call_.pass == conv_pass::backward_data)
                return conv_backward_data<In, Out, algorithms<In, Device>>(device, p, to_data(), {},
                                                                           options());
            if (call_.pass == conv_pass::backward_weights)
                return conv_backward_weights<In, Out, algorithms<In, Device>>(device, p, to_weights(), {},
                                                                              options());
        }
        return conv_forward<In, Out, algorithms<In, Device>>(device, p, forward(), {}, options());
    }
    template <class Device>
    kernel_choice plan(Device& device) const {
        const conv_plan p = planned(device);
        kernel_choice out = choice_of(p, policy_of(p));
        if (!out.launches.empty()) out.main_launch = p.main_launch;
        return out;
    }

private:
    /// A direct kernel has no tile: what it has are items of a workgroup, and the pixels of each or of a
    /// share.
    std::vector<policy_field> policy_of(const conv_plan& p) const {
        if (p.algorithm != conv_algorithm::direct) return fields_of(p.policy);
        const bool weights = call_.pass == conv_pass::backward_weights;
        return {{"items", {}, {kernel::direct_items}},
                {weights ? "segment_pixels" : "item_pixels",
                 {},
                 {weights ? kernel::direct_segment : kernel::direct_pixels}}};
    }
    template <class Device>
    conv_plan planned(Device& device) const {
        const conv_problem& p = call_.problem;
        if constexpr (!std::is_integral_v<In>) {
            if (call_.pass == conv_pass::backward_data)
                return plan_conv_backward_data<In, Out, algorithms<In, Device>>(device, p, to_data(), {},
                                                                                options());
            if (call_.pass == conv_pass::backward_weights)
                return plan_conv_backward_weights<In, Out, algorithms<In, Device>>(device, p, to_weights(),
                                                                                   {}, options());
        }
        return plan_conv_forward<In, Out, algorithms<In, Device>>(device, p, forward(), {}, options());
    }

    conv_operands<In, Out> forward() const { return {.x = in(call_.x), .w = in(call_.w), .y = out(call_.y)}; }
    conv_data_operands<In, Out> to_data() const {
        return {.dy = in(call_.y), .w = in(call_.w), .dx = out(call_.x)};
    }
    conv_weights_operands<In, Out> to_weights() const {
        return {.x = in(call_.x), .dy = in(call_.y), .dw = out(call_.w)};
    }
    static const In* in(void* at) { return static_cast<const In*>(at); }
    static Out* out(void* at) { return static_cast<Out*>(at); }
    conv_options options() const {
        return {.strict = call_.strict,
                .algorithm = call_.algorithm,
                .workspace = call_.workspace,
                .workspace_bytes = call_.workspace_bytes};
    }

    conv_call call_;
};

}  // namespace fade::bench
