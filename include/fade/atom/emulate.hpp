// An atom executed on a CPU, through nothing but its lane maps.
#pragma once
#include <fade/atom/shape.hpp>
#include <fade/core/dtype.hpp>

namespace fade::atom {

/// Positions of all registers of all lanes, computed once at compile time.
template <int Lanes, int Registers>
struct map_table {
    short at[Lanes][Registers];
};

template <int Lanes, int Registers, class Map>
constexpr map_table<Lanes, Registers> make_table(Map map, int pitch, bool swapped) {
    map_table<Lanes, Registers> t{};
    for (int l = 0; l < Lanes; ++l)
        for (int e = 0; e < Registers; ++e) {
            const coordinate c = map(l, e);
            t.at[l][e] = short(swapped ? c.minor * pitch + c.major : c.major * pitch + c.minor);
        }
    return t;
}

template <class A>
struct tables {
    static constexpr auto a = make_table<A::lanes, A::a_size>(A::a_at, A::k, false);
    static constexpr auto b = make_table<A::lanes, A::b_size>(A::b_at, A::n, true);
    static constexpr auto d = make_table<A::lanes, A::d_size>(A::d_at, A::n, false);
};

/// The dense operand that the registers of a wave spell; `get(lane, e)` reads one register.
template <class Acc, int Lanes, int Registers, class Get>
void gather(Acc* dense, const map_table<Lanes, Registers>& table, Get get) {
    for (int l = 0; l < Lanes; ++l)
        for (int e = 0; e < Registers; ++e) dense[table.at[l][e]] = convert<Acc>(get(l, e));
}

/// product += a b, row by row so that the compiler's vectors run along n.
template <class A, class Acc>
void multiply(Acc* product, const Acc* a, const Acc* b) {
    for (int i = 0; i < A::m; ++i)
        for (int k = 0; k < A::k; ++k)
            for (int j = 0; j < A::n; ++j) product[i * A::n + j] += a[i * A::k + k] * b[k * A::n + j];
}

/// D += A B over one wave. d(lane, g) yields a reference, a(lane, e) and b(lane, e) values.
template <class A, class D, class GetA, class GetB>
void emulate(D d, GetA a, GetB b) {
    using acc = typename A::accumulator;
    static_assert(maps_cover<A>(), "the lane maps of an atom must cover its tiles");
    alignas(64) acc dense_a[A::m * A::k], dense_b[A::k * A::n], product[A::m * A::n];
    gather(dense_a, tables<A>::a, a);
    gather(dense_b, tables<A>::b, b);
    gather(product, tables<A>::d, [&](int l, int g) { return d(l, g); });
    multiply<A>(product, dense_a, dense_b);
    for (int l = 0; l < A::lanes; ++l)
        for (int g = 0; g < A::d_size; ++g) d(l, g) = product[tables<A>::d.at[l][g]];
}

}  // namespace fade::atom
