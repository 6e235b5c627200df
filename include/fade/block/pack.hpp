// Operands as a CPU micro-kernel reads them: where they lie if that will do, else packed into fast memory.
#pragma once
#include <cstring>
#include <fade/atom/cpu/pack.hpp>
#include <fade/block/source/strided.hpp>

namespace FADE_NAMESPACE::block {

/// Element (row, k) lies at at[row * row_stride + k * k_stride].
template <class T>
struct reading {
    const T* at;
    index row_stride, k_stride;
};

/// Lines of one k each, into packs of k where T is one.
template <class T, class In>
void copy_lines(T* to, index pitch, const operand<In>& from, int depth, int columns) {
    using copy = std::conditional_t<(atom::pack_of<T> > 1), atom::weave_rows, atom::copy_rows>;
    atom::with_vectors<copy>(to, pitch, from.tile, from.k_stride, depth, columns);
}

/// Rows of A, which the micro-kernel broadcasts element by element: any strides will do, so only what must be
/// converted, is packed but does not lie so or lies scattered over as many pages as there are k is copied to
/// `to`, in its own order. `whole_words`: zeros follow the last k of a row to the end of its last pack.
template <class T, class In>
reading<T> stage_rows(T* to, const operand<In>& from, int rows, int depth, bool whole_words = false) {
    if (from.k_stride != 1) {
        copy_lines(to, rows, from, depth, rows);
        return {to, 1, rows};
    }
    if constexpr (std::is_same_v<T, In>)
        return {from.tile, from.row_stride, 1};
    else {
        if constexpr (atom::lies_packed<T, In>)
            if ((whole_words || depth % T::k == 0) && from.row_stride % T::k == 0 &&
                reinterpret_cast<std::uintptr_t>(from.tile) % sizeof(T) == 0)
                return {reinterpret_cast<const T*>(from.tile), from.row_stride / T::k, 1};
        const index pitch = ceil_div(depth, atom::pack_of<T>);
        atom::with_vectors<atom::copy_rows>(to, pitch, from.tile, from.row_stride, rows, depth);
        return {to, pitch, 1};
    }
}

/// One panel of B: up to `width` columns, side by side at each k or pack of k; columns that do not exist
/// become zero.
template <class T, class In>
void pack_panel(T* to, int width, const operand<In>& from, int columns, int depth) {
    if (columns < width)
        std::memset(to, 0, sizeof(T) * std::size_t(width) * std::size_t(ceil_div(depth, atom::pack_of<T>)));
    if (from.row_stride == 1)
        copy_lines(to, width, from, depth, columns);
    else
        atom::with_vectors<atom::transpose>(to, index(width), from.tile, from.row_stride, columns, depth);
}

}  // namespace FADE_NAMESPACE::block
