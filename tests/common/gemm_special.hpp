// NaN and infinities go through a product as IEEE 754 says, and stay out of it where an operand is not read.
#pragma once
#include "common/gemm_edges.hpp"
#include <doctest/doctest.h>

namespace fade::test {

/// A NaN, an infinity and two opposite infinities in operands, each in a row (or column) of its own.
template <class T>
void plant_specials(gemm_data<T, T>& data) {
    const double inf = std::numeric_limits<double>::infinity();
    const bool ta = a_transposed(data.of.problem.layout), tb = b_transposed(data.of.problem.layout);
    auto a = [&](index i, index k) -> T& { return ta ? data.a.at(0, k, i) : data.a.at(0, i, k); };
    auto b = [&](index k, index j) -> T& { return tb ? data.b.at(0, j, k) : data.b.at(0, k, j); };
    const index last = data.of.problem.k - 1;
    a(2, last) = nearest<T>(std::nan(""));
    a(5, 0) = nearest<T>(inf);  // times 0 in column 1: NaN
    b(0, 1) = nearest<T>(0);
    b(last, 7) = nearest<T>(-inf);
    a(9, 0) = nearest<T>(inf), a(9, 1) = nearest<T>(-inf);  // an infinity or NaN, by the signs of B
}

template <class Arch, class T>
void check_specials(std::mt19937_64& random) {
    for (const bool aligned : {true, false})
        for (const double beta : {0.0, 1.0}) {
            auto c = case_of({gemm_layout::nn, false, aligned}, {33, 41, 27}, random());
            c.problem.beta = beta;
            gemm_data<T, T> data(c);
            plant_specials(data);
            if (beta != 0)
                data.c.at(0, 3, 4) = nearest<T>(std::nan("")),
                                data.c.at(0, 6, 6) = nearest<T>(std::numeric_limits<double>::infinity());
            auto device = device_of<Arch>(1, 64);
            const std::string wrong = outcome<all_accesses>(device, data, data.chain());
            INFO(c);
            CHECK(wrong == "");
        }
}

}  // namespace fade::test
