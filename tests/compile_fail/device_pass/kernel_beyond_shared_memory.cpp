// expect: this kernel asks for more than a workgroup of this architecture has (lanes, shared memory or
// refused for: gfx942 gfx1100
// taken for: gfx950
#include <fade/gemm.hpp>

struct of_much_memory {
    struct arguments {};
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return {.waves = 4, .shared_bytes = 100 * 1024};
    }
    template <class Block>
    FADE_FN static void run(Block& block, const arguments&) {
        block.sync();
    }
};
void call(fade::hip_device& device) { device.launch<of_much_memory>({1, 1, 1}, {}); }
