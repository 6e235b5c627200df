// The flash attention of examples/, on architectures of one kind.
#define main example
#include "../../../examples/own_flash_attention.cpp"
#undef main
#include <doctest/doctest.h>

TEST_CASE_TEMPLATE("flash attention in the verbs of tiles", Arch, fade::arch::gfx1150, fade::arch::gfx1201,
                   fade::arch::gfx1250) {
    fade::emulated_device<Arch> device;
    CHECK(wrong(device) == 0);
    CHECK(wrong(device, 1, 6, 1, 129, 129) == 0);
    CHECK(wrong(device, 1, 1, 1, 1, 65) == 0);
}
