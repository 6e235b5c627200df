// What passes over a row do with runs of its elements on a CPU: functions of elements become vectors, two at
// once.
#pragma once
#include <cstring>
#include <fade/atom/cpu/pairs.hpp>
#include <fade/atom/cpu/softmax.hpp>
#include <fade/block/row/cpu_operand.hpp>
#include <fade/core/call/row_tensor.hpp>
#include <fade/core/dtype.hpp>
#include <fade/core/vec.hpp>
#include <type_traits>
#include <utility>

namespace FADE_NAMESPACE::block {

/// What blocks of so many columns have been added up to, in f64: squares of 16-bit numbers may all be rounded
/// the same way, so that errors of f32 grow as what one sum takes.
class cpu_blocks {
public:
    static constexpr int columns = 4096;
    FADE_FN void add(float sum) { sum_ += double(sum), any_ = true; }
    /// With what is behind them.
    FADE_FN float with(float last) const { return any_ ? float(sum_ + double(last)) : last; }

private:
    double sum_ = 0;
    bool any_ = false;
};

/// Of runs of Length elements, by vectors of VectorBytes bytes.
template <int Length, int VectorBytes>
struct cpu_pass {
    static constexpr int length = Length;
    using lanes = atom::lanes_of<float, VectorBytes>;
    using floats = typename lanes::vector;

    template <class F, class... Elements>
    FADE_FN static auto value(F& f, int at, Elements... x) {
        if constexpr (std::is_invocable_v<F&, column, decltype(float(sizeof(x)))...>)
            return f(column{at}, convert<float>(x)...);
        else
            return f(convert<float>(x)...);
    }
    /// Elements as numbers of a vector's lanes.
    struct lane_numbers {
        float e[lanes::count];
        FADE_FN explicit lane_numbers(const floats& all) { std::memcpy(e, &all, sizeof e); }
    };
    /// Two vectors of them, `from` on.
    template <atom::pair_order Order>
    struct lane_pair {
        lane_numbers first, second;
        template <class T>
        FADE_FN explicit lane_pair(const T* from) : lane_pair(loaded(from)) {}

    private:
        using pair = atom::number_pair<VectorBytes, Order>;
        FADE_FN explicit lane_pair(const pair& all) : first(all.first), second(all.second) {}
        template <class T>
        FADE_FN static pair loaded(const T* from) {
            pair all;
            all.load(from);
            return all;
        }
    };
    /// Neighbours may come apart where nobody asks for a column.
    template <class F, class... T>
    static constexpr auto order_of =
        (std::is_same_v<T, bf16> && ...) && !std::is_invocable_v<F&, column, decltype(float(sizeof(T)))...>
            ? atom::pair_order::neighbours_apart
            : atom::pair_order::consecutive;
    /// f of each lane: a loop that compilers take for one vector, if they do not unroll it first.
    template <class F, class... Numbers_>
    FADE_FN static void each_lane(floats& to, F& f, int at, const Numbers_&... x) {
        float out[lanes::count];
        FADE_CPU_UNROLL(1)
        for (int e = 0; e < lanes::count; ++e) out[e] = value(f, at + e, x.e[e]...);
        std::memcpy(&to, out, sizeof out);
    }
    template <atom::pair_order Order, class F, class... Elements>
    FADE_FN static void pair_of(atom::number_pair<VectorBytes, Order>& to, F& f, int at,
                                const Elements*... x) {
        each_of(to, f, at, lane_pair<Order>(x)...);
    }
    template <atom::pair_order Order, class F, class... Pairs>
    FADE_FN static void each_of(atom::number_pair<VectorBytes, Order>& to, F& f, int at, const Pairs&... x) {
        each_lane(to.first, f, at, x.first...);
        each_lane(to.second, f, at + lanes::count, x.second...);
    }

    /// A whole run: f of its elements. Streamed: past the caches, where `out` is a multiple of a vector.
    template <bool ByInstruction, class T, class F, class... Runs>
    FADE_FN static void write_whole(T* out, bool streamed, F& f, int at, const Runs&... x) {
        using result = decltype(value(f, at, x.data()[0]...));
        if constexpr (std::is_same_v<result, float> &&
                      (std::is_same_v<T, float> || atom::is_narrow_number<T>)) {
            if constexpr (in_loops<T, typename Runs::element...>)
                for (int first = 0; first < length; first += pair_length)
                    write_pair<ByInstruction>(out, streamed, f, at, first, x.data()...);
            else
                write_pairs<ByInstruction>(out, streamed, f, at, each_pair, x.data()...);
        } else {
            vec<T, length> spare;
            for (int e = 0; e < length; ++e) spare[e] = stored<T>(value(f, at + e, x.data()[e]...));
            copy_run<T, length>(out, spare.e, length);
        }
    }
    template <bool ByInstruction, class T, class F, std::size_t... V, class... Elements>
    FADE_FN static void write_pairs(T* out, bool streamed, F& f, int at, std::index_sequence<V...>,
                                    const Elements*... x) {
        (write_pair<ByInstruction>(out, streamed, f, at, int(V) * pair_length, x...), ...);
    }
    template <bool ByInstruction, class T, class F, class... Elements>
    FADE_FN static void write_pair(T* out, bool streamed, F& f, int at, int first, const Elements*... x) {
        constexpr auto order = std::is_same_v<T, bf16> && !ByInstruction ? order_of<F, Elements...>
                                                                         : atom::pair_order::consecutive;
        atom::number_pair<VectorBytes, order> some;
        pair_of(some, f, at + first, (x + first)...);
        some.template store<ByInstruction>(out + first, streamed);
    }
    template <class T, class From>
    FADE_FN static T stored(From x) {
        if constexpr (std::is_same_v<T, From>)
            return x;
        else
            return convert<T>(x);
    }

    /// Do the vectors of a run that has elements of these types stay a loop? Their instructions are many
    /// then.
    template <class... T>
    static constexpr bool in_loops = (atom::is_long_text<T, VectorBytes> || ...);
    /// Vectors that no loop indexes, so that they stay in registers.
    static constexpr int vectors = length / lanes::count, pair_length = 2 * lanes::count;
    static constexpr std::make_index_sequence<vectors> each_vector{};
    static constexpr std::make_index_sequence<vectors / 2> each_pair{};
    struct vector_sums {
        floats of[vectors];
        FADE_FN explicit vector_sums(const vec<float, length>& from) { load(from, each_vector); }
        FADE_FN void store(vec<float, length>& to) const { store(to, each_vector); }
        /// Adds them to blocks, and begins again.
        FADE_FN void move_to(cpu_blocks& blocks) { move_to(blocks, each_vector); }
        template <class Op, class F, std::size_t... V, class... Elements>
        FADE_FN void add(F& f, int at, std::index_sequence<V...>, const Elements*... x) {
            if constexpr (in_loops<Elements...>)
                for (int v = 0; v < vectors / 2; ++v) add_pair<Op>(v, f, at, x...);
            else
                (add_pair<Op>(int(V), f, at, x...), ...);
        }

    private:
        template <std::size_t... V>
        FADE_FN void move_to(cpu_blocks& blocks, std::index_sequence<V...>) {
            blocks.add(atom::fold<atom::sum_of, VectorBytes>((of[V] + ...)));
            ((of[V] = floats{}), ...);
        }
        template <class Op, class F, class... Elements>
        FADE_FN void add_pair(int v, F& f, int at, const Elements*... x) {
            const int first = v * pair_length;
            atom::number_pair<VectorBytes, order_of<F, Elements...>> some;
            pair_of(some, f, at + first, (x + first)...);
            Op::template fold_lanes<lanes>(of[2 * v], some.first);
            Op::template fold_lanes<lanes>(of[2 * v + 1], some.second);
        }
        template <std::size_t... V>
        FADE_FN void load(const vec<float, length>& from, std::index_sequence<V...>) {
            (lanes::load(of[V], from.e + V * lanes::count), ...);
        }
        template <std::size_t... V>
        FADE_FN void store(vec<float, length>& to, std::index_sequence<V...>) const {
            (lanes::store(to.e + V * lanes::count, of[V]), ...);
        }
    };
    /// Places of a run's elements in vector_sums that have added them.
    template <atom::pair_order Order>
    struct element_places {
        int of[length];
        constexpr element_places() : of() {
            for (int e = 0; e < length; ++e) {
                const int pair = e % pair_length;
                of[Order == atom::pair_order::consecutive ? e
                                                          : e - pair + pair % 2 * lanes::count + pair / 2] =
                    e;
            }
        }
    };
    /// What elements from `count` on have added is taken from sums of f.
    template <class F, class... Elements>
    FADE_FN static void take_back(vec<float, length>& sums, const vec<float, length>& before, int count) {
        constexpr auto order = order_of<F, Elements...>;
        if constexpr (order == atom::pair_order::consecutive) {
            std::memcpy(&sums[count], &before[count], sizeof(float) * std::size_t(length - count));
        } else {
            static constexpr element_places<order> element{};
            for (int e = 0; e < length; ++e) sums[e] = element.of[e] < count ? sums[e] : before[e];
        }
    }
    /// By halves, so that they do not wait for each other.
    template <class T, int Parts, class Op>
    FADE_FN static T joined(vec<T, Parts>& parts, const Op& op) {
        join_halves<Parts / 2>(parts, op);
        return parts[0];
    }
    template <int Half, class T, int Parts, class Op>
    FADE_FN static void join_halves(vec<T, Parts>& parts, const Op& op) {
        if constexpr (Half > 0) {
            for (int e = 0; e < Half; ++e) parts[e] = op(parts[e], parts[e + Half]);
            join_halves<Half / 2>(parts, op);
        }
    }
};

}  // namespace FADE_NAMESPACE::block
