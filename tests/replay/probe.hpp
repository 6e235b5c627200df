// One atom, executed once on known registers: what the instruction does, held against what its lane maps say.
#pragma once
#include "capture.hpp"
#include "common/numbers.hpp"
#include <fade/gemm.hpp>
#include <random>
#include <typeinfo>

namespace fade::replay {

/// Registers lie in memory lane after lane.
template <class Atom>
struct probe {
    struct arguments {
        const typename Atom::element *a, *b;
        typename Atom::accumulator* d;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = 16};
    }
    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        block.each_lane([&](lane_coord p) {
            vec<typename Atom::element, Atom::a_size> a;
            vec<typename Atom::element, Atom::b_size> b;
            vec<typename Atom::accumulator, Atom::d_size> d;
            FADE_UNROLL
            for (int e = 0; e < Atom::a_size; ++e) a[e] = args.a[p.lane * Atom::a_size + e];
            FADE_UNROLL
            for (int e = 0; e < Atom::b_size; ++e) b[e] = args.b[p.lane * Atom::b_size + e];
            FADE_UNROLL
            for (int g = 0; g < Atom::d_size; ++g) d[g] = args.d[p.lane * Atom::d_size + g];
            Atom::execute(d, a, b);
            FADE_UNROLL
            for (int g = 0; g < Atom::d_size; ++g) args.d[p.lane * Atom::d_size + g] = d[g];
        });
    }
};

/// An operand of small whole numbers, which every type holds and every order of summation adds exactly, spelt
/// into registers. Number: the type in which they are told apart where both operands share bits alone.
template <class Number, class T, int Rows, int Depth, int Lanes, int Size>
std::vector<T> operand(std::mt19937_64& random, atom::coordinate (*at)(int, int)) {
    std::vector<T> dense(Rows * Depth), out(Lanes * Size);
    for (auto& x : dense) x = __builtin_bit_cast(T, convert<Number>(float(int(random() % 17) - 8)));
    for (int lane = 0; lane < Lanes; ++lane)
        for (int e = 0; e < Size; ++e)
            out[std::size_t(lane * Size + e)] =
                dense[std::size_t(at(lane, e).major * Depth + at(lane, e).minor)];
    return out;
}

/// Captures a probe of Atom in a folder.
template <class Atom>
void capture_probe(const std::string& arch, int lanes, const fs::path& folder, std::mt19937_64& random) {
    using element = typename Atom::element;
    using acc = typename Atom::accumulator;
    const auto a = operand<element_of_a<element>, element, Atom::m, Atom::k, Atom::lanes, Atom::a_size>(
        random, Atom::a_at);
    const auto b = operand<element_of_b<element>, element, Atom::n, Atom::k, Atom::lanes, Atom::b_size>(
        random, Atom::b_at);
    std::vector<acc> d(Atom::lanes * Atom::d_size);
    for (auto& x : d) x = acc(int(random() % 100));
    capture out(folder);
    out.memory("a", a.data(), a.size() * sizeof(element), "in");
    out.memory("b", b.data(), b.size() * sizeof(element), "in");
    out.memory("d", d.data(), d.size() * sizeof(acc), "inout");
    planned_launch launch{.entry = hip_target::entry_address<probe<Atom>>(), .block = {lanes, 1, 1}};
    const typename probe<Atom>::arguments args{a.data(), b.data(), d.data()};
    launch.kernarg.resize(sizeof args);
    std::memcpy(launch.kernarg.data(), &args, sizeof args);
    out.launch(arch, launch);
    atom::emulate<Atom>([&](int l, int g) -> auto& { return d[std::size_t(l * Atom::d_size + g)]; },
                        [&](int l, int e) { return a[std::size_t(l * Atom::a_size + e)]; },
                        [&](int l, int e) { return b[std::size_t(l * Atom::b_size + e)]; });
    out.expect("d", name(dtype_v<acc>), {d.begin(), d.end()}, 0);
    out.close();
}

/// The atoms that no row of the table names yet: the 16-row forms of MFMA.
template <class Arch, class F>
void each_other_atom(F f) {
    if constexpr (Arch::traits.family == arch::family::cdna) {
        constexpr bool first = Arch::traits.name == "gfx908";
        f("mfma-f32-16", atom::mfma<float, float, 16, 4>{}),
            f("mfma-f16-16", atom::mfma<f16, float, 16, 16>{});
        f("mfma-bf16-16", atom::mfma<bf16, float, 16, first ? 8 : 16>{});
        if constexpr (Arch::traits.name == "gfx950")
            f("mfma-f16-16x32", atom::mfma<f16, float, 16, 32>{}),
                f("mfma-bf16-16x32", atom::mfma<bf16, float, 16, 32>{});
        if constexpr (Arch::traits.name == "gfx950")
            f("mfma-f16-32x8", atom::mfma<f16, float, 32, 8>{}),
                f("mfma-bf16-32x8", atom::mfma<bf16, float, 32, 8>{});
    }
}

/// A folder's part of a type's name.
inline std::string words_of(std::string name) {
    for (char& c : name)
        if (c == ' ') c = '-';
    return name;
}
template <class F, class... Takes>
void each_taken(arch::atom_list<Takes...>, F f) {
    (f("atom-" + words_of(input_name<typename Takes::input>()), typename Takes::atom{}), ...);
}

/// Captures probes of all atoms of an architecture into folders below `at`.
template <class Arch>
void capture_probes(const fs::path& at, std::mt19937_64& random) {
    const auto one = [&](const std::string& word, auto atom) {
        capture_probe<decltype(atom)>(std::string(Arch::traits.name), Arch::traits.wave_size,
                                      at / ("probe-" + word), random);
    };
    each_taken(typename Arch::atoms{}, one);
    each_other_atom<Arch>(one);
}

}  // namespace fade::replay
