// Sums of D's rows and columns, asked for behind the stages of a product. They are no stages: the sum of a
// column takes additions of many workgroups in a fixed order, which a launch of its own makes.
#pragma once
#include <fade/epilogue/chain.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {
namespace epilogue {

/// Where the sum of each row of D goes.
template <class T>
struct row_sum {
    using type = T;
    static constexpr const char* name = "row_sums";
    static constexpr bool of_rows = true;
    T* to;
    index count = any_length;
};

/// Where the sum of each column of D goes.
template <class T>
struct column_sum {
    using type = T;
    static constexpr const char* name = "column_sums";
    static constexpr bool of_rows = false;
    T* to;
    index count = any_length;
};

/// Stages, and a sum behind them. Front may have a sum of its own.
template <class Front, class Sum>
struct summed {
    static constexpr bool sums_what_is_stored = true;  ///< by which calls without sums know it
    Front front;
    Sum sum;
};

template <class T>
inline constexpr bool is_summed = false;
template <class Front, class Sum>
inline constexpr bool is_summed<summed<Front, Sum>> = true;

template <is_stage Stage, class Sum>
summed<Stage, Sum> operator|(const Stage& front, const summed<none, Sum>& behind) {
    require_stage<Stage>();
    return {front, behind.sum};
}
template <class Front, class First, class Sum>
summed<summed<Front, First>, Sum> operator|(const summed<Front, First>& front,
                                            const summed<none, Sum>& behind) {
    return {front, behind.sum};
}
template <class Front, class Sum, is_stage Stage>
Stage operator|(const summed<Front, Sum>&, const Stage& behind) {
    static_assert(!is_stage<Stage>,
                  "row_sums and column_sums add up D as it is stored, so no stage stands behind them: let "
                  "them be the last of the epilogue");
    return behind;
}

template <template <class> class Sum, class T>
summed<none, Sum<T>> sums_to(T* to, index count) {
    static_assert(!std::is_const_v<T>, "sums are written: give them memory that may be written");
    return {{}, {to, count}};
}
template <template <class> class Sum, sized_memory C>
auto sums_to_memory(C&& memory) {
    static_assert(std::is_lvalue_reference_v<C> || std::ranges::enable_borrowed_range<std::remove_cvref_t<C>>,
                  "the sums would go to the memory of a temporary, which is gone when the product runs: give "
                  "them a variable, or a span");
    return sums_to<Sum>(memory.data(), static_cast<index>(memory.size()));
}

}  // namespace epilogue

/// sums[i] = the sum of row i of D, as it is stored; m values a product, those of a batch one behind the
/// other. In f32 and in a fixed order. Stands behind all stages.
template <class T>
epilogue::summed<epilogue::none, epilogue::row_sum<T>> row_sums(T* sums) {
    return epilogue::sums_to<epilogue::row_sum>(sums, epilogue::any_length);
}
/// Of a vector, array or span a call refuses fewer values than it writes.
template <epilogue::sized_memory C>
auto row_sums(C&& sums) {
    return epilogue::sums_to_memory<epilogue::row_sum>(std::forward<C>(sums));
}

/// sums[j] = the sum of column j of D, as it is stored, over the rows of all products of a batch: the
/// gradient of a bias where D is the gradient of what it was added to. In f32 and in a fixed order. Stands
/// behind all stages.
template <class T>
epilogue::summed<epilogue::none, epilogue::column_sum<T>> column_sums(T* sums) {
    return epilogue::sums_to<epilogue::column_sum>(sums, epilogue::any_length);
}
/// Of a vector, array or span a call refuses fewer values than it writes.
template <epilogue::sized_memory C>
auto column_sums(C&& sums) {
    return epilogue::sums_to_memory<epilogue::column_sum>(std::forward<C>(sums));
}

}  // namespace FADE_NAMESPACE
