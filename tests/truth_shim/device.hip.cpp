// What hip_device takes a machine for: the units that its selector counts on, by the runtime alone and with
// the truth.
#include <cstdio>
#include <fade/device.hpp>
#include <fade/gemm.hpp>

int main() {
    try {
        const fade::hip_device plain(0);
        const fade::hip_device asked = fade::with_true_units<fade::hip_device>(0);
        const fade::hip_device told(0, nullptr, 7);
        std::printf("%d %d %d\n", plain.compute_units(), asked.compute_units(), told.compute_units());
        return 0;
    } catch (const fade::error& e) {
        std::printf("refused %s\n", e.argument().c_str());
        return 3;
    }
}
