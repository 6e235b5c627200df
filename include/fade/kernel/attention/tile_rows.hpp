// The rows of an attention tile.
#pragma once
#include <fade/block/chain/tile_rows.hpp>
#include <fade/kernel/attention/arguments.hpp>

namespace FADE_NAMESPACE::kernel {

using block::gqa_rows, block::head_rows, block::row_owner;

template <class Traits>
FADE_FN head_rows rows_of(const query_tile& at) {
    return {at.first_query, Traits::wave_queries, at.head};
}

}  // namespace FADE_NAMESPACE::kernel
