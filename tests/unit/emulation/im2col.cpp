// A box of windows, emulated: it holds what a tap sees, and begins where a window stands.
#include <doctest/doctest.h>
#include <fade/block/box/ring.hpp>
#include <fade/device/devices.hpp>
#include <random>
#include <vector>

using namespace fade;

namespace {

constexpr int places = 64, channels = 64, box_bytes = places * 128;

struct box_arguments {
    im2col_source source;
    im2col_place at;
    f16* out;  ///< [place][channel]
};

struct box_entry {
    using arguments = box_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 4, .shared_bytes = box_bytes + 8, .producers = 4};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        block.one_lane([&] { block.begin_arrivals(box_bytes, 1); });
        block.sync();
        block.expect(box_bytes, box_bytes);
        block.copy_box(0, tensor_map{}, args.source, args.at, box_bytes);
        block.await_arrival(box_bytes, 0);
        block.each_lane([&](lane_coord p) {
            for (int n = p.wave * 32 + p.lane; n < places * 8; n += 128) {
                const int row = n / 8, run = n % 8;
                const auto x = block.template load_shared<vec<f16, 8>>(
                    p, std::uint32_t(row * 128 + (run ^ row % 8) * 16));
                for (int i = 0; i < 8; ++i) args.out[row * channels + run * 8 + i] = x[i];
            }
        });
    }
};

/// Two images of 7 x 9 pixels; windows of steps 2 and 3 begin two pixels above and one before them.
im2col_source images_of(const std::vector<f16>& memory) {
    return {.base = memory.data(),
            .channels = 40,
            .images = 2,
            .pixel = 40,
            .line = 9 * 40,
            .image = 7 * 9 * 40,
            .h = {.pixels = 7, .places = 5, .step = 2, .first = -2},
            .w = {.pixels = 9, .places = 4, .step = 3, .first = -1},
            .box = places};
}

std::vector<f16> box_at(const im2col_source& source, const im2col_place& at) {
    std::vector<f16> out(std::size_t(places) * channels, to_f16(-1));
    emulated_device<arch::sm_90a> device({.threads = 1});
    device.launch<box_entry>({}, {source, at, out.data()});
    return out;
}

}  // namespace

TEST_CASE("a box of windows holds what a tap sees of them") {
    std::mt19937 random(std::random_device{}());
    std::vector<f16> memory(2 * 7 * 9 * 40);
    for (f16& x : memory) x = to_f16(float(1 + random() % 1000));
    const im2col_source source = images_of(memory);
    // From place (1, 2) of the first image on, and so beyond the last place of the second.
    const auto got = box_at(source, {.channel = 8, .w = 5, .h = 0, .image = 0, .tap_w = 2, .tap_h = 3});
    for (int row = 0; row < places; ++row)
        for (int c = 0; c < channels; ++c) {
            const int place = 1 * 4 + 2 + row, image = place / 20, y = place % 20 / 4 * 2 - 2 + 3,
                      x = place % 4 * 3 - 1 + 2;
            const bool there = image < 2 && y >= 0 && y < 7 && x >= 0 && x < 9 && 8 + c < 40;
            const float want =
                there ? to_f32(memory[std::size_t(((image * 7 + y) * 9 + x) * 40 + 8 + c)]) : 0;
            CHECK(to_f32(got[std::size_t(row * channels + c)]) == want);
        }
}

TEST_CASE("a box of windows that the hardware would not copy is a fault") {
    const std::vector<f16> memory(2 * 7 * 9 * 40);
    const im2col_source right = images_of(memory);
    const im2col_place first{.channel = 0, .w = -1, .h = -2, .image = 0, .tap_w = 0, .tap_h = 0};
    CHECK_NOTHROW(box_at(right, first));
    const auto refuses = [&](auto change) {
        im2col_source source = right;
        im2col_place at = first;
        change(source, at);
        CHECK_THROWS_AS(box_at(source, at), error);
    };
    refuses([](auto&, auto& at) { at.w = 0; });       // between two windows
    refuses([](auto&, auto& at) { at.h = -4; });      // before the first
    refuses([](auto&, auto& at) { at.w = 11; });      // behind the last
    refuses([](auto&, auto& at) { at.tap_h = -1; });  // taps lie behind
    refuses([](auto&, auto& at) { at.tap_w = 256; });
    refuses([](auto& source, auto&) { source.w.step = 9; });
    refuses([](auto& source, auto& at) { source.h.first = at.h = -129; });
    refuses([](auto& source, auto&) { source.pixel = 36; });
    refuses([](auto& source, auto&) { source.line = 9 * 40 + 4; });
    refuses([](auto& source, auto&) { source.image = 0; });
}

namespace {

struct store_entry {
    using arguments = box_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 4, .shared_bytes = box_bytes, .producers = 4};
    }
    /// Row r holds 1000 + r, but for its last channel.
    template <class Block>
    static void run(Block& block, const arguments& args) {
        block.each_lane([&](lane_coord p) {
            for (int n = p.wave * 32 + p.lane; n < places * 8; n += 128) {
                const int row = n / 8, run = n % 8;
                vec<f16, 8> x{};
                for (int i = 0; i < 8; ++i) x[i] = to_f16(float(run * 8 + i == 63 ? 1 : 1000 + row));
                block.store_shared(p, std::uint32_t(row * 128 + (run ^ row % 8) * 16), x);
            }
        });
        block.publish();
        block.meet_group();
        block.one_lane_of_group([&](int group) {
            block.store_box(0, tensor_map{}, args.source, args.at);
            block.commit_boxes(group);
            block.template await_boxes<0>(group);
        });
    }
};

}  // namespace

TEST_CASE("a box is stored to every second pixel of images, and to no other memory") {
    constexpr int h = 7, w = 9, lines = 4, columns = 4, of_pixel = 72;  // the odd columns of even lines
    std::vector<f16> memory(std::size_t(3 * h * w * of_pixel), to_f16(-1));
    const im2col_source to{.base = memory.data() + of_pixel,
                           .channels = 40,
                           .images = 2,
                           .pixel = 2 * of_pixel,
                           .line = 2 * w * of_pixel,
                           .image = h * w * of_pixel,
                           .h = {.pixels = lines, .places = lines},
                           .w = {.pixels = columns, .places = columns},
                           .box = places};
    emulated_device<arch::sm_90a> device({.threads = 1});
    device.launch<store_entry>(
        {}, {to, {.channel = 8, .w = 2, .h = 1, .image = 0, .tap_w = 0, .tap_h = 0}, nullptr});
    for (int image = 0; image < 3; ++image)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                for (int c = 0; c < of_pixel; ++c) {
                    const int row = (image * lines + y / 2) * columns + x / 2 - (columns + 2);
                    const bool stored = image < 2 && y % 2 == 0 && x % 2 == 1 && c >= 8 && c < 40 && row >= 0;
                    const auto at = std::size_t(((image * h + y) * w + x) * of_pixel + c);
                    REQUIRE(to_f32(memory[at]) == (stored ? float(1000 + row) : -1.0f));
                }
}
