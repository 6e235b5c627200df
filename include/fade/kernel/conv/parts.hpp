// Parts of x's pixels that see the same taps, which strides make of backward data, where the copy unit brings
// the windows.
#pragma once
#include <algorithm>
#include <array>
#include <fade/block/box/store.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <vector>

namespace FADE_NAMESPACE::kernel {

/// With maps of A, B and what is stored, and what windows see: those of x, or of dy in backward data.
template <class In, class Out, class Epilogue>
struct tma_conv_arguments : with_maps<conv_arguments<In, Out, Epilogue>> {
    block::window_view view;
};

struct window_part {
    block::window_view view;
    tensor_map map;  ///< of its windows
};
inline constexpr int most_parts = 4;  // strides of 2 in both dimensions
using part_maps = std::array<tensor_map, most_parts>;

/// The same of strided backward data: each layer of the launch is one part.
template <class In, class Out, class Epilogue>
struct tma_parts_arguments : tma_conv_arguments<In, Out, Epilogue> {
    using plain = conv_arguments<In, Out, Epilogue>;
    window_part parts[most_parts];
};

/// Those that see most taps come first: they take longest.
inline std::vector<block::window_view> views_of_parts(const conv_sizes& s) {
    std::vector<block::window_view> out;
    for (int residue = 0; residue < s.residues(); ++residue) out.push_back(backward_view(s, residue));
    std::sort(out.begin(), out.end(), [](const auto& left, const auto& right) {
        return left.taps().volume() > right.taps().volume();
    });
    return out;
}
template <class In, class Out, class Epilogue>
tma_parts_arguments<In, Out, Epilogue> with_parts(const tma_conv_arguments<In, Out, Epilogue>& args,
                                                  const part_maps& maps) {
    tma_parts_arguments<In, Out, Epilogue> out{args, {}};
    const auto views = views_of_parts(args.sizes);
    for (std::size_t i = 0; i < views.size(); ++i) out.parts[i] = {views[i], maps[i]};
    return out;
}

template <class Args>
inline constexpr bool has_parts = requires(const Args& args) { args.parts[0]; };

/// A tile of results whose rows are pixels apart, for block::store_rows.
template <class Out, class Args>
class pixel_target {
public:
    FADE_FN pixel_target(const Args& args, const output_tile& at, bool aligned)
        : args_(&args), at_(at), first_(args.row_of_output(at.row)), aligned_(aligned) {}

    FADE_FN bool is_aligned() const { return aligned_; }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        const Out* begin = args_->d;
        const conv_sizes& s = args_->sizes;
        return block.global(begin + first_ * args_->ldd + at_.column, begin,
                            begin + index(s.batch) * s.d.input * s.h.input * s.w.input * args_->ldd);
    }
    FADE_FN std::uint32_t offset(int row, int column, int count = 1) const {
        if (row >= at_.rows || column + count > at_.columns) return backend::outside;
        const auto further = int(args_->row_of_output(at_.row + row) - first_);
        return std::uint32_t((further * int(args_->ldd) + column) * int(sizeof(Out)));
    }

private:
    const Args* args_;
    output_tile at_;
    index first_;
    bool aligned_;
};

/// Sums of a tile of a part through the epilogue to its pixels.
template <class Traits, class Block, class Acc, class Args>
FADE_FN void store_part(Block& block, Acc& acc, const Args& args, const output_tile& at) {
    using out = std::remove_cvref_t<decltype(*args.d)>;
    using sum = typename Acc::element;
    if (at.rows <= 0) return;
    using part_arguments = residue_arguments<typename Args::plain>;
    const part_arguments part(args, args.parts[at.layer].view);
    const pixel_target<out, part_arguments> to(part, at, args.boxes_out);
    if constexpr (std::is_same_v<decltype(args.epilogue), epilogue::none>)
        if (args.beta == typename Args::value(0))
            return block::store_runs<out>(block, acc, Traits::results(), to,
                                          [&](int, int, sum x) FADE_LAMBDA {
                                              return wrapping_product(args.alpha, typename Args::value(x));
                                          });
    block::store_rows<out>(block, acc, Traits::results(), to, [&](int row, int column, sum x) FADE_LAMBDA {
        return finished_value(
            part, x,
            {part.row_of_output(at.row + row), at.column + column, 0, row < at.rows && column < at.columns});
    });
}

}  // namespace FADE_NAMESPACE::kernel
