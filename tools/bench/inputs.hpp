// Random inputs that depend on nothing but the seed, the name of the matrix and the place in it.
#pragma once
#include "matrix.hpp"

namespace fade::bench {

/// Fills a matrix with normal reals, or with whole numbers; what lies between its rows stays as it is.
void fill(const buffer& to, std::uint64_t seed, index group);

/// A random number of each of `count` equal parts of [0, limit), ascending; all numbers where there are not
/// more.
std::vector<index> some_of(index limit, index count, std::uint64_t seed);

}  // namespace fade::bench
