// fade-bench reads small floats by the definition of their formats, and finds the numbers that the library
// finds.
#include "../../../tools/bench/element.cpp"
#include <doctest/doctest.h>
#include <limits>

using namespace fade;
using namespace fade::bench;

namespace {

double read(const char* type, unsigned bits) {
    const std::uint16_t wide = std::uint16_t(bits);
    const std::uint8_t narrow = std::uint8_t(bits);
    const element& e = *find_element(type);
    double out;
    e.decode(e.bytes == 1 ? static_cast<const void*>(&narrow) : &wide, 0, 1, 1, &out);
    return out;
}

}  // namespace

TEST_CASE("numbers of the formats' own texts") {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    CHECK(read("f16", 0x3c00) == 1);
    CHECK(read("f16", 0xc000) == -2);
    CHECK(read("f16", 0x7bff) == 65504);
    CHECK(read("f16", 0x0001) == 0x1p-24);
    CHECK(read("f16", 0xfc00) == -infinite);
    CHECK(std::isnan(read("f16", 0x7c01)));
    CHECK(read("bf16", 0x3f80) == 1);
    CHECK(read("bf16", 0x4049) == 3.140625);
    CHECK(read("bf16", 0x7f80) == infinite);
    CHECK(read("f8e4m3", 0x38) == 1);
    CHECK(read("f8e4m3", 0x7e) == 448);
    CHECK(std::isnan(read("f8e4m3", 0x7f)));
    CHECK(read("f8e4m3", 0x01) == 0x1p-9);
    CHECK(read("f8e5m2", 0x7b) == 57344);
    CHECK(read("f8e5m2", 0x7c) == infinite);
    CHECK(read("f8e4m3fnuz", 0x40) == 1);
    CHECK(read("f8e4m3fnuz", 0x7f) == 240);
    CHECK(std::isnan(read("f8e4m3fnuz", 0x80)));
    CHECK(read("f8e5m2fnuz", 0x7f) == 57344);
    CHECK(std::isnan(read("f8e5m2fnuz", 0x80)));
}

TEST_CASE_TEMPLATE("all bits are the numbers that the library reads", T, f16, bf16, f8e4m3, f8e5m2,
                   f8e4m3fnuz, f8e5m2fnuz) {
    int wrong = 0;
    for (unsigned bits = 0; bits < 1u << 8 * sizeof(T); ++bits) {
        T x;
        std::memcpy(&x, &bits, sizeof x);  // the first bytes are the lowest
        const double ours = read(name(dtype_v<T>), bits), theirs = convert<double>(x);
        wrong += !(std::isnan(ours) ? std::isnan(theirs)
                                    : ours == theirs && std::signbit(ours) == std::signbit(theirs));
    }
    CHECK(wrong == 0);
}

TEST_CASE("rows with steps between their elements") {
    const float row[] = {1, 2, 3, 4, 5, 6};
    double out[2];
    find_element("f32")->decode(row, 1, 3, 2, out);
    CHECK((out[0] == 2 && out[1] == 5));
    const std::uint16_t halves[] = {0, 0x3c00, 0, 0xc000};
    find_element("f16")->decode(halves, 1, 2, 2, out);
    CHECK((out[0] == 1 && out[1] == -2));
}
