// The whole demo on one device.
#pragma once
#include "devices.hpp"
#include "nearest.hpp"
#include "training.hpp"
#include <cstdio>

namespace demo {

template <class Device>
inline constexpr bool is_emulated = requires(Device& d) { d.monitor(); };

/// The kernel of the weight gradients again, at a size that fills the device: small products measure the
/// launch.
template <class T, class Device>
void measure_larger(Device& device, kernel_table& table) {
    const fade::index edge = is_emulated<Device> ? 128 : 1024;
    const std::vector<float> ones(std::size_t(edge * edge), 1.0f);
    array<Device, T> a(device, ones), b(device, ones);
    array<Device, float> d(device, ones.size());
    const sizes s{edge, edge, edge};
    table.measure(device, std::string(fade::name(fade::dtype_v<T>)) + " larger", s,
                  [&] { return multiply<fade::gemm_layout::tn>(device, s, a.data(), b.data(), d.data()); });
}

template <class Device>
outcome on_device(Device& device, const std::string& words, const settings& s, const digits& data) {
    if (s.epochs == 0) return {};  // only asked whether there is such a device
    std::printf("Device: %s\n", words.c_str());
    std::printf("Data: %d handwritten digits of 8 x 8 pixels to learn from, %d held out\n",
                data.train.count(), data.held_out.count());
    std::fflush(stdout);
    kernel_table table;
    outcome out;
    out.push_back({"nearest neighbour, f32", nearest_neighbours(device, data, table)});
    const std::string net = "network 64-" + std::to_string(s.hidden) + "-10, ";
    out.push_back({net + "f32", train_and_classify<float>(device, s, data, table)});
    out.push_back({net + "bf16", train_and_classify<fade::bf16>(device, s, data, table)});
    measure_larger<float>(device, table);
    measure_larger<fade::bf16>(device, table);
    std::printf("\nThe kernels that ran:\n");
    table.print();
    return out;
}

/// The demo on an emulated architecture of the list, where the name is one of those.
template <class... Archs>
std::optional<outcome> on_emulated(fade::arch::arch_list<Archs...> list, const std::string& name,
                                   const settings& s, const digits& data) {
    std::optional<outcome> out;
    if (name.rfind("emulated:", 0) != 0) return out;
    fade::arch::with_arch(list, name.substr(9), [&](auto arch) {
        fade::emulated_device<decltype(arch)> device;
        out = on_device(device,
                        device.name() +
                            ", lane for lane on this CPU (the times below are those of the emulation)",
                        s, data);
    });
    return out;
}

}  // namespace demo
