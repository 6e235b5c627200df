// B of waves that share k where it is contiguous along its columns: lines of neighbours, which are
// transposed when they are multiplied.
#pragma once
#include <fade/block/sliced_k/rows.hpp>
#include <fade/block/source/strided.hpp>

namespace FADE_NAMESPACE::block {

template <class Block, class Atom, int Tiles, int Slices, int Run>
class sliced_lines;

/// B as an operand has its columns for rows; these lie next to one another in memory. Of `Run` consecutive k
/// all exist, or none.
template <class T, int Run>
struct operand_of_lines : operand<T> {
    template <class Block, class Atom, int Tiles, int Slices>
    using sliced = sliced_lines<Block, Atom, Tiles, Slices, Run>;
    FADE_FN explicit constexpr operand_of_lines(const operand<T>& all) : operand<T>(all) {}
};

/// The same where k ends anywhere: behind it memory itself has an end, so parts of k alone are whole runs.
template <class T, int Run>
struct operand_of_bounded_lines : operand_of_lines<T, Run> {
    using operand_of_lines<T, Run>::operand_of_lines;
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        return block.global_bounded(this->tile, this->end);
    }
};

/// How many neighbouring columns a lane takes at each k: so many that few workgroups are not left with many
/// columns, in at most 16 bytes.
template <class Atom>
struct line_patch {
    static constexpr int columns = sizeof(typename Atom::element) == 8 ? 2 : 4;
    /// Atoms whose columns lie together.
    static constexpr int joined = max_of(columns / Atom::lane_columns, 1);
};

/// As sliced_rows, of elements of 16 bits or more.
template <class Block, class Atom, int Tiles, int Slices, int Run>
class sliced_lines {
    using element = typename Atom::element;
    static constexpr int size = int(sizeof(element)), together = line_patch<Atom>::columns,
                         of_lane = Atom::lane_columns, patches = Tiles * of_lane / together,
                         step = Atom::lane_k * Atom::k_groups, words = together * size / 4;
    static_assert(size >= 2 && Tiles * of_lane % together == 0 && Atom::lane_k % Run == 0);
    using line = vec<std::uint32_t, words>;
    struct lane_state {
        std::uint32_t offset[patches];
        int k;
        line lines[2][Slices][patches][Atom::lane_k];
    };

public:
    template <class Source, class Column>
    FADE_FN sliced_lines(Block& block, const Source& from, Column column) {
        block.each_lane([&](lane_coord p) {
            lane_state& lane = lanes_[p];
            lane.k = p.wave * Slices * step + Atom::k_group(p.lane) * Atom::lane_k;
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) {
                const int first = column(p.lane, i * together / of_lane, i * together % of_lane);
                lane.offset[i] = first < from.rows ? from.offset(first, lane.k) : backend::outside;
                Block::keep(lane.offset[i]);
            }
        });
    }

    template <class Source>
    FADE_FN void load(Block& block, wave_coord w, const Source& from, int left, int set) {
        const auto memory = from.memory(block);
        block.each_lane_of(w, [&](lane_coord p) {
            lane_state& lane = lanes_[p];
            FADE_UNROLL
            for (int s = 0; s < Slices; ++s) FADE_UNROLL
            for (int k = 0; k < Atom::lane_k; ++k) {
                const std::uint32_t beyond = lane.k + s * step + k / Run * Run < left ? 0 : backend::outside;
                FADE_UNROLL
                for (int i = 0; i < patches; ++i)
                    lane.lines[set][s][i][k] =
                        memory.template load<line>(lane.offset[i] | beyond, from.offset(0, s * step + k));
            }
        });
    }

    FADE_FN auto slice(Block& block, wave_coord w, int set, int s) {
        wave::operand_fragment<Block, element, of_lane * Atom::lane_k, Tiles> out;
        block.each_lane_of(w, [&](lane_coord p) {
            const auto& lane = lanes_[p];
            FADE_UNROLL
            for (int i = 0; i < patches; ++i) FADE_UNROLL
            for (int r = 0; r < together; ++r) {
                const int column = i * together + r;
                transpose(lane.lines[set][s][i], r, out.at(p.lane, column / of_lane),
                          column % of_lane * Atom::lane_k);
            }
        });
        return out;
    }

private:
    /// Column r of lines, to the elements from `first` on.
    template <class Operand>
    FADE_FN static void transpose(const line (&lines)[Atom::lane_k], int r, Operand& to, int first) {
        constexpr int pair = max_of(4 / size, 1), wide = max_of(size / 4, 1);
        FADE_UNROLL
        for (int k = 0; k < Atom::lane_k; k += pair) {
            vec<std::uint32_t, wide> one;
            if constexpr (pair == 2) {
                const std::uint32_t a = lines[k][r / 2], b = lines[k + 1][r / 2];
                one[0] = r % 2 ? Block::template pick_bytes<0x7632>(a, b)
                               : Block::template pick_bytes<0x5410>(a, b);
            } else {
                FADE_UNROLL
                for (int g = 0; g < wide; ++g) one[g] = lines[k][r * wide + g];
            }
            wave::put_elements(to, (first + k) * size / 4, one);
        }
    }

    per_lane<Block, lane_state> lanes_;
};

}  // namespace FADE_NAMESPACE::block
