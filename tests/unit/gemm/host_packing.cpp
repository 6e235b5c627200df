// Packs of k as dot-product instructions read them: every byte of staged rows of A and of packed panels of B,
// with every instruction set; and windows as they are gathered.
#include "common/each_isa.hpp"
#include <doctest/doctest.h>
#include <fade/block/pack.hpp>
#include <fade/block/source/lines.hpp>
#include <random>
#include <vector>

using namespace fade;

namespace {

/// A matrix of random bits, rows x depth, with room behind each line; it ends with its last element.
template <class In>
struct source {
    std::vector<In> values;
    block::operand<In> of;
    source(int rows, int depth, bool along_k) {
        const fade::index lines = along_k ? rows : depth, length = along_k ? depth : rows, pitch = length + 3;
        values.resize(std::size_t((lines - 1) * pitch + length));
        static std::mt19937 random(std::random_device{}());
        for (In& x : values) {
            const std::uint32_t bits = std::uint32_t(random());
            std::memcpy(&x, &bits, sizeof x);
        }
        of = {values.data(), nullptr, nullptr, along_k ? pitch : 1, along_k ? 1 : pitch, rows};
    }
};

/// The pack of elements k, k + 1, ... of a row, from its definition: zero beyond the depth and beyond the
/// rows, then inverted.
template <class T, class In>
std::uint32_t expected(const block::operand<In>& from, int rows, int depth, int row, int k) {
    std::uint32_t word = 0;
    for (int i = 0; i < T::k && k + i < depth && row < rows; ++i) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, from.tile + row * from.row_stride + (k + i) * from.k_stride, sizeof(In));
        word |= bits << (8 * int(sizeof(In)) * i);
    }
    return word ^ T::flip;
}

template <class T, class In>
int wrong_in_strip(int rows, int depth, bool along_k) {
    const source<In> from(rows, depth, along_k);
    const int words = ceil_div(depth, T::k);
    std::vector<T> memory(std::size_t(rows * words) + 1, T{0x5a5a5a5au});
    const auto read = block::stage_rows(memory.data(), from.of, rows, depth);
    int wrong = memory.back().word != 0x5a5a5a5au;
    for (int r = 0; r < rows; ++r)
        for (int w = 0; w < words; ++w)
            wrong += read.at[r * read.row_stride + w * read.k_stride].word !=
                     expected<T>(from.of, rows, depth, r, w * T::k);
    return wrong;
}

template <class T, class In>
int wrong_in_panel(int columns, int depth, bool along_k) {
    constexpr int width = 32;
    const source<In> from(columns, depth, along_k);
    const int words = ceil_div(depth, T::k);
    std::vector<T> panel(std::size_t(width * words) + 1, T{0x5a5a5a5au});
    block::pack_panel(panel.data(), width, from.of, columns, depth);
    int wrong = panel.back().word != 0x5a5a5a5au;
    for (int w = 0; w < words; ++w)
        for (int c = 0; c < width; ++c)
            wrong +=
                panel[std::size_t(w * width + c)].word != expected<T>(from.of, columns, depth, c, w * T::k);
    return wrong;
}

constexpr int depths[] = {1, 2, 3, 4, 5, 31, 63, 64, 65, 66, 67, 131},
              extents[] = {1, 3, 7, 8, 15, 16, 17, 31, 32};

template <class In, class Left, class Right>
void check_packs() {
    for (const bool along_k : {false, true})
        for (const int depth : depths)
            for (const int n : extents) {
                INFO("along k: ", along_k, ", depth ", depth, ", rows or columns ", n);
                CHECK(wrong_in_strip<Left, In>(n, depth, along_k) == 0);
                CHECK(wrong_in_panel<Right, In>(n, depth, along_k) == 0);
            }
}

}  // namespace

TEST_CASE("packs of k") {
    test::each_isa([] {
        check_packs<bf16, atom::packed<bf16>, atom::packed<bf16>>();
        check_packs<i8, atom::packed<i8, 0x80808080u>, atom::packed<i8>>();
    });
}

TEST_CASE("gathered windows, each with zeros to a whole word") {
    const auto seed = std::random_device{}();
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    const auto to = [&](int from, int last) { return from + int(random() % unsigned(last - from + 1)); };
    for (int n = 0; n < 400; ++n) {
        block::window_view view;
        view.channels = to(1, 40);
        for (block::axis* a : {&view.d, &view.h, &view.w})
            *a = {.image = to(1, 7),
                  .grid = to(1, 7),
                  .step = to(1, 3),
                  .start = -to(0, 3),
                  .taps = to(1, 4),
                  .tap_step = to(0, 3) == 0 ? -1 : to(1, 2)};
        view.pixel = view.channels + to(0, 1) * 3;
        const fade::index rows = 2 * view.rows_of_image(), first = to(0, int(rows) - 1);
        const int count = to(1, int(rows - first)), depths_of_all = view.taps().volume() * view.channels,
                  k = to(0, depths_of_all - 1), depth = to(1, depths_of_all - k), words = ceil_div(depth, 4);
        std::vector<i8> image(std::size_t(2 * view.pixels_of_image() * view.pixel)),
            scratch(std::size_t(count * words * 4), 99);
        for (i8& x : image) x = i8(random() % 100 + 1);
        const auto got =
            block::window_lines<i8>{view, image.data(), scratch.data()}.lines(first, count, k, depth);
        if (view.is_plain()) continue;
        int wrong = !got.whole_words;
        for (int r = 0; r < count; ++r)
            for (int i = 0; i < 4 * words; ++i) {
                const block::window_place p = block::window_rows(view).of(std::uint32_t(first + r));
                const int tap = (k + i) / view.channels, taps_w = view.w.taps, taps_h = view.h.taps,
                          w = view.w.coordinate(p.at.w, tap % taps_w),
                          h = view.h.coordinate(p.at.h, tap / taps_w % taps_h),
                          d = view.d.coordinate(p.at.d, tap / taps_w / taps_h);
                const bool inside = i < depth && view.w.holds(w) && view.h.holds(h) && view.d.holds(d);
                const auto pixel =
                    ((fade::index(p.image) * view.d.image + d) * view.h.image + h) * view.w.image + w;
                wrong += got.tile[r * got.row_stride + i] !=
                         (inside ? image[std::size_t(pixel * view.pixel + (k + i) % view.channels)] : 0);
            }
        INFO("view ", n);
        CHECK(wrong == 0);
    }
}
