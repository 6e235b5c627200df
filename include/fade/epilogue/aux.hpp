// Stores what passes: the input of an activation, which its gradient needs.
#pragma once
#include <fade/core/dtype.hpp>
#include <fade/epilogue/chain.hpp>
#include <fade/epilogue/memory.hpp>

namespace FADE_NAMESPACE {
namespace epilogue {

template <class T>
struct aux_stage : stage {
    static constexpr const char* name = "aux";
    static constexpr bool floating = floating_element<T>;
    matrix_source<T> place;
    FADE_FN explicit aux_stage(const matrix_source<T>& p) : place(p) {}
    void bind(const output_shape& d) { place.bind(name, d); }
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        auto* to = const_cast<T*>(place.values);
        if (at.inside) to[place.offset(at)] = convert<T>(v);
        return v;
    }
};

}  // namespace epilogue

/// Stores each value, rounded to T, at values[batch * batch_stride + row * ld + column], and passes it on as
/// it was: `aux(z) | gelu()` keeps what dgelu(z) needs. ld 0: packed rows; batch_stride -1: packed matrices.
/// The memory overlaps no operand. Of a vector, array or span a call refuses fewer values than it writes.
template <class T>
epilogue::aux_stage<T> aux(T* values, index ld = 0, index batch_stride = -1) {
    static_assert(!std::is_const_v<T>, "aux writes: give it memory that may be written");
    return epilogue::aux_stage<T>({values, ld, batch_stride});
}
template <epilogue::sized_memory C>
epilogue::aux_stage<epilogue::element_of<C>> aux(C&& values, index ld = 0, index batch_stride = -1) {
    static_assert(!std::is_const_v<std::remove_reference_t<decltype(*values.data())>>,
                  "aux writes: give it memory that may be written");
    return epilogue::aux_stage<epilogue::element_of<C>>(
        epilogue::source_from(std::forward<C>(values), ld, batch_stride));
}

}  // namespace FADE_NAMESPACE
