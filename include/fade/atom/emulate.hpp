// An atom executed on a CPU, through nothing but its lane maps.
#pragma once
#include <cstring>
#include <fade/atom/cpu/vector.hpp>
#include <fade/atom/shape.hpp>
#include <fade/core/operand_pair.hpp>

namespace FADE_NAMESPACE::atom {

/// Positions of all registers of all lanes, computed once at compile time.
template <int Lanes, int Registers>
struct map_table {
    short at[Lanes][Registers];
    int run;  ///< so many registers of a lane lie one after the other, and move together
};

/// Whether the registers of every lane lie one after the other in groups of `run`.
template <int Lanes, int Registers>
constexpr bool runs(const map_table<Lanes, Registers>& t, int run) {
    for (int l = 0; l < Lanes; ++l)
        for (int e = 0; e < Registers; ++e)
            if (e % run && t.at[l][e] != t.at[l][e - 1] + 1) return false;
    return true;
}

template <int Lanes, int Registers, class Map>
constexpr map_table<Lanes, Registers> make_table(Map map, int pitch) {
    map_table<Lanes, Registers> t{};
    for (int l = 0; l < Lanes; ++l)
        for (int e = 0; e < Registers; ++e) {
            const coordinate c = map(l, e);
            t.at[l][e] = short(c.major * pitch + c.minor);
        }
    t.run = 1;
    while (Registers % (2 * t.run) == 0 && runs(t, 2 * t.run)) t.run *= 2;
    return t;
}

template <class A>
struct tables {
    static_assert(maps_cover<A>(), "the lane maps of an atom must cover its tiles");
    static constexpr auto a = make_table<A::lanes, A::a_size>(A::a_at, A::k);
    static constexpr auto b = make_table<A::lanes, A::b_size>(A::b_at, A::k);
    static constexpr auto d = make_table<A::lanes, A::d_size>(A::d_at, A::n);
};

/// The registers of the lanes of a wave, which lie so many bytes apart.
template <class V>
struct lane_registers {
    V* first;
    std::size_t apart = sizeof(V);
    FADE_FN V& operator[](int lane) const {
        return *reinterpret_cast<V*>(reinterpret_cast<char*>(first) + std::size_t(lane) * apart);
    }
};

/// The dense tile that the registers of a wave spell.
template <const auto& Table, class T, class V>
void gather(T* dense, lane_registers<V> from) {
    constexpr int lanes = int(sizeof Table.at / sizeof Table.at[0]),
                  registers = int(sizeof Table.at[0] / sizeof Table.at[0][0]);
    for (int l = 0; l < lanes; ++l)
        for (int e = 0; e < registers; e += Table.run)
            std::memcpy(dense + Table.at[l][e], &from[l][e], Table.run * sizeof(T));
}

/// A dense tile back in the registers of a wave.
template <const auto& Table, class T, class V>
void scatter(const T* dense, lane_registers<V> to) {
    constexpr int lanes = int(sizeof Table.at / sizeof Table.at[0]),
                  registers = int(sizeof Table.at[0] / sizeof Table.at[0][0]);
    for (int l = 0; l < lanes; ++l)
        for (int e = 0; e < registers; e += Table.run)
            std::memcpy(&to[l][e], dense + Table.at[l][e], Table.run * sizeof(T));
}

/// Elements as numbers of the accumulator's type, a vector at once.
template <int Count, class Acc, class T>
void widen_all(Acc* to, const T* from) {
    using lanes = lanes_of<Acc, 16>;
    static_assert(Count % lanes::count == 0);
    for (int i = 0; i < Count; i += lanes::count) {
        typename lanes::vector v;
        lanes::load(v, from + i);
        lanes::store(to + i, v);
    }
}

/// What the lanes of a wave hold of A, and of B, lane 0 first.
template <class A>
using lanes_of_a = vec<typename A::element, A::a_size>[A::lanes];
template <class A>
using lanes_of_b = vec<typename A::element, A::b_size>[A::lanes];

/// The m x k numbers that the registers of A spell.
template <class A>
void gather_a(typename A::accumulator* numbers, lanes_of_a<A>& lanes) {
    alignas(16) typename A::element dense[A::m * A::k];
    gather<tables<A>::a>(dense, lane_registers<vec<typename A::element, A::a_size>>{lanes});
    widen_all<A::m * A::k>(numbers, reinterpret_cast<const element_of_a<typename A::element>*>(dense));
}

/// The k x n numbers that the registers of B spell: transposed, so that the vectors of a multiplication run
/// along n.
template <class A>
void gather_b(typename A::accumulator* numbers, lanes_of_b<A>& lanes) {
    alignas(16) typename A::element dense[A::n * A::k];
    alignas(16) typename A::accumulator columns[A::n * A::k];
    gather<tables<A>::b>(dense, lane_registers<vec<typename A::element, A::b_size>>{lanes});
    widen_all<A::n * A::k>(columns, reinterpret_cast<const element_of_b<typename A::element>*>(dense));
    for (int k = 0; k < A::k; ++k)
        for (int j = 0; j < A::n; ++j) numbers[k * A::n + j] = columns[j * A::k + k];
}

/// product += a b. Four rows share what is loaded of b; every element sums over k in ascending order.
template <class A, class Acc>
void multiply(Acc* product, const Acc* a, const Acc* b) {
    using number = wrapping<Acc>;
    using part = vector<number, 16>;
    constexpr int width = 16 / int(sizeof(Acc));
    static_assert(A::m % 4 == 0 && A::n % width == 0);
    for (int i = 0; i < A::m; i += 4)
        for (int j = 0; j < A::n; j += width) {
            const auto at = [&](int r) -> part& {
                return *reinterpret_cast<part*>(product + (i + r) * A::n + j);
            };
            part d0 = at(0), d1 = at(1), d2 = at(2), d3 = at(3);
            for (int k = 0; k < A::k; ++k) {
                const part row = *reinterpret_cast<const part*>(b + k * A::n + j);
                const Acc* column = a + i * A::k + k;
                d0 += number(column[0]) * row, d1 += number(column[A::k]) * row,
                    d2 += number(column[2 * A::k]) * row, d3 += number(column[3 * A::k]) * row;
            }
            at(0) = d0, at(1) = d1, at(2) = d2, at(3) = d3;
        }
}

/// D += A B over one wave. d(lane, g) yields a reference, a(lane, e) and b(lane, e) values.
template <class A, class D, class GetA, class GetB>
void emulate(D d, GetA a, GetB b) {
    alignas(64) typename A::accumulator numbers_a[A::m * A::k], numbers_b[A::k * A::n], product[A::m * A::n];
    lanes_of_a<A> lanes_a;
    lanes_of_b<A> lanes_b;
    for (int l = 0; l < A::lanes; ++l) {
        for (int e = 0; e < A::a_size; ++e) lanes_a[l][e] = a(l, e);
        for (int e = 0; e < A::b_size; ++e) lanes_b[l][e] = b(l, e);
        for (int g = 0; g < A::d_size; ++g) product[tables<A>::d.at[l][g]] = d(l, g);
    }
    gather_a<A>(numbers_a, lanes_a);
    gather_b<A>(numbers_b, lanes_b);
    multiply<A>(product, numbers_a, numbers_b);
    for (int l = 0; l < A::lanes; ++l)
        for (int g = 0; g < A::d_size; ++g) d(l, g) = product[tables<A>::d.at[l][g]];
}

}  // namespace FADE_NAMESPACE::atom
