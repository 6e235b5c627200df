// An epilogue over a part of D that is a product of its own.
#pragma once
#include <fade/epilogue/row.hpp>
#include <fade/epilogue/value.hpp>

namespace FADE_NAMESPACE::epilogue {

/// Stages see each element of the part where it lies in all of D, of which the part's first element is (row,
/// column). `whole` was bound to all of D.
template <class Epilogue>
struct part : stage {
    static constexpr const char* name = "part";
    static constexpr bool floating = is_floating<Epilogue>;
    Epilogue whole;
    index row, column;

    FADE_FN part(const Epilogue& of, index row_, index column_) : whole(of), row(row_), column(column_) {}
    template <class Value>
    FADE_FN Value operator()(Value v, const position& at) const {
        return whole(v, moved(at));
    }
    template <class Value>
    void on_row(Value* values, int columns, const position& at) const {
        apply_to_row(whole, values, columns, moved(at));
    }
    template <class Value>
    void on_rows(Value* values, int rows, int columns, const position& at) const {
        apply_to_rows(whole, values, rows, columns, moved(at));
    }

private:
    FADE_FN position moved(const position& at) const {
        return {at.row + row, at.column + column, at.batch, at.inside};
    }
};

/// Without stages there is nothing to move.
template <class Epilogue>
using part_of = std::conditional_t<std::is_same_v<Epilogue, none>, none, part<Epilogue>>;

template <class Epilogue>
part_of<Epilogue> part_at(const Epilogue& whole, index row, index column) {
    if constexpr (std::is_same_v<Epilogue, none>)
        return {};
    else
        return {whole, row, column};
}

}  // namespace FADE_NAMESPACE::epilogue
