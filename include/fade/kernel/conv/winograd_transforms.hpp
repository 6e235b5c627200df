// The transforms of Winograd's minimal filtering F(M x M, 3 x 3): of a tile of an image, of a filter of 3 x 3
// taps, and of their products. Matrices: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks
// (2016), section 4.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/unrolled.hpp>
#include <fade/kernel/conv/channel_values.hpp>

namespace FADE_NAMESPACE::kernel {

/// The pixels of a tile along one dimension, of which M are made.
template <int M>
inline constexpr int winograd_edge = M + 2;

/// One dimension of each transform: B^T d of pixels, G g of taps, and A^T m of products; for the gradient of
/// the filter the transposed ones, A y of y's gradient and G^T m of its products.
template <int M>
struct winograd_line;

template <>
struct winograd_line<2> {
    template <class V>
    FADE_FN static void of_pixels(const V (&d)[4], V (&out)[4]) {
        out[0] = d[0] - d[2], out[1] = d[1] + d[2];
        out[2] = d[2] - d[1], out[3] = d[1] - d[3];
    }
    template <class V>
    FADE_FN static void of_taps(const V (&g)[3], V (&out)[4]) {
        const V outer = g[0] + g[2];
        out[0] = g[0], out[1] = 0.5f * (outer + g[1]);
        out[2] = 0.5f * (outer - g[1]), out[3] = g[2];
    }
    template <class V>
    FADE_FN static void of_products(const V (&m)[4], V (&out)[2]) {
        out[0] = m[0] + (m[1] + m[2]), out[1] = (m[1] - m[2]) - m[3];
    }
    template <class V>
    FADE_FN static void of_gradients(const V (&y)[2], V (&out)[4]) {
        out[0] = y[0], out[1] = y[0] + y[1];
        out[2] = y[0] - y[1], out[3] = -1.0f * y[1];
    }
    template <class V>
    FADE_FN static void of_sums(const V (&m)[4], V (&out)[3]) {
        const V even = 0.5f * (m[1] + m[2]);
        out[0] = m[0] + even, out[1] = 0.5f * (m[1] - m[2]), out[2] = even + m[3];
    }
};

/// Points 0, 1, -1, 2, -2 and infinity.
template <>
struct winograd_line<4> {
    template <class V>
    FADE_FN static void of_pixels(const V (&d)[6], V (&out)[6]) {
        const V even = d[4] - 4.0f * d[2], odd = d[3] - 4.0f * d[1];
        const V even_at_2 = d[4] - d[2], odd_at_2 = 2.0f * (d[3] - d[1]);
        out[0] = (4.0f * d[0] - 5.0f * d[2]) + d[4];
        out[1] = even + odd, out[2] = even - odd;
        out[3] = even_at_2 + odd_at_2, out[4] = even_at_2 - odd_at_2;
        out[5] = (4.0f * d[1] - 5.0f * d[3]) + d[5];
    }
    template <class V>
    FADE_FN static void of_taps(const V (&g)[3], V (&out)[6]) {
        const V even = (-1.0f / 6) * (g[0] + g[2]), odd = (-1.0f / 6) * g[1];
        const V even_at_2 = (1.0f / 24) * g[0] + (1.0f / 6) * g[2], odd_at_2 = (1.0f / 12) * g[1];
        out[0] = 0.25f * g[0];
        out[1] = even + odd, out[2] = even - odd;
        out[3] = even_at_2 + odd_at_2, out[4] = even_at_2 - odd_at_2;
        out[5] = g[2];
    }
    template <class V>
    FADE_FN static void of_products(const V (&m)[6], V (&out)[4]) {
        const V even = m[1] + m[2], odd = m[1] - m[2], even_at_2 = m[3] + m[4], odd_at_2 = m[3] - m[4];
        out[0] = m[0] + (even + even_at_2);
        out[1] = odd + 2.0f * odd_at_2;
        out[2] = even + 4.0f * even_at_2;
        out[3] = (odd + 8.0f * odd_at_2) + m[5];
    }
    template <class V>
    FADE_FN static void of_gradients(const V (&y)[4], V (&out)[6]) {
        const V even = y[0] + y[2], odd = y[1] + y[3];
        const V even_at_2 = y[0] + 4.0f * y[2], odd_at_2 = 2.0f * (y[1] + 4.0f * y[3]);
        out[0] = y[0];
        out[1] = even + odd, out[2] = even - odd;
        out[3] = even_at_2 + odd_at_2, out[4] = even_at_2 - odd_at_2;
        out[5] = y[3];
    }
    template <class V>
    FADE_FN static void of_sums(const V (&m)[6], V (&out)[3]) {
        const V even = (-1.0f / 6) * (m[1] + m[2]), even_at_2 = m[3] + m[4];
        out[0] = (0.25f * m[0] + even) + (1.0f / 24) * even_at_2;
        out[1] = (-1.0f / 6) * (m[1] - m[2]) + (1.0f / 12) * (m[3] - m[4]);
        out[2] = (even + (1.0f / 6) * even_at_2) + m[5];
    }
};

/// `line` along the columns of a square, and then along the rows of what that gives.
template <int From, int To, class V, class Line>
FADE_FN void transform_square(const V (&from)[From][From], V (&to)[To][To], Line line) {
    V half[To][From];
    unrolled<From>([&](int column) FADE_LAMBDA {
        V in[From], out[To];
        unrolled<From>([&](int row) FADE_LAMBDA { in[row] = from[row][column]; });
        line(in, out);
        unrolled<To>([&](int row) FADE_LAMBDA { half[row][column] = out[row]; });
    });
    unrolled<To>([&](int row) FADE_LAMBDA { line(half[row], to[row]); });
}

/// B^T d B.
template <int M, class V>
FADE_FN void transform_pixels(const V (&tile)[M + 2][M + 2], V (&out)[M + 2][M + 2]) {
    transform_square(tile, out, [](const V(&in)[M + 2], V(&line)[M + 2]) FADE_LAMBDA {
        winograd_line<M>::of_pixels(in, line);
    });
}

/// G g G^T.
template <int M, class V>
FADE_FN void transform_taps(const V (&taps)[3][3], V (&out)[M + 2][M + 2]) {
    transform_square(
        taps, out, [](const V(&in)[3], V(&line)[M + 2]) FADE_LAMBDA { winograd_line<M>::of_taps(in, line); });
}

/// A^T m A.
template <int M, class V>
FADE_FN void transform_products(const V (&products)[M + 2][M + 2], V (&out)[M][M]) {
    transform_square(products, out, [](const V(&in)[M + 2], V(&line)[M]) FADE_LAMBDA {
        winograd_line<M>::of_products(in, line);
    });
}

/// A y A^T.
template <int M, class V>
FADE_FN void transform_gradients(const V (&made)[M][M], V (&out)[M + 2][M + 2]) {
    transform_square(made, out, [](const V(&in)[M], V(&line)[M + 2]) FADE_LAMBDA {
        winograd_line<M>::of_gradients(in, line);
    });
}

/// G^T m G.
template <int M, class V>
FADE_FN void transform_sums(const V (&sums)[M + 2][M + 2], V (&out)[3][3]) {
    transform_square(
        sums, out, [](const V(&in)[M + 2], V(&line)[3]) FADE_LAMBDA { winograd_line<M>::of_sums(in, line); });
}

}  // namespace FADE_NAMESPACE::kernel
