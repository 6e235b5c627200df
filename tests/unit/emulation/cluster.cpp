// Workgroups of a cluster that read each other's shared memory, emulated: what keeps to the rules reads what
// was left there, and each broken rule is a fault.
#include <doctest/doctest.h>
#include <fade/device/devices.hpp>
#include <random>
#include <string>
#include <vector>

using namespace fade;

namespace {

enum class rule {
    kept,
    never_met,
    one_met_less,
    read_ahead,
    ended_early,
    written_late,
    written_again,
    never_written,
    outside
};

constexpr int ranks = 4;
struct sums_arguments {
    const float* in;  ///< four numbers a lane, a workgroup
    float* out;       ///< their sums over a cluster, by its last workgroup
};

template <rule Broken>
struct sums_entry {
    using arguments = sums_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = 1024, .cluster = ranks};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        const int rank = block.id_x() % ranks;
        const bool reads = rank == (Broken == rule::read_ahead ? 0 : ranks - 1);
        const auto write = [&](float more) {
            block.each_lane([&](lane_coord p) {
                vec<float, 4> x;
                for (int i = 0; i < 4; ++i) x[i] = args.in[(block.id_x() * 32 + p.lane) * 4 + i] + more;
                block.store_shared(p, std::uint32_t(p.lane * 16), x);
            });
        };
        if (Broken != rule::written_late && Broken != rule::never_written) write(0);
        if (Broken != rule::never_met && (Broken != rule::one_met_less || rank != 1)) block.meet_cluster();
        if (Broken == rule::written_late) write(0);
        if (reads) read(block, args);
        if (Broken == rule::written_again) write(1);
        if (Broken != rule::ended_early) block.meet_cluster();
    }

private:
    template <class Block>
    static void read(Block& block, const arguments& args) {
        block.each_lane([&](lane_coord p) {
            vec<float, 4> sum{};
            for (int other = 0; other < ranks; ++other) {
                const auto x = block.template load_of_cluster<vec<float, 4>>(
                    p, other, std::uint32_t((p.lane + (Broken == rule::outside ? 64 : 0)) * 16));
                for (int i = 0; i < 4; ++i) sum[i] += x[i];
            }
            for (int i = 0; i < 4; ++i) args.out[(block.id_x() / ranks * 32 + p.lane) * 4 + i] = sum[i];
        });
    }
};

/// What the first fault says; "wrong" where sums differ, nothing where all is right.
template <rule Broken>
std::string found() {
    constexpr std::size_t clusters = 3, of_one = 32 * 4;
    std::mt19937 random(std::random_device{}());
    std::vector<float> in(clusters * ranks * of_one), out(clusters * of_one, -1e9f);
    for (float& x : in) x = float(int(random() % 17) - 8);
    emulated_device<arch::sm_90a> device({.threads = 2});
    try {
        device.launch<sums_entry<Broken>>({int(clusters) * ranks}, {in.data(), out.data()});
    } catch (const error& e) {
        return e.what();
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        float sum = 0;
        for (std::size_t r = 0; r < ranks; ++r) sum += in[(i / of_one * ranks + r) * of_one + i % of_one];
        if (out[i] != sum) return "wrong";
    }
    return "";
}

bool has(const std::string& said, const char* words) {
    INFO(said);
    return said.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a cluster that keeps its rules") { CHECK(found<rule::kept>() == ""); }

TEST_CASE("rules of a cluster that are broken are faults") {
    CHECK(has(found<rule::never_met>(), "before the two have met"));
    CHECK(has(found<rule::one_met_less>(), "did not always meet as a whole"));
    CHECK(has(found<rule::read_ahead>(), "before the two have met"));
    CHECK(has(found<rule::ended_early>(), "though it may have ended"));
    CHECK(has(found<rule::written_late>(), "never written when they met"));
    CHECK(has(found<rule::never_written>(), "never written when they met"));
    CHECK(has(found<rule::written_again>(), "and written before they met again"));
    CHECK(has(found<rule::outside>(), "outside of it"));
}

TEST_CASE("workgroups are launched in whole clusters") {
    emulated_device<arch::sm_90a> device({.threads = 1});
    CHECK_THROWS_WITH(device.launch<sums_entry<rule::kept>>({ranks + 1}, {}),
                      "grid.x is 5, but workgroups come in whole clusters of 4");
}
