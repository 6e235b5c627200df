// A kernel over rows of a matrix, in verbs: it runs wherever FADE's own do.
#pragma once
#include <fade/block/ranges.hpp>
#include <fade/core/launch.hpp>

namespace gpt {

/// Row i of the result is row tokens[i] of a table.
struct embedding {
    struct arguments {
        const float* table;
        const int* tokens;
        float* out;
        int width;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return {.waves = 1, .shared_bytes = 16};
    }

    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        const int row = block.id_x(), token = args.tokens[row];
        fade::block::each_of(block, fade::block::item_range{0, args.width}, [&](int i) {
            args.out[row * args.width + i] = args.table[token * args.width + i];
        });
    }
};

}  // namespace gpt
