// Images of random sizes, in either order of memory, and where the tests find an element.
#pragma once
#include "common/bounded.hpp"
#include "common/conv_trial.hpp"
#include <array>
#include <random>

namespace fade::test {

/// Numbers of one generator.
struct image_draw {
    std::mt19937_64 random;
    int of(int low, int high) { return low + int(random() % std::uint64_t(high - low + 1)); }
    bool coin() { return of(0, 1) == 1; }
};

/// An image's element in memory: [n, d, h, w, c], or [n, c, d, h, w].
inline std::size_t image_at(conv_layout layout, int channels, const spatial& size, index n, int c,
                            const std::array<int, 3>& at) {
    const index pixel = (index(at[0]) * size.h + at[1]) * size.w + at[2], pixels = size.volume();
    return std::size_t(layout == conv_layout::channels_last ? (n * pixels + pixel) * channels + c
                                                            : (n * channels + c) * pixels + pixel);
}

/// f(n, c, {d, h, w}) for all elements.
template <class F>
void each_element(index batch, int channels, const spatial& size, F f) {
    for (index n = 0; n < batch; ++n)
        for (int c = 0; c < channels; ++c)
            for (int d = 0; d < size.d; ++d)
                for (int h = 0; h < size.h; ++h)
                    for (int w = 0; w < size.w; ++w) f(n, c, std::array{d, h, w});
}

/// ||got - wanted|| is at most ||bound||, and nothing beside it was written.
template <class T>
std::string image_difference(const char* name, guarded<T>& got, const std::vector<bounded>& wanted) {
    double off = 0, allowed = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const bounded want = stored<T>(wanted[i]);
        const double g = value_of(got[i]);
        if (!std::isfinite(want.value)) {
            if (std::isnan(want.value) ? !std::isnan(g) : g != want.value)
                return std::string(name) + ": a NaN or infinity is missing; ";
            continue;
        }
        off += (g - want.value) * (g - want.value), allowed += want.error * want.error;
    }
    std::ostringstream out;
    if (got.overrun()) out << name << ": something beside it was written; ";
    if (!(off <= allowed))
        out << name << ": off by " << std::sqrt(off) << ", at most " << std::sqrt(allowed) << "; ";
    return out.str();
}

}  // namespace fade::test
