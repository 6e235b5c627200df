// The online softmax: running maximum and sum of a row of scores. Maxima are scores as the products leave
// them: of those differences are exact, and only they are scaled to powers of two. Scores are transposed: a
// row of the softmax is a column of D, so that a lane owns whole rows. Milakov and Gimelshein, "Online
// normalizer calculation for softmax" (2018).
#pragma once
#include <fade/core/number/narrow_loss.hpp>
#include <fade/core/number/score.hpp>
#include <fade/core/vec.hpp>
#include <fade/wave/reduce.hpp>

namespace FADE_NAMESPACE::block {

/// The largest score of a row, and the sum of its probabilities beside that; the sum is a lane's own part
/// until the end.
struct softmax_state {
    float maximum, sum;
};

/// What sums of probabilities may be at most; beyond it they count as infinite.
inline constexpr float max_sum = 3e38f;

/// Every lane's states: one for each column of D that its registers belong to.
template <class Block, class Scores>
struct softmax_states {
    using atom = typename Scores::atom;
    static constexpr int slots = atom::lane_columns, columns = Scores::columns;
    struct lane_states {
        softmax_state of[columns][slots];
    };
    per_lane<Block, lane_states> lanes;

    FADE_FN explicit softmax_states(Block& block) {
        block.each_lane([&](lane_coord p) {
            FADE_UNROLL
            for (int j = 0; j < columns; ++j) FADE_UNROLL
            for (int c = 0; c < slots; ++c) lanes[p].of[j][c] = {hidden_score, 0};
        });
    }
};

/// The largest score of column slot c in one lane's registers of atom (i, j), and `m`.
template <class Block, class Scores>
FADE_FN float larger_score(Scores& scores, lane_coord p, int i, int j, int c, float m) {
    using atom = typename Scores::atom;
    FADE_UNROLL
    for (int g = c; g < atom::d_size; g += atom::lane_columns) m = Block::maximum(m, scores.at(p, i, j)[g]);
    return m;
}

/// Moves a state to the maximum of what it saw and of a tile whose largest score is `largest`; what was
/// summed before is rescaled by the returned factor, twice for packed instructions.
template <class Block>
FADE_FN vec<float, 2> update_max(softmax_state& state, float largest, float scale_log2) {
    const float maximum = Block::maximum(state.maximum, largest),
                factor = Block::exp2((state.maximum - maximum) * scale_log2);
    vec<float, 2> both{factor, factor};
    Block::pack2(both);
    state = {maximum, state.sum * both[0]};
    return both;
}

/// Multiplies one lane's registers of atom (i, j) of the outputs in column slot c by the factor of their row.
template <class Outputs>
FADE_FN void rescale(Outputs& outputs, lane_coord p, int i, int j, int c, const vec<float, 2>& factor) {
    using atom = typename Outputs::atom;
    FADE_UNROLL
    for (int n = 0; n < atom::d_size / atom::lane_columns; ++n)
        outputs.at(p, i, j)[n * atom::lane_columns + c] *= factor[n % 2];
}

/// Is a maximum so far from zero that its product with the factor, rounded, would leave no probability near
/// 1? Hidden ones are.
FADE_FN bool is_far(float scaled_maximum) { return !(__builtin_fabsf(scaled_maximum) < 0x1p24f); }

/// Whether scores lose a far maximum before they are scaled, which costs another instruction a score:
/// nowhere, where whoever asks for it looks for far maxima at the end; on some tiles; or behind a branch, for
/// which kernels without rules lack registers.
enum class centering { none, always, where_far };

/// Pairs of scores become probabilities, one by one: scaling and subtraction are one multiply-add a score.
/// Probabilities are raised by what they lose where they become operands of the second product, so that they
/// and their sum agree.
template <class Block, class Scores>
struct probability_pairs {
    using atom = typename Scores::atom;
    static constexpr int column_size = atom::d_size / atom::lane_columns,
                         count = Scores::rows * column_size / 2;
    static constexpr narrow_loss lost = Block::template lost<typename atom::element>;
    float scale_log2 = 1, base = 0;
    vec<float, 2> sum{};

    FADE_FN probability_pairs() {}
    FADE_FN probability_pairs(float factor, float maximum)
        : scale_log2(factor), base(maximum * factor - lost.raise) {}

    FADE_FN bool far() const { return is_far(base); }
    /// The scores of column slot c of atom column j in one lane's registers lose their maximum, if it is far.
    FADE_FN void center(Scores& scores, lane_coord p, int j, int c, float maximum) {
        const float away = !far() || maximum == hidden_score ? 0.0f : maximum;
        FADE_UNROLL
        for (int i = 0; i < Scores::rows; ++i) FADE_UNROLL
        for (int g = c; g < atom::d_size; g += atom::lane_columns) scores.at(p, i, j)[g] -= away;
        base = far() ? -lost.raise : base;
    }

    /// Pair n of column slot c of atom column j, in one lane's registers: its scores become exponents.
    FADE_FN void scale(Scores& scores, lane_coord p, int n, int j, int c) {
        const pair_of_scores s(scores, p, n, j, c);
        const auto scaled = Block::multiply_add({s.x, s.y}, scale_log2, -base);
        s.x = scaled[0], s.y = scaled[1];
    }
    /// Its exponents become probabilities.
    FADE_FN void exponentiate(Scores& scores, lane_coord p, int n, int j, int c) {
        const pair_of_scores s(scores, p, n, j, c);
        vec<float, 2> probabilities{Block::exp2(s.x), Block::exp2(s.y)};
        Block::pack2(probabilities);
        s.x = probabilities[0], s.y = probabilities[1];
        sum = n == 0 ? probabilities : vec<float, 2>{sum[0] + s.x, sum[1] + s.y};
        Block::pack2(sum);
    }
    FADE_FN void soften(Scores& scores, lane_coord p, int n, int j, int c) {
        scale(scores, p, n, j, c), exponentiate(scores, p, n, j, c);
    }
    /// The sum of what becomes operands, raised, and what it stands for.
    FADE_FN float raised() const { return sum[0] + sum[1]; }
    FADE_FN float total() const { return raised() * lost.left; }

private:
    struct pair_of_scores {
        float &x, &y;
        FADE_FN pair_of_scores(Scores& scores, lane_coord p, int n, int j, int c)
            : x(scores.at(p, 2 * n / column_size, j)[2 * n % column_size * atom::lane_columns + c]),
              y(scores.at(p, 2 * n / column_size, j)[(2 * n % column_size + 1) * atom::lane_columns + c]) {}
    };
};

/// One tile of the online softmax: scores become probabilities, outputs so far are rescaled to the new
/// maximum.
template <centering Centering, class Block, class Scores, class Outputs, class States>
FADE_FN void softmax_tile(Block& block, Scores& scores, Outputs& outputs, States& states, float scale_log2) {
    using atom = typename Scores::atom;
    using pairs = probability_pairs<Block, Scores>;
    block.each_wave([&](wave_coord w) {
        FADE_UNROLL
        for (int j = 0; j < Scores::columns; ++j) FADE_UNROLL
        for (int c = 0; c < States::slots; ++c) {
            wave::lane_values<Block, float> largest;
            wave::lane_values<Block, vec<float, 2>> factor;
            wave::lane_values<Block, pairs> probabilities;
            bool centers = Centering == centering::always;
            block.each_lane_of(w, [&](lane_coord p) {
                float m = hidden_score;
                FADE_UNROLL
                for (int i = 0; i < Scores::rows; ++i) m = larger_score<Block>(scores, p, i, j, c, m);
                largest.at(p.lane) = m;
            });
            wave::share_columns<atom>(block, w, largest,
                                      [](float a, float b) { return Block::maximum(a, b); });
            block.each_lane_of(w, [&](lane_coord p) {
                softmax_state& state = states.lanes[p].of[j][c];
                factor.at(p.lane) = update_max<Block>(state, largest.at(p.lane), scale_log2);
                probabilities.at(p.lane) = pairs(scale_log2, state.maximum);
                if (Centering == centering::where_far) centers |= probabilities.at(p.lane).far();
            });
            if (Centering == centering::where_far ? Block::any_lane(centers) : centers)
                block.each_lane_of(w, [&](lane_coord p) {
                    probabilities.at(p.lane).center(scores, p, j, c, states.lanes[p].of[j][c].maximum);
                });
            block.each_lane_of(w, [&](lane_coord p) {
                FADE_UNROLL
                for (int n = 0; n < pairs::count; ++n) probabilities.at(p.lane).soften(scores, p, n, j, c);
                states.lanes[p].of[j][c].sum += probabilities.at(p.lane).total();
                FADE_UNROLL
                for (int i = 0; i < Outputs::rows; ++i) rescale(outputs, p, i, j, c, factor.at(p.lane));
            });
        }
    });
}

/// Every lane that shares a row gets the whole sum.
template <class Block, class States>
FADE_FN void finish_sums(Block& block, States& states) {
    block.each_wave([&](wave_coord w) {
        FADE_UNROLL
        for (int j = 0; j < States::columns; ++j) FADE_UNROLL
        for (int c = 0; c < States::slots; ++c) {
            wave::lane_values<Block, float> sums;
            block.each_lane_of(w, [&](lane_coord p) { sums.at(p.lane) = states.lanes[p].of[j][c].sum; });
            wave::share_columns<typename States::atom>(block, w, sums,
                                                       [](float a, float b) { return a + b; });
            block.each_lane_of(w, [&](lane_coord p) { states.lanes[p].of[j][c].sum = sums.at(p.lane); });
        }
    });
}

}  // namespace FADE_NAMESPACE::block
