// Scores of keys in global memory by one wave alone.
#pragma once
#include <fade/backend/buffer.hpp>
#include <fade/block/mma_chain.hpp>
#include <fade/block/register_view.hpp>
#include <fade/wave/chain.hpp>

namespace FADE_NAMESPACE::block {

/// What a lane multiplies of numbers of another type, or of its own.
template <class Block, class To, class T, int Size>
FADE_FN vec<To, Size> multiplied(const vec<std::uint32_t, Size* int(sizeof(T)) / 4>& read) {
    if constexpr (std::is_same_v<T, To>)
        return __builtin_bit_cast(vec<To, Size>, read);
    else {
        constexpr int in_word = 4 / int(sizeof(To)), from_word = 4 / int(sizeof(T));
        vec<std::uint32_t, Size / in_word> words;
        FADE_UNROLL
        for (int w = 0; w < words.size; ++w)
            words[w] = register_view<Block, T>::template converted<To, true>([&](int n) {
                const int e = w * in_word + n;
                return typename register_view<Block, T>::element{read[e / from_word], e % from_word};
            });
        return __builtin_bit_cast(vec<To, Size>, words);
    }
}

/// scores = K Q^T of each wave's own queries, of the first Scores::rows atoms of `keys`, an operand with rows
/// in aligned runs; they lie as the chain wants them. `queries` are a resident_operand of Depth / step steps.
/// All lanes of a wave call it, and no other wave need.
template <int Depth, class Block, class Scores, class Keys, class Queries>
FADE_FN void mma_qk_from_memory(Block& block, Scores& scores, const Keys& keys, Queries& queries) {
    using atom = typename Scores::atom;
    using T = typename Keys::element;
    constexpr int lane_k = atom::lane_k, step = lane_k * atom::k_groups;
    static_assert(wave::keys_of_rows_agree<atom>(Scores::rows * atom::m));
    using run = vec<std::uint32_t, lane_k* int(sizeof(T)) / 4>;
    const auto memory = keys.memory(block);
    wave::zero(block, scores);
    per_lane<Block, int> lanes;
    block.each_lane([&](lane_coord p) { lanes[p] = int(unsigned(Block::fresh(p.lane)) % Block::wave_size); });
    block.each_wave([&](wave_coord w) {
        FADE_UNROLL
        for (int s = 0; s < Depth / step; ++s) {
            fragment_b<Block, atom, Scores::columns> b;
            queries.take(block, w, s, b);
            FADE_UNROLL
            for (int i = 0; i < Scores::rows; ++i) {
                fragment_a<Block, atom, 1> a;
                block.each_lane_of(w, [&](lane_coord p) {
                    const int lane = lanes[p], k = s * step + atom::k_group(lane) * lane_k,
                              key = wave::key_of_row<atom>(i * atom::m + atom::a_row(lane, 0));
                    const auto at = keys.holds(key, k)
                                        ? std::uint32_t((key * keys.row_stride + k) * index(sizeof(T)))
                                        : backend::outside;
                    wave::put_elements(a.at(p.lane, 0), 0,
                                       multiplied<Block, typename atom::element, T, lane_k>(
                                           memory.template load<run>(at, 0)));
                });
                wave::later_tiles<decltype(a)> row{a, i};
                wave::mma_rows<step / atom::k, 1>(block, w, scores, row, b, i);
            }
        }
    });
}

}  // namespace FADE_NAMESPACE::block
