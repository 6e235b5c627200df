// Moving blocks of a matrix into the order in which a micro-kernel reads them, converted on the way.
#pragma once
#include <fade/atom/cpu/isa.hpp>
#include <fade/atom/cpu/packed.hpp>
#include <fade/atom/cpu/vector.hpp>
#include <fade/core/shape.hpp>

namespace FADE_NAMESPACE::atom {

/// to[r * to_pitch + c] = from[r * from_pitch + c], or the pack of those from c * pack on.
struct copy_rows {
    template <int Bytes, class To, class From>
    FADE_CPU static void apply(To* to, index to_pitch, const From* from, index from_pitch, int rows,
                               int columns) {
        using lanes = lanes_of<std::conditional_t<(sizeof(To) < sizeof(From)), From, To>, Bytes>;
        constexpr int pack = pack_of<To>;
        const int whole = columns / pack;
        for (int r = 0; r < rows; ++r, to += to_pitch, from += from_pitch) {
            int c = 0;
            for (; c + lanes::count <= whole; c += lanes::count) {
                typename lanes::vector x;
                lanes::load(x, from + c * pack), lanes::store(to + c, x);
            }
            for (; c * pack < columns; ++c) to[c] = taken<To>(from + c * pack, columns - c * pack);
        }
    }
};

/// low and high halves of a0 b0 a1 b1 ...
FADE_CPU void interleave(vector<float, 16>& low, vector<float, 16>& high, const vector<float, 16>& a,
                         const vector<float, 16>& b) {
    low = __builtin_shufflevector(a, b, 0, 4, 1, 5), high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
FADE_CPU void interleave(vector<float, 32>& low, vector<float, 32>& high, const vector<float, 32>& a,
                         const vector<float, 32>& b) {
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}
FADE_CPU void interleave(vector<float, 64>& low, vector<float, 64>& high, const vector<float, 64>& a,
                         const vector<float, 64>& b) {
    low = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    high = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}
FADE_CPU void interleave(vector<double, 16>& low, vector<double, 16>& high, const vector<double, 16>& a,
                         const vector<double, 16>& b) {
    low = __builtin_shufflevector(a, b, 0, 2), high = __builtin_shufflevector(a, b, 1, 3);
}
FADE_CPU void interleave(vector<double, 32>& low, vector<double, 32>& high, const vector<double, 32>& a,
                         const vector<double, 32>& b) {
    low = __builtin_shufflevector(a, b, 0, 4, 1, 5), high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
FADE_CPU void interleave(vector<double, 64>& low, vector<double, 64>& high, const vector<double, 64>& a,
                         const vector<double, 64>& b) {
    low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11),
    high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

/// to[k * to_pitch + r] = from[r * from_pitch + k], or the pack of those from k * pack on: rows become
/// columns, in squares of as many rows as a vector has lanes.
struct transpose {
    template <int Bytes, class To, class From>
    FADE_CPU static void apply(To* to, index to_pitch, const From* from, index from_pitch, int rows,
                               int depth) {
        constexpr int side = Bytes / int(sizeof(To)), pack = pack_of<To>;
        const int whole = rows / side * side, whole_k = depth / pack / side * side;
        for (int k = 0; k < whole_k; k += side)
            for (int r = 0; r < whole; r += side)
                square<Bytes>(to + k * to_pitch + r, to_pitch, from + r * from_pitch + k * pack, from_pitch);
        for (int k = 0; k * pack < depth; ++k)
            for (int r = k < whole_k ? whole : 0; r < rows; ++r)
                to[k * to_pitch + r] = taken<To>(from + r * from_pitch + k * pack, depth - k * pack);
    }

private:
    /// Interleaving the two halves of a square's rows turns the bits of (row, column) by one; as often as
    /// there are bits, it exchanges them.
    template <int Bytes, class To, class From>
    FADE_CPU static void square(To* to, index to_pitch, const From* from, index from_pitch) {
        using real =
            std::conditional_t<sizeof(To) == 8, double, float>;  // only moved, so its class does not matter
        using lanes = lanes_of<To, Bytes>;
        vector<real, Bytes> x[lanes::count], y[lanes::count];
        FADE_CPU_UNROLL(16)
        for (int i = 0; i < lanes::count; ++i) {
            typename lanes::vector v;
            lanes::load(v, from + i * from_pitch);
            x[i] = (vector<real, Bytes>)v;
        }
        FADE_CPU_UNROLL(4)
        for (int turns = 1; turns < lanes::count; turns *= 2) {
            FADE_CPU_UNROLL(8)
            for (int i = 0; i < lanes::count / 2; ++i)
                interleave(y[2 * i], y[2 * i + 1], x[i], x[i + lanes::count / 2]);
            FADE_CPU_UNROLL(16)
            for (int i = 0; i < lanes::count; ++i) x[i] = y[i];
        }
        FADE_CPU_UNROLL(16)
        for (int i = 0; i < lanes::count; ++i) lanes::store(to + i * to_pitch, (typename lanes::vector)x[i]);
    }
};

/// row = alpha * row + beta * c.
struct scale_row {
    template <int Bytes, class T, class From>
    FADE_CPU static void apply(T* row, const From* c, T alpha, T beta, int columns) {
        using lanes = lanes_of<T, Bytes>;
        int i = 0;
        for (; i + lanes::count <= columns; i += lanes::count) {
            typename lanes::vector x, y{};
            lanes::load(x, row + i);
            x *= wrapping<T>(alpha);
            if (c) lanes::load(y, c + i), x += wrapping<T>(beta) * y;
            lanes::store(row + i, x);
        }
        for (; i < columns; ++i) {
            row[i] = wrapping_product(alpha, row[i]);
            if (c) row[i] = wrapping_sum(row[i], wrapping_product(beta, convert<T>(c[i])));
        }
    }
};

}  // namespace FADE_NAMESPACE::atom
