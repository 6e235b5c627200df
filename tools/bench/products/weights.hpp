// Quantised weights as their formats lie in memory. It is said here, and not asked of the library: a
// reference that read weights as the library does would find nothing wrong where the library mistakes one for
// another.
#pragma once
#include "../matrix.hpp"
#include "call.hpp"

namespace fade::bench {

/// Consecutive k that share a scale; 0: all of them.
index group_of(weight_kind format);

/// What so many n x k weights are stored in: weights, scales, and zeros where the format has some.
std::vector<matrix> weight_matrices(weight_kind format, index n, index k, index count);

/// Random weights of about that size, and of every pattern of bits that is a number.
void fill_weights(weight_kind format, const buffer& to, double size, std::uint64_t seed);

/// Weights of consecutive columns of the B of that number as doubles, rounded once to the type of A: k of the
/// first, and so on.
class weight_reader {
public:
    weight_reader(weight_kind format, const buffer_set& from, const element& type, index n, index k,
                  index number);
    void operator()(index first, index count, double* to) const;

private:
    double element_at(index p, index j) const;
    double zero_at(index g, index j) const;
    double scale_at(index g, index j) const;

    weight_kind format_;
    const buffer &weights_, &scales_;
    const buffer* zeros_;
    const element& type_;
    index n_, k_, group_, number_;
};

/// The nearest number of a type, ties to even; beyond its largest, infinity.
double rounded(double x, const element& type);

}  // namespace fade::bench
