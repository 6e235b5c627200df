// Every 8-bit float as an f16, from every place of a register: what the instructions of an architecture make
// of it.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include <fade/gemm.hpp>
#include <numeric>
#include <random>

namespace fade::replay {

/// A lane's words hold four values each, `a` those at 4 w on and `b` others; twelve results a word:
/// neighbours of a, then columns of both.
template <class T>
struct widen_probe {
    static constexpr int words = 64, results = 6;  // of two f16
    struct arguments {
        const std::uint32_t *a, *b;
        std::uint32_t* out;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = 16};
    }
    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        block.each_lane([&](lane_coord p) {
            for (int w = p.lane; w < words; w += Block::wave_size) {
                const std::uint32_t a = args.a[w], b = args.b[w];
                std::uint32_t* out = args.out + w * results;
                out[0] = Block::template widen<T, true>(a, b, 0),
                out[1] = Block::template widen<T, true>(a, b, 2);
                FADE_UNROLL
                for (int at = 0; at < 4; ++at) out[2 + at] = Block::template widen<T, false>(a, b, at);
            }
        });
    }
};

template <class T, class Arch>
void capture_widen(const fs::path& folder, std::mt19937_64& random) {
    using probe = widen_probe<T>;
    std::vector<std::uint8_t> a(256), b(256);
    std::iota(a.begin(), a.end(), std::uint8_t(0)), std::iota(b.begin(), b.end(), std::uint8_t(0));
    std::shuffle(b.begin(), b.end(), random);
    std::vector<std::uint32_t> got(probe::words * probe::results, 0xffffffffu);
    std::vector<double> want;
    const auto expect = [&](std::uint8_t x, std::uint8_t y) {
        want.push_back(test::value_of(T{x})), want.push_back(test::value_of(T{y}));
    };
    for (std::size_t w = 0; w < 256; w += 4) {
        expect(a[w], a[w + 1]), expect(a[w + 2], a[w + 3]);
        for (std::size_t at = 0; at < 4; ++at) expect(a[w + at], b[w + at]);
    }
    capture out(folder);
    keep(out, "a", a, "in"), keep(out, "b", b, "in"), keep(out, "out", got, "out");
    planned_launch launch{.entry = hip_target::entry_address<probe>(),
                          .block = {Arch::traits.wave_size, 1, 1}};
    const typename probe::arguments args{reinterpret_cast<const std::uint32_t*>(a.data()),
                                         reinterpret_cast<const std::uint32_t*>(b.data()), got.data()};
    launch.kernarg.resize(sizeof args);
    std::memcpy(launch.kernarg.data(), &args, sizeof args);
    out.launch(std::string(Arch::traits.name), launch);
    out.expect("out", "f16", want, 0);
    out.close();
}

}  // namespace fade::replay
