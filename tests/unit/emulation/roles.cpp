// A ring of boxes with a producer beside it, emulated: what keeps to its rules computes the right sums, and
// each broken rule shows as a fault or as a wrong sum.
#include <doctest/doctest.h>
#include <fade/block/box/ring.hpp>
#include <fade/block/box/store.hpp>
#include <fade/block/roles.hpp>
#include <fade/device/devices.hpp>
#include <random>
#include <vector>

using namespace fade;

namespace {

enum class rule { kept, no_await, released_early, never_released, other_bytes, stored_early, refilled_early };

constexpr int rows = 64, columns = 64, tile_bytes = rows * columns * 2, stages = 3;

struct sums_arguments {
    const f16* in;  ///< batches of 64 x 64
    f16* out;       ///< the sum of all batches
    int batches;
};

using ring = block::box_ring<stages>;

FADE_FN tile_source all_of(const f16* base, int batches) {
    return {.base = base,
            .columns = columns,
            .positions = rows,
            .heads = 1,
            .batches = batches,
            .position = columns,
            .head = 0,
            .batch = rows * columns,
            .box = rows};
}

template <rule Broken>
struct batch_producer : block::producer_role<batch_producer<Broken>> {
    const sums_arguments* args;
    int batch = 0;
    ring::place place{};
    explicit batch_producer(const sums_arguments& a) : args(&a) {}

    static constexpr ring barriers{stages * tile_bytes};
    bool more() const { return batch < args->batches; }
    template <class Block>
    bool has_room(Block& block) const {
        return barriers.has_room(block, place);
    }
    template <class Block>
    void next(Block& block) {
        barriers.acquire(block, place, tile_bytes - (Broken == rule::other_bytes ? 16 : 0));
        block.copy_box(std::uint32_t(place.stage * tile_bytes), tensor_map{}, all_of(args->in, args->batches),
                       {0, 0, 0, batch}, barriers.announces(place));
        ++batch, place = ring::behind(place);
    }
};

/// Sums of a lane: a row of 16 columns each, of two passes of 32.
template <rule Broken>
struct sums_entry {
    using arguments = sums_arguments;
    static constexpr std::uint32_t result = stages * tile_bytes + 1024;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 4, .shared_bytes = int(result) + tile_bytes, .producers = 4};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        const ring barriers = batch_producer<Broken>::barriers;
        barriers.begin(block, 1);
        ring::meet(block);
        batch_producer<Broken> producer(args);
        std::vector<float> sums(std::size_t(Block::threads) * 32);
        block::roles<block::role_registers{}>(block, producer, [&] {
            for (ring::place n{}; n.phase * stages + n.stage < args.batches; n = ring::behind(n)) {
                if (Broken != rule::no_await) barriers.await(block, n);
                if (Broken == rule::released_early) barriers.release(block, n);
                add(block, sums, n);
                if (Broken != rule::released_early && Broken != rule::never_released)
                    barriers.release(block, n);
            }
            store(block, sums, args);
        });
    }

private:
    static std::uint32_t place(lane_coord p, int run) {
        const int row = p.wave * 16 + p.lane / 2;
        return std::uint32_t(row * 128 + ((p.lane % 2 * 4 + run) ^ row % 8) * 16);
    }
    template <class Block>
    static void add(Block& block, std::vector<float>& sums, ring::place n) {
        block.each_lane([&](lane_coord p) {
            for (int run = 0; run < 4; ++run) {
                const auto x = block.template load_shared<vec<f16, 8>>(
                    p, std::uint32_t(n.stage * tile_bytes) + place(p, run));
                for (int i = 0; i < 8; ++i)
                    sums[std::size_t((p.wave * 32 + p.lane) * 32 + run * 8 + i)] += to_f32(x[i]);
            }
        });
    }
    template <class Block>
    static void fill(Block& block, const std::vector<float>& sums) {
        block.each_lane([&](lane_coord p) {
            for (int run = 0; run < 4; ++run) {
                vec<f16, 8> x;
                for (int i = 0; i < 8; ++i)
                    x[i] = to_f16(sums[std::size_t((p.wave * 32 + p.lane) * 32 + run * 8 + i)]);
                block.store_shared(p, result + place(p, run), x);
            }
        });
    }
    template <class Block>
    static void store(Block& block, std::vector<float>& sums, const arguments& args) {
        fill(block, sums);
        block.publish();
        if (Broken != rule::stored_early) block.meet_group();
        block.one_lane_of_group([&](int group) {
            block.store_box(result, tensor_map{}, all_of(args.out, 1), box_place{0, 0, 0, 0});
            block.commit_boxes(group);
        });
        if (Broken == rule::refilled_early) {
            block.meet_group();
            fill(block, std::vector<float>(sums.size(), 1e4f));
        }
        block::finish_boxes(block);
    }
};

/// Does what is stored differ from the sums? A fault throws.
template <rule Broken>
bool is_wrong() {
    constexpr int batches = 8;
    std::mt19937 random(std::random_device{}());
    std::vector<f16> in(std::size_t(batches) * rows * columns), out(std::size_t(rows) * columns, to_f16(-1));
    for (f16& x : in) x = to_f16(float(int(random() % 17) - 8));
    emulated_device<arch::sm_90a> device({.threads = 1});
    device.launch<sums_entry<Broken>>({}, {in.data(), out.data(), batches});
    for (std::size_t i = 0; i < out.size(); ++i) {
        float sum = 0;
        for (std::size_t b = 0; b < batches; ++b) sum += to_f32(in[b * out.size() + i]);
        if (to_f32(out[i]) != sum) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a ring of boxes that keeps its rules") { CHECK(!is_wrong<rule::kept>()); }

TEST_CASE("rules of a ring that are broken are faults") {
    CHECK_THROWS_AS(is_wrong<rule::never_released>(), error);
    CHECK_THROWS_AS(is_wrong<rule::other_bytes>(), error);
    CHECK_THROWS_AS(is_wrong<rule::no_await>(), error);
    CHECK_THROWS_AS(is_wrong<rule::released_early>(), error);
    CHECK_THROWS_AS(is_wrong<rule::stored_early>(), error);
    CHECK_THROWS_AS(is_wrong<rule::refilled_early>(), error);
}

TEST_CASE("producers count among the waves of a workgroup") {
    constexpr launch_shape most{.waves = 28, .shared_bytes = 0, .producers = 4},
        more{.waves = 29, .shared_bytes = 0, .producers = 4};
    CHECK(arch::fits(arch::sm_90a::traits, most));
    CHECK(!arch::fits(arch::sm_90a::traits, more));
}

// setmaxnreg takes registers that others of the workgroup gave away, and waits for them forever (PTX ISA).
TEST_CASE("roles share the registers that a workgroup was launched with") {
    for (int groups = 2; groups <= 6; ++groups) {
        const int lanes = 128, launched = 65536 / ((groups + 1) * lanes) / 8 * 8;
        const block::role_registers of = block::registers_for(groups);
        CHECK(of.producer + groups * of.consumer <= (groups + 1) * launched);
        CHECK((of.producer % 8 == 0 && of.consumer % 8 == 0 && of.producer >= 24 && of.consumer > launched));
    }
}
