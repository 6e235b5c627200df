// This CPU, by whichever vectors it has and by those that it could do with.
#include "common/attention_suite.hpp"
#include "common/each_isa.hpp"

TEST_CASE("attention on the host") {
    fade::host_device device;
    fade::test::attention_suite<float>(device, 256, 60);
    fade::test::attention_suite<fade::bf16>(device, 256, 20);
    fade::test::attention_suite<fade::f16, float>(device, 256, 20);
}

TEST_CASE("attention on the host, instruction set by instruction set") {
    fade::test::each_isa([] {
        fade::host_device device(2);
        fade::test::attention_suite<fade::f16>(device, 100, 20);
    });
}
