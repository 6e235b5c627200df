// Numbers of 8 and 16 bits become f32 and back a vector at once as one by one, with every instruction set.
#include "common/each_isa.hpp"
#include <bit>
#include <cstring>
#include <doctest/doctest.h>
#include <fade/atom/cpu/vector.hpp>
#include <random>
#include <vector>

using namespace fade;

namespace {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
template <class T>
T made_of(std::uint32_t bits) {
    return std::bit_cast<T>(bits_of<T>(bits));
}

struct convert_all {
    template <int Bytes, class To, class From>
    FADE_CPU static void apply(To* to, const From* from, int count) {
        using lanes = atom::lanes_of<float, Bytes>;
        for (int i = 0; i < count; i += lanes::count) {
            typename lanes::vector x;
            lanes::load(x, from + i), lanes::store(to + i, x);
        }
    }
};

/// Any bits, numbers of T, what lies between two of them, and what lies beyond all.
template <class T>
std::vector<float> numbers(std::mt19937& random, int count) {
    std::vector<float> out;
    const int last = (1 << 8 * sizeof(T)) - 1;
    for (int i = 0; i < count; ++i) {
        const std::uint32_t bits = random() & last;
        const float one = convert<float>(made_of<T>(bits)), next = convert<float>(made_of<T>(bits + 1));
        switch (random() % 4) {
        case 0:
            out.push_back(std::bit_cast<float>(std::uint32_t(random())));
            break;
        case 1:
            out.push_back((one + next) / 2);
            break;
        case 2:
            out.push_back(one * (1 + (int(random() % 17) - 8) / 64.0f));
            break;
        default:
            out.push_back(one);
        }
    }
    return out;
}

template <class T>
void check(std::mt19937& random) {
    CAPTURE(name(dtype_v<T>));
    const int all = 1 << 8 * sizeof(T);
    std::vector<T> every;
    for (int bits = 0; bits < all; ++bits) every.push_back(made_of<T>(std::uint32_t(bits)));
    std::vector<float> wide(every.size());
    atom::with_vectors<convert_all>(wide.data(), static_cast<const T*>(every.data()), all);
    int wrong = 0;
    for (int i = 0; i < all; ++i) {
        const float want = convert<float>(every[std::size_t(i)]);
        wrong += std::memcmp(&want, &wide[std::size_t(i)], sizeof want) != 0;
    }
    CHECK(wrong == 0);
    const auto from = numbers<T>(random, 1 << 16);
    std::vector<T> narrow(from.size());
    atom::with_vectors<convert_all>(narrow.data(), static_cast<const float*>(from.data()), int(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i) {
        const T want = convert<T>(from[i]);
        wrong += std::memcmp(&want, &narrow[i], sizeof want) != 0;
    }
    CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a vector at once is what comes one by one") {
    const unsigned seed = std::random_device{}();
    MESSAGE("seed ", seed);
    test::each_isa([&] {
        std::mt19937 random(seed);
        check<i8>(random), check<f8e4m3>(random), check<f8e5m2>(random);
        check<f8e4m3fnuz>(random), check<f8e5m2fnuz>(random);
        check<f16>(random), check<bf16>(random);
    });
}
