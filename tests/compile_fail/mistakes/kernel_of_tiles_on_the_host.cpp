// expect: this kernel is written in tiles for the waves of a GPU, and the host's atoms read panels: launch it
// on
#include <fade/gemm.hpp>

struct of_tiles {
    struct arguments {};
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        using atom = typename Arch::template atom<fade::f16>;
        return {.waves = 1, .shared_bytes = fade::block::operand_layout<Arch, atom, 64, 64>::bytes};
    }
    template <class Block>
    static void run(Block&, const arguments&) {}
};
void call(fade::host_device& device) { device.launch<of_tiles>({1, 1, 1}, {}); }
