// Two kernels over rows of a matrix, in verbs: they run wherever FADE's own do.
#pragma once
#include <fade/core/lane_coord.hpp>
#include <fade/core/launch.hpp>
#include <fade/core/vec.hpp>

namespace gpt {

/// y = gain x / sqrt(mean(x^2) + epsilon) for each row (Zhang and Sennrich, 2019). A wave takes a row: every
/// lane sums its columns, and then the sums of all lanes, in the same order.
struct root_mean_square {
    struct arguments {
        const float *x, *gain;
        float* y;
        int width;
        float epsilon;
    };
    template <class Arch>
    static constexpr fade::launch_shape shape() {
        return {.waves = 1, .shared_bytes = 4 * Arch::traits.wave_size};
    }

    template <class Block>
    FADE_FN static void run(Block& block, const arguments& args) {
        using sum_of = fade::vec<float, 1>;
        const float* x = args.x + block.id_x() * args.width;
        float* y = args.y + block.id_x() * args.width;
        block.each_lane([&](fade::lane_coord p) {
            float sum = 0;
            for (int i = p.lane; i < args.width; i += Block::wave_size) sum += x[i] * x[i];
            block.store_shared(p, p.lane * 4, sum_of{sum});
        });
        block.sync();
        block.each_lane([&](fade::lane_coord p) {
            float sum = 0;
            for (int lane = 0; lane < Block::wave_size; ++lane)
                sum += block.template load_shared<sum_of>(p, lane * 4)[0];
            const float scale = 1 / __builtin_sqrtf(sum / float(args.width) + args.epsilon);
            for (int i = p.lane; i < args.width; i += Block::wave_size) y[i] = args.gain[i] * x[i] * scale;
        });
    }
};

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
        block.each_lane([&](fade::lane_coord p) {
            for (int i = p.lane; i < args.width; i += Block::wave_size)
                args.out[block.id_x() * args.width + i] =
                    args.table[args.tokens[block.id_x()] * args.width + i];
        });
    }
};

}  // namespace gpt
