// Moving blocks of a matrix into the order in which a micro-kernel reads them, converted on the way.
#pragma once
#include <fade/atom/cpu_isa.hpp>
#include <fade/atom/cpu_vector.hpp>
#include <fade/core/shape.hpp>

namespace fade::atom {

/// to[r * to_pitch + c] = from[r * from_pitch + c].
struct copy_rows {
    template <int Bytes, class To, class From>
    FADE_CPU static void apply(To* to, index to_pitch, const From* from, index from_pitch, int rows, int columns) {
        using lanes = lanes_of<std::conditional_t<(sizeof(To) < sizeof(From)), From, To>, Bytes>;
        for (int r = 0; r < rows; ++r, to += to_pitch, from += from_pitch) {
            int c = 0;
            for (; c + lanes::count <= columns; c += lanes::count) {
                typename lanes::vector x;
                lanes::load(x, from + c), lanes::store(to + c, x);
            }
            for (; c < columns; ++c) to[c] = convert<To>(from[c]);
        }
    }
};

/// Four vectors of four lanes, or two of two, exchange rows and columns.
FADE_CPU void exchange(vector<float, 16> (&x)[4]) {
    const auto a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5), b = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
    const auto c = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5), d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), x[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5), x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
FADE_CPU void exchange(vector<double, 16> (&x)[2]) {
    const auto a = __builtin_shufflevector(x[0], x[1], 0, 2);
    x[1] = __builtin_shufflevector(x[0], x[1], 1, 3), x[0] = a;
}

/// to[k * to_pitch + r] = from[r * from_pitch + k]: rows become columns.
struct transpose {
    static constexpr int line = 16;   // steps of k that are read at once: a cache line of f32

    template <int, class To, class From>
    FADE_CPU static void apply(To* to, index to_pitch, const From* from, index from_pitch, int rows, int depth) {
        constexpr int side = 16 / int(sizeof(To));
        const int whole = rows / side * side;
        for (int k = 0; k < depth; k += line) {
            const int end = least(depth, k + line), whole_k = k + (end - k) / side * side;
            for (int r = 0; r < whole; r += side) {
                for (int i = k; i < whole_k; i += side) square<side>(to + i * to_pitch + r, to_pitch, from + r * from_pitch + i, from_pitch);
                rest(to, to_pitch, from, from_pitch, {r, r + side, whole_k, end});
            }
            rest(to, to_pitch, from, from_pitch, {whole, rows, k, end});
        }
    }

private:
    struct range {
        int row, row_end, k, k_end;
    };
    template <int Side, class To, class From>
    FADE_CPU static void square(To* to, index to_pitch, const From* from, index from_pitch) {
        using real = std::conditional_t<sizeof(To) == 8, double, float>;   // only moved, so its class does not matter
        using lanes = lanes_of<To, 16>;
        vector<real, 16> x[Side];
        for (int i = 0; i < Side; ++i) {
            typename lanes::vector v;
            lanes::load(v, from + i * from_pitch);
            x[i] = (vector<real, 16>)v;
        }
        exchange(x);
        for (int i = 0; i < Side; ++i) lanes::store(to + i * to_pitch, (typename lanes::vector)x[i]);
    }
    template <class To, class From>
    FADE_CPU static void rest(To* to, index to_pitch, const From* from, index from_pitch, const range& at) {
        for (int k = at.k; k < at.k_end; ++k)
            for (int r = at.row; r < at.row_end; ++r) to[k * to_pitch + r] = convert<To>(from[r * from_pitch + k]);
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
            x *= alpha;
            if (c) lanes::load(y, c + i), x += beta * y;
            lanes::store(row + i, x);
        }
        for (; i < columns; ++i) row[i] = c ? alpha * row[i] + beta * convert<T>(c[i]) : alpha * row[i];
    }
};

}  // namespace fade::atom
