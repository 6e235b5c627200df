// Vectors convert as single elements do, bit for bit: all 16-bit floats, and f32 values around every
// rounding.
#include "common/each_isa.hpp"
#include <cstring>
#include <doctest/doctest.h>
#include <fade/atom/cpu/pack.hpp>
#include <vector>

using namespace fade;

namespace {

template <class To, class From>
int differences(const std::vector<From>& from) {
    std::vector<To> to(from.size());
    atom::with_vectors<atom::copy_rows>(to.data(), fade::index(0), from.data(), fade::index(0), 1,
                                        int(from.size()));
    int wrong = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const To one = convert<To>(from[i]);
        wrong += std::memcmp(&one, &to[i], sizeof one) != 0;
    }
    return wrong;
}

template <class T>
std::vector<T> all_16_bits() {
    std::vector<T> out;
    for (unsigned i = 0; i < 65536; ++i) out.push_back({std::uint16_t(i)});
    return out;
}

/// Every exponent and sign with the mantissas at which roundings to 10 and 7 bits turn.
std::vector<float> turning_points() {
    std::vector<float> out;
    for (std::uint32_t high = 0; high < 1u << 16; ++high)
        for (const std::uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u,
                                        0x7fffu, 0x8000u, 0x8001u, 0xffffu})
            out.push_back(std::bit_cast<float>(high << 16 | low));
    return out;
}

}  // namespace

TEST_CASE("f16 and bf16, there and back") {
    test::each_isa([] {
        CHECK(differences<float>(all_16_bits<f16>()) == 0);
        CHECK(differences<float>(all_16_bits<bf16>()) == 0);
        CHECK(differences<f16>(turning_points()) == 0);
        CHECK(differences<bf16>(turning_points()) == 0);
    });
}
