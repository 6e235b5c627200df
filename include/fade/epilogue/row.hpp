// Stages on a row of values at once, as the host finishes D.
#pragma once
#include <fade/epilogue/chain.hpp>

namespace FADE_NAMESPACE::epilogue {

/// row[i] goes through the stage as element (at.row, at.column + i); a gate leaves half as many. A stage with
/// on_row() takes the row whole, in vectors; the row's memory reaches to the end of its last 64 bytes.
template <class Stage, class Value>
void apply_to_row(const Stage& stage, Value* row, int columns, const position& at) {
    if constexpr (requires { stage.on_row(row, columns, at); })
        stage.on_row(row, columns, at);
    else if constexpr (has_gate<Stage>)
        for (int i = 0; i < columns / 2; ++i)
            row[i] = stage(row[2 * i], row[2 * i + 1], position{at.row, at.column / 2 + i, at.batch, true});
    else
        for (int i = 0; i < columns; ++i)
            row[i] = stage(row[i], position{at.row, at.column + i, at.batch, true});
}
template <class First, class Second, class Value>
void apply_to_row(const chain<First, Second>& c, Value* row, int columns, const position& at) {
    apply_to_row(c.first, row, columns, at);
    apply_to_row(c.second, row, columns / columns_per_output<First>, behind<First>(at));
}
template <class Value>
void apply_to_row(const none&, Value*, int, const position&) {}

/// Is a stage a function of the value alone, wherever it stands?
template <class Stage>
inline constexpr bool of_value_alone = requires { requires Stage::of_value_alone; };

/// Rows one behind another, without a gap; the first begins at element `at`. Stages that see values alone
/// take all of them as one row, which spares a call and a branch a row. No stage is a gate.
template <class Stage, class Value>
void apply_to_rows(const Stage& stage, Value* values, int rows, int columns, const position& at) {
    if constexpr (requires { stage.on_rows(values, rows, columns, at); })
        stage.on_rows(values, rows, columns, at);
    else if constexpr (of_value_alone<Stage>)
        apply_to_row(stage, values, rows * columns, at);
    else
        for (int r = 0; r < rows; ++r)
            apply_to_row(stage, values + r * columns, columns, {at.row + r, at.column, at.batch, at.inside});
}
template <class First, class Second, class Value>
void apply_to_rows(const chain<First, Second>& c, Value* values, int rows, int columns, const position& at) {
    apply_to_rows(c.first, values, rows, columns, at);
    apply_to_rows(c.second, values, rows, columns, at);
}
template <class Value>
void apply_to_rows(const none&, Value*, int, int, const position&) {}

}  // namespace FADE_NAMESPACE::epilogue
