// expect: this kernel is written for the waves of a GPU, and a workgroup of the host is one thread: launch it
// on
#include <fade/gemm.hpp>

struct of_two_waves {
    struct arguments {};
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return {.waves = 2, .shared_bytes = 16};
    }
    template <class Block>
    static void run(Block&, const arguments&) {}
};
void call(fade::host_device& device) { device.launch<of_two_waves>({1, 1, 1}, {}); }
