// Fourier transforms of lines of up to 64 values, in registers: of complex values, and of real ones by half
// as many complex ones. Radix 4, decimated in time (Cooley and Tukey, An Algorithm for the Machine
// Calculation of Complex Fourier Series, 1965). They scale nothing.
#pragma once
#include <fade/core/config.hpp>
#include <fade/core/unrolled.hpp>

namespace FADE_NAMESPACE::kernel {

/// A complex number for each of some neighbouring channels.
template <class V>
struct complex_values {
    V re, im;

    FADE_FN friend complex_values operator+(const complex_values& a, const complex_values& b) {
        return {a.re + b.re, a.im + b.im};
    }
    FADE_FN friend complex_values operator-(const complex_values& a, const complex_values& b) {
        return {a.re - b.re, a.im - b.im};
    }
    FADE_FN complex_values conjugate() const { return {re, -1.0f * im}; }
    FADE_FN complex_values times_minus_i() const { return {im, -1.0f * re}; }
    FADE_FN complex_values times(float c, float s) const { return {c * re - s * im, c * im + s * re}; }
};

/// cos(2 pi k / 64).
FADE_FN constexpr float cosine_of(int k) {
    constexpr float quarter[17] = {1.0f,          0.995184727f, 0.980785280f, 0.956940336f, 0.923879533f,
                                   0.881921264f,  0.831469612f, 0.773010453f, 0.707106781f, 0.634393284f,
                                   0.555570233f,  0.471396737f, 0.382683432f, 0.290284677f, 0.195090322f,
                                   0.0980171403f, 0.0f};
    k &= 63;
    if (k > 32) k = 64 - k;
    return k > 16 ? -quarter[32 - k] : quarter[k];
}
FADE_FN constexpr float sine_of(int k) { return cosine_of(k + 48); }

/// Where the k-th of N values lies before a transform.
template <int N>
FADE_FN constexpr int fft_place(int k) {
    if constexpr (N == 1) {
        return 0;
    } else {
        constexpr int radix = N == 2 ? 2 : 4;
        return k % radix * (N / radix) + fft_place<N / radix>(k / radix);
    }
}

/// N values which lie where fft_place says become their transform, in order: out[k] = sum of in[n]
/// e^(-2 pi i k n / N). With the arrays exchanged it is the inverse.
template <int N, class V>
FADE_FN void fft(V* re, V* im) {
    using complex = complex_values<V>;
    const auto get = [&](int i) FADE_LAMBDA { return complex{re[i], im[i]}; };
    const auto put = [&](int i, const complex& v) FADE_LAMBDA { re[i] = v.re, im[i] = v.im; };
    if constexpr (N == 2) {
        const complex a = get(0), b = get(1);
        put(0, a + b), put(1, a - b);
    } else if constexpr (N > 2) {
        constexpr int part = N / 4, unit = 64 / N;
        unrolled<4>([&](int q) FADE_LAMBDA { fft<part>(re + q * part, im + q * part); });
        const auto butterfly = [&](int j, const complex& b, const complex& c, const complex& d) FADE_LAMBDA {
            const complex a = get(j), even = a + c, odd = a - c, sum = b + d,
                          quarter = (b - d).times_minus_i();
            put(j, even + sum), put(j + part, odd + quarter);
            put(j + 2 * part, even - sum), put(j + 3 * part, odd - quarter);
        };
        butterfly(0, get(part), get(2 * part), get(3 * part));
        unrolled<part - 1>([&](int before) FADE_LAMBDA {
            const int j = before + 1;
            const auto with_twiddle = [&](int q) FADE_LAMBDA {
                return get(j + q * part).times(cosine_of(q * j * unit), -sine_of(q * j * unit));
            };
            butterfly(j, with_twiddle(1), with_twiddle(2), with_twiddle(3));
        });
    }
}

/// The spectrum of T real values: value 2 n is re, value 2 n + 1 is im, each at fft_place<T / 2>(n). Calls
/// write(k, value) for k from 0 to T / 2; the others are the conjugates of those.
template <int T, class V, class Write>
FADE_FN void spectrum_of_line(V (&re)[T / 2], V (&im)[T / 2], Write write) {
    using complex = complex_values<V>;
    constexpr int half = T / 2, unit = 64 / T;
    fft<half>(re, im);
    const V none{};
    write(0, complex{re[0] + im[0], none}), write(half, complex{re[0] - im[0], none});
    unrolled<half / 2>([&](int before) FADE_LAMBDA {
        const int k = before + 1;
        const complex one{re[k], im[k]},
            other = complex{re[half - k], im[half - k]}.conjugate(), sum = one + other,
            difference = (one - other).times_minus_i().times(cosine_of(k * unit), -sine_of(k * unit)),
            twice = sum + difference, of_other = (sum - difference).conjugate();
        write(k, complex{0.5f * twice.re, 0.5f * twice.im});
        if (k != half - k) write(half - k, complex{0.5f * of_other.re, 0.5f * of_other.im});
    });
}

/// And back, T times as large: read(k) gives the spectrum, whose ends are real. Value 2 n is re[n], and value
/// 2 n + 1 im[n].
template <int T, class V, class Read>
FADE_FN void line_of_spectrum(Read read, V (&re)[T / 2], V (&im)[T / 2]) {
    using complex = complex_values<V>;
    constexpr int half = T / 2, unit = 64 / T;
    const auto put = [&](int k, const complex& v)
                         FADE_LAMBDA { re[fft_place<half>(k)] = v.re, im[fft_place<half>(k)] = v.im; };
    const V first = read(0).re, last = read(half).re;
    put(0, {first + last, first - last});
    unrolled<half / 2>([&](int before) FADE_LAMBDA {
        const int k = before + 1;
        const complex one = read(k), other = read(half - k).conjugate(), sum = one + other,
                      product = (one - other).times(cosine_of(k * unit), sine_of(k * unit)),
                      difference{-1.0f * product.im, product.re};
        put(k, sum + difference);
        if (k != half - k) put(half - k, (sum - difference).conjugate());
    });
    fft<half>(im, re);
}

}  // namespace FADE_NAMESPACE::kernel
