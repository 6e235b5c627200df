// What is read of an operand. A source says where elements lie and which exist; transports (copy.hpp,
// async_copy.hpp, span_copy.hpp) say how they come.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <fade/core/dtype.hpp>
#include <fade/core/shape.hpp>
#include <fade/core/vec.hpp>

namespace FADE_NAMESPACE::block {

/// How the elements of an operand lie in global memory.
enum class memory_order {
    k_contiguous,    ///< consecutive k, in aligned runs of 16 bytes
    row_contiguous,  ///< consecutive rows, in aligned runs of 16 bytes
    strided          ///< any strides, any alignment: element by element
};

/// Scalar instructions that a step of a source takes, where those are more than a few.
template <class Source>
inline constexpr int scalars_of_step = 0;
template <class Source>
    requires requires { Source::scalars; }
inline constexpr int scalars_of_step<Source> = Source::scalars;

/// What a lane must remember of its rows to know at each step which of them exist: for sources of which rows
/// come and go as k moves on, a word of condition(row) for each; else nothing.
template <class Source, int Rows>
struct source_conditions {
    FADE_FN void set(int, const Source&, int) {}
    FADE_FN static constexpr bool hold(int, const Source&) { return true; }
};
template <class Source, int Rows>
    requires requires(const Source& from) { from.condition(0); }
struct source_conditions<Source, Rows> {
    std::uint32_t word[Rows];
    FADE_FN void set(int i, const Source& from, int row) { word[i] = from.condition(row); }
    FADE_FN bool hold(int i, const Source& from) const { return from.holds_now(word[i]); }
};

/// A source whose elements lie at offsets that stay, in bytes from a base that alone moves along k: by
/// advance(steps), or where steps are uneven by follow(a walk that counts them). `memory(block)` is what may
/// be read from the base on; holds(row, k) says which elements exist, and holds_depth(k) and
/// depth_now(depth) which of a step's k. Where words that others made say that, it is `tabled`.
template <class Source, class Block>
concept offset_source = requires(const Source& from, const Block& block) {
    typename Source::element;
    requires !Source::scattered;
    { from.offset(0, 0) } -> std::same_as<std::uint32_t>;
    { from.holds(0, 0) } -> std::same_as<bool>;
    { from.holds_depth(0) } -> std::same_as<bool>;
    from.memory(block);
} && (requires { Source::tabled; } || requires(const Source& from) { from.depth_now(0); });

/// A source of which each load has an address of its own: load(block, wanted, row, k) yields zeros for what
/// does not exist, and advance(steps) moves on along k.
template <class Source, class Block>
concept scattered_source = requires(Source& from, const Block& block) {
    typename Source::element;
    requires Source::scattered;
    from.template load<vec<std::uint32_t, 4>>(block, true, 0, 0);
    from.advance(index(1));
};

/// Either, which copies through registers can read.
template <class Source, class Block>
concept tile_source_of = offset_source<Source, Block> || scattered_source<Source, Block>;

}  // namespace FADE_NAMESPACE::block
