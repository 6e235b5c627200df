// Lane maps: each covers its tile once, the check finds maps that do not, and a product through them is the
// product.
#include "common/numbers.hpp"
#include "common/policies.hpp"
#include "common/property.hpp"
#include <array>
#include <doctest/doctest.h>
#include <fade/atom/emulate.hpp>
#include <random>

using namespace fade;

namespace {

template <class Arch>
constexpr bool atoms_cover = atom::maps_cover<typename Arch::template atom<f32>>() &&
                             atom::maps_cover<typename Arch::template atom<f16>>() &&
                             atom::maps_cover<typename Arch::template atom<bf16>>();
template <class... Archs>
constexpr bool all_cover(arch::arch_list<Archs...>) {
    return (atoms_cover<Archs> && ...);
}
static_assert(all_cover(arch::amd{}), "the atoms of every architecture");
// The forms that no row of the table uses yet.
static_assert(atom::maps_cover<atom::mfma<float, float, 16, 4>>() &&
              atom::maps_cover<atom::mfma<f16, float, 16, 16>>() &&
              atom::maps_cover<atom::mfma<bf16, float, 16, 8>>());
static_assert(atom::maps_cover<atom::mfma<f16, float, 16, 32>>() &&
              atom::maps_cover<atom::mfma<bf16, float, 16, 32>>() &&
              atom::maps_cover<atom::mfma<double, double, 16, 4>>());

/// Of NVIDIA.
template <class... Atoms>
struct atom_names {};
template <class T>
using nvidia_atom = atom::mma_sm80<T>;
using nvidia_atoms = atom_names<nvidia_atom<f16>, nvidia_atom<bf16>, nvidia_atom<i8>, nvidia_atom<f8e4m3>,
                                nvidia_atom<f8e5m2>, atom::dmma<8, 4>, atom::dmma<16, 8>>;
template <class... Atoms>
constexpr bool each_covers(atom_names<Atoms...>) {
    return (atom::maps_cover<Atoms>() && ...);
}
static_assert(each_covers(nvidia_atoms{}));

/// An atom with one of its maps spoilt.
struct right : atom::mfma<f16, float, 32, 8> {};
struct twice_the_same_row : right {
    static constexpr atom::coordinate d_at(int lane, int g) {
        return {right::d_at(lane, g & ~1).major, lane % 32};
    }
};
struct beyond_the_tile : right {
    static constexpr atom::coordinate a_at(int lane, int e) { return {lane % 32, 4 * (lane / 32) + e + 1}; }
};
struct below_zero : right {
    static constexpr atom::coordinate b_at(int lane, int e) { return {lane % 32 - 1, 4 * (lane / 32) + e}; }
};
struct a_copy_too_few : right {
    static constexpr int a_copies = 2;
};
static_assert(atom::maps_cover<right>());
static_assert(!atom::maps_cover<twice_the_same_row>() && !atom::maps_cover<beyond_the_tile>());
static_assert(!atom::maps_cover<below_zero>() && !atom::maps_cover<a_copy_too_few>());

/// A whole operand spelt into registers, as a lane map says.
template <class A, int Size, class Dense>
auto registers_of(const Dense& dense, int depth, atom::coordinate (*at)(int, int)) {
    std::array<std::array<typename A::element, std::size_t(Size)>, std::size_t(A::lanes)> out;
    for (int lane = 0; lane < A::lanes; ++lane)
        for (int e = 0; e < Size; ++e)
            out[std::size_t(lane)][std::size_t(e)] =
                dense[std::size_t(at(lane, e).major * depth + at(lane, e).minor)];
    return out;
}

/// Small whole numbers: every product and sum is exact in every type.
template <class T>
std::vector<T> whole_numbers(std::size_t count, std::mt19937_64& random) {
    std::vector<T> out(count);
    for (auto& x : out) x = test::nearest<T>(double(int(random() % 17) - 8));
    return out;
}

template <class A>
int wrong_elements(std::mt19937_64& random) {
    const auto a = whole_numbers<typename A::element>(A::m * A::k, random),
               b = whole_numbers<typename A::element>(A::n * A::k, random);
    const auto ra = registers_of<A, A::a_size>(a, A::k, A::a_at),
               rb = registers_of<A, A::b_size>(b, A::k, A::b_at);
    std::vector<std::array<typename A::accumulator, A::d_size>> d(A::lanes);
    for (auto& lane : d) lane.fill(3);
    atom::emulate<A>([&](int l, int g) -> auto& { return d[std::size_t(l)][std::size_t(g)]; },
                     [&](int l, int e) { return ra[std::size_t(l)][std::size_t(e)]; },
                     [&](int l, int e) { return rb[std::size_t(l)][std::size_t(e)]; });
    int wrong = 0;
    for (int lane = 0; lane < A::lanes; ++lane)
        for (int g = 0; g < A::d_size; ++g) {
            const auto at = A::d_at(lane, g);
            double want = 3;
            for (int k = 0; k < A::k; ++k)
                want += test::value_of(a[std::size_t(at.major * A::k + k)]) *
                        test::value_of(b[std::size_t(at.minor * A::k + k)]);
            wrong += double(d[std::size_t(lane)][std::size_t(g)]) != want;
        }
    return wrong;
}

template <class... Atoms>
bool each_multiplies(std::mt19937_64& random, atom_names<Atoms...>) {
    return ((wrong_elements<Atoms>(random) == 0) && ...);
}

}  // namespace

TEST_CASE("emulated atoms multiply") {
    std::mt19937_64 random(rc::detail::configuration().testParams.seed);
    test::each_arch(arch::amd{}, [&](auto a) {
        using arch = decltype(a);
        INFO(std::string(arch::traits.name));
        CHECK(wrong_elements<typename arch::template atom<f32>>(random) == 0);
        CHECK(wrong_elements<typename arch::template atom<f16>>(random) == 0);
        CHECK(wrong_elements<typename arch::template atom<bf16>>(random) == 0);
    });
    CHECK(each_multiplies(random, nvidia_atoms{}));
}
