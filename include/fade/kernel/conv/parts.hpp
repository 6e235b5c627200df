// Parts of x's pixels that see the same taps, which strides make of backward data, where the copy unit brings
// the windows.
#pragma once
#include <array>
#include <fade/block/box/store.hpp>
#include <fade/core/lists.hpp>
#include <fade/kernel/conv/arguments.hpp>
#include <fade/kernel/gemm/store.hpp>
#include <vector>

namespace FADE_NAMESPACE::kernel {

/// With maps of A, B and what is stored, and what windows see: those of x, or of dy in backward data.
template <class In, class Out, class Epilogue>
struct tma_conv_arguments : with_maps<conv_arguments<In, Out, Epilogue>> {
    block::window_view view;
    bool sees_pixels = false;  ///< is each window one pixel, its own?
};

struct part_maps {
    tensor_map windows, pixels;  ///< of what it sees, and of what is stored
};
struct window_part {
    block::window_view view;
    block::window_lookup places;  ///< of its pixels
    part_maps maps;
};
inline constexpr int most_parts = 4;  // strides of 2 in both dimensions
using maps_of_parts = std::array<part_maps, most_parts>;

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
    sort_few(out, [](const auto& left, const auto& right) {
        return left.taps().volume() > right.taps().volume();
    });
    return out;
}
template <class In, class Out, class Epilogue>
tma_parts_arguments<In, Out, Epilogue> with_parts(const tma_conv_arguments<In, Out, Epilogue>& args,
                                                  const maps_of_parts& maps) {
    tma_parts_arguments<In, Out, Epilogue> out{args, {}};
    const auto views = views_of_parts(args.sizes);
    for (std::size_t i = 0; i < views.size(); ++i) {
        const bool any = views[i].rows_of_image() > 0;
        out.parts[i] = {views[i], any ? block::window_lookup(views[i]) : block::window_lookup(), maps[i]};
    }
    return out;
}

template <class Args>
inline constexpr bool has_parts = requires(const Args& args) { args.parts[0]; };

/// Every so many-th pixel of the result, as windows of one tap see them: boxes of 64 rows.
template <class Args>
FADE_FN im2col_source pixels_to_map(const Args& args, const block::window_view& view) {
    const index pixel = args.ldd, line = pixel * args.sizes.w.input, image = line * args.sizes.h.input;
    return {.base = args.d + view.h.out_first * line + view.w.out_first * pixel,
            .channels = int(args.n),
            .images = args.sizes.batch,
            .pixel = pixel * view.w.out_stride,
            .line = line * view.h.out_stride,
            .image = image,
            .h = {.pixels = view.h.grid, .places = view.h.grid},
            .w = {.pixels = view.w.grid, .places = view.w.grid},
            .box = 64,
            .bytes = int(sizeof(*args.d))};
}

/// A tile of results whose rows are pixels apart, for block::store_boxes and store_rows.
template <class Out, class Args>
class pixel_target {
public:
    FADE_FN pixel_target(const Args& args, const window_part& part, const output_tile& at, bool aligned)
        : args_(&args), part_(&part), at_(at), first_(args.row_of_output(at.row)), aligned_(aligned) {}

    FADE_FN bool is_aligned() const { return aligned_; }
    /// Rows of a box that do not exist lie behind the last image.
    template <class Block>
    FADE_FN void store(Block& block, std::uint32_t from, int row, int column) const {
        if (row >= at_.rows) return;
        const block::window_place place = place_of(row);
        block.store_box(from, part_->maps.pixels, pixels_to_map(*args_, part_->view),
                        im2col_place{.channel = int(at_.column) + column,
                                     .w = place.at.w,
                                     .h = place.at.h,
                                     .image = place.image,
                                     .tap_w = 0,
                                     .tap_h = 0});
    }
    template <class Block>
    FADE_FN auto memory(const Block& block) const {
        const Out* begin = args_->d;
        const conv_sizes& s = args_->sizes;
        return block.global(begin + first_ * args_->ldd + at_.column, begin,
                            begin + index(s.batch) * s.d.input * s.h.input * s.w.input * args_->ldd);
    }
    FADE_FN std::uint32_t offset(int row, int column, int count = 1) const {
        if (row >= at_.rows || column + count > at_.columns) return backend::outside;
        const auto further = int(pixel_of(row) - first_);
        return std::uint32_t((further * int(args_->ldd) + column) * int(sizeof(Out)));
    }
    FADE_FN index pixel_of(int row) const { return args_->pixel_of(place_of(row)); }

private:
    /// Without divisions.
    FADE_FN block::window_place place_of(int row) const {
        return part_->places.of(std::uint32_t(at_.row + row));
    }

    const Args* args_;
    const window_part* part_;
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
    const window_part& own = args.parts[at.layer];
    const part_arguments part(args, own.view);
    const pixel_target<out, part_arguments> to(part, own, at, args.boxes_out);
    if constexpr (std::is_same_v<decltype(args.epilogue), epilogue::none>)
        if (args.beta == typename Args::value(0))
            return block::store_boxes<out>(block, acc, Traits::results(), to,
                                           [&](int, int, sum x) FADE_LAMBDA {
                                               return wrapping_product(args.alpha, typename Args::value(x));
                                           });
    block::store_rows<out>(block, acc, Traits::results(), to, [&](int row, int column, sum x) FADE_LAMBDA {
        return finished_value(
            part, x, {to.pixel_of(row), at.column + column, 0, row < at.rows && column < at.columns});
    });
}

}  // namespace FADE_NAMESPACE::kernel
