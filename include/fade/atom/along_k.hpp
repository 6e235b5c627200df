// Atoms for operands that lanes read from memory by themselves: of each row a lane takes 16 bytes at once.
#pragma once
#include <fade/atom/mfma.hpp>
#include <fade/atom/mma_sm80.hpp>
#include <fade/atom/wgmma_sm90.hpp>

namespace FADE_NAMESPACE::atom {

/// The instruction of the same kind that wastes least on few rows, by one wave alone.
template <class Atom>
struct smallest {
    using type = Atom;
};
template <class T, class Acc, int K>
struct smallest<mfma<T, Acc, 32, K>> {
    using type = mfma<T, Acc, 16, 2 * K>;
};
template <class T>
struct smallest<wgmma_sm90<T>> {
    using type = mma_sm80<T>;
};

/// The same instruction behind longer runs of k, which feed it several times. That A and B permute k alike is
/// all that it needs.
template <class Atom>
struct along_k : Atom {
    static constexpr int lane_k = max_of(Atom::lane_k, 16 / int(sizeof(typename Atom::element)));
};

}  // namespace FADE_NAMESPACE::atom
