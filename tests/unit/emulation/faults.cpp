// What emulation notices: each kind of fault is reported by a small kernel that has it, and by none that has
// not.
#include <doctest/doctest.h>
#include <fade/gemm.hpp>

using namespace fade;
using backend::emulated::fault_kind;

namespace {

using device = emulated_device<arch::gfx942>;

struct no_arguments {};

/// A kernel of two waves with 256 bytes of shared memory, whose text is that of `Text`.
template <class Text>
struct kernel_of {
    using arguments = no_arguments;
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 2, .shared_bytes = 256};
    }
    template <class Block>
    static void run(Block& block, const arguments&) {
        Text::run(block);
    }
};

template <class Block>
void write_by(Block& block, int wave, std::uint32_t at) {
    block.each_lane([&](lane_coord p) {
        if (p.wave == wave && p.lane == 0) block.store_shared(p, at, 1.0f);
    });
}
template <class Block>
void read_by(Block& block, int wave, std::uint32_t at) {
    block.each_lane([&](lane_coord p) {
        if (p.wave == wave && p.lane == 0) (void)block.template load_shared<float>(p, at);
    });
}

/// The kinds of fault that a kernel has, in order of report.
template <class Text>
std::vector<fault_kind> faults_of(int groups = 1) {
    device d({.threads = 1, .faults_throw = false});
    d.launch<kernel_of<Text>>({groups, 1, 1}, {});
    std::vector<fault_kind> out;
    for (const auto& f : d.monitor().faults()) out.push_back(f.kind);
    CHECK(out.size() ==
          std::min<std::size_t>(d.monitor().fault_count(), backend::emulated::monitor::max_kept));
    return out;
}

using kinds = std::vector<fault_kind>;
const kinds none;

/// A kernel that loads a number in one of four ways, before it awaits its inputs or after it.
template <int Way, bool Early>
struct awaiting {
    struct arguments {
        const float* x;
    };
    template <class Arch>
    static constexpr launch_shape shape() {
        return {.waves = 1, .shared_bytes = 64, .awaits = true};
    }
    template <class Block>
    static void run(Block& block, const arguments& args) {
        if (!Early) block.await_inputs();
        block.each_lane([&](lane_coord p) {
            if (p.lane > 0) return;
            if (Way == 0) (void)block.global(args.x, args.x, args.x + 4).template load<float>(0);
            if (Way == 1) (void)block.global_bounded(args.x, args.x + 4).template load<float>(0);
            if (Way == 2) (void)block.template load_anywhere<float>(true, args.x);
            if constexpr (Way == 3) block.copy_async(p, 0, args.x, true);
        });
        block.await_inputs();
    }
};

template <int Way, class Device = device>
void check_await() {
    alignas(16) const float x[4]{};
    Device d({.threads = 1, .faults_throw = false});
    d.template launch<awaiting<Way, false>>({1, 1, 1}, {x});
    CHECK(d.monitor().fault_count() == 0);
    d.template launch<awaiting<Way, true>>({1, 1, 1}, {x});
    REQUIRE(d.monitor().fault_count() == 1);
    CHECK(d.monitor().faults().front().kind == fault_kind::too_early);
}

#define FADE_KERNEL(NAME, ...)                                                                               \
    struct NAME {                                                                                            \
        template <class Block>                                                                               \
        static void run(Block& block) {                                                                      \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

FADE_KERNEL(exchange, write_by(block, 0, 8); block.sync(); read_by(block, 1, 8); block.sync();
            write_by(block, 1, 8); block.sync(); read_by(block, 0, 8););
FADE_KERNEL(read_after_write, write_by(block, 0, 8); read_by(block, 1, 8););
FADE_KERNEL(write_after_read, write_by(block, 0, 8); block.sync(); read_by(block, 0, 8);
            write_by(block, 1, 8););
FADE_KERNEL(write_after_both_read, write_by(block, 0, 8); block.sync(); read_by(block, 0, 8);
            read_by(block, 1, 8); write_by(block, 0, 8););
FADE_KERNEL(write_after_write, write_by(block, 0, 8); write_by(block, 1, 8););
FADE_KERNEL(own_memory, write_by(block, 0, 8); read_by(block, 0, 8); write_by(block, 0, 8);
            write_by(block, 1, 12); read_by(block, 1, 12););
FADE_KERNEL(never_written, read_by(block, 0, 8););
FADE_KERNEL(written_beside, write_by(block, 0, 4); write_by(block, 0, 12); block.sync();
            read_by(block, 1, 8););
FADE_KERNEL(last_word, write_by(block, 0, 252); block.sync(); read_by(block, 1, 252););
FADE_KERNEL(write_beyond, write_by(block, 0, 256););
FADE_KERNEL(write_across_the_end, write_by(block, 0, 254););
FADE_KERNEL(read_beyond, read_by(block, 0, 256););
FADE_KERNEL(left_by_another, if (block.id_x() == 0) write_by(block, 0, 8); else read_by(block, 0, 8););
FADE_KERNEL(misaligned, write_by(block, 0, 2););

}  // namespace

TEST_CASE("barriers between waves") {
    CHECK(faults_of<exchange>() == none);
    CHECK(faults_of<own_memory>() == none);
    for (const auto& found : {faults_of<read_after_write>(), faults_of<write_after_read>(),
                              faults_of<write_after_both_read>(), faults_of<write_after_write>()}) {
        CHECK(!found.empty());
        for (const auto kind : found) CHECK(kind == fault_kind::missing_barrier);
    }
}

TEST_CASE("shared memory that was never written") {
    CHECK(faults_of<never_written>().front() == fault_kind::uninitialised);
    CHECK(faults_of<written_beside>().front() == fault_kind::uninitialised);
}

TEST_CASE("shared memory does not reach across workgroups") {
    CHECK(faults_of<left_by_another>(2).front() == fault_kind::uninitialised);
}

TEST_CASE("the end of shared memory, and alignment") {
    CHECK(faults_of<last_word>() == none);
    const kinds outside{fault_kind::out_of_bounds};
    CHECK(faults_of<write_beyond>() == outside);
    CHECK(faults_of<write_across_the_end>() == outside);
    CHECK(faults_of<read_beyond>() == outside);
    CHECK(faults_of<misaligned>() == outside);
}

TEST_CASE("inputs that may not be there yet") {
    check_await<0>(), check_await<1>(), check_await<2>(), check_await<3, emulated_device<arch::sm_80>>();
}

TEST_CASE("a fault ends the call by default, and says where") {
    device d({.threads = 1});
    std::string said;
    try {
        d.launch<kernel_of<read_after_write>>({1, 1, 1}, {});
    } catch (const error& e) {
        said = e.what();
    }
    CHECK(said.find("wave 1") != std::string::npos);
    CHECK(said.find("byte 8") != std::string::npos);
    CHECK(said.find("barrier") != std::string::npos);
    CHECK_NOTHROW(d.launch<kernel_of<exchange>>({1, 1, 1}, {}));  // the next call is judged by its own faults
    CHECK(d.monitor().fault_count() > 0);
    d.monitor().clear();
    CHECK(d.monitor().fault_count() == 0);
}

TEST_CASE("all faults are counted, the first are kept") {
    device d({.threads = 2, .faults_throw = false});
    d.launch<kernel_of<misaligned>>({100, 1, 1}, {});
    CHECK(d.monitor().fault_count() == 100);
    CHECK(d.monitor().faults().size() == backend::emulated::monitor::max_kept);
}

TEST_CASE("nobody uses the place of a copy that is under way") {
    using backend::emulated::shared_memory;
    const lane_coord first{0, 0, 0}, second{1, 0, 64};
    const shared_memory::copied value{1, 2, 3, 4};
    shared_memory::copied got{};
    backend::emulated::monitor said;
    shared_memory memory(64, said);
    const auto faulty = [&](auto access) {
        const std::size_t before = said.fault_count();
        access();
        return said.fault_count() > before;
    };
    CHECK(!faulty([&] { memory.begin_copy(first, 16, value), memory.close_copies(); }));
    memory.next_epoch();
    CHECK(faulty([&] { memory.read(first, 16, &got, sizeof got); }));
    CHECK(faulty([&] { memory.write(second, 16, &value, sizeof value); }));
    memory.begin_copy(first, 32, value);
    CHECK(faulty([&] { memory.begin_copy(first, 32, value), memory.close_copies(); }));
    CHECK(!faulty([&] { memory.land_copies(0), memory.read(first, 32, &got, sizeof got); }));
    CHECK(got[3] == 4);
    CHECK(faulty([&] { memory.read(second, 32, &got, sizeof got); }));
}

TEST_CASE("a release is a barrier for the unit that copies boxes, and for no wave") {
    using backend::emulated::shared_memory;
    const lane_coord first{0, 0, 0}, second{1, 0, 64};
    const shared_memory::copied value{};
    shared_memory::copied got{};
    for (const bool released : {true, false}) {
        backend::emulated::monitor said;
        shared_memory memory(64, said);
        memory.write(first, 0, &value, sizeof value), memory.write(first, 16, &value, sizeof value);
        memory.next_epoch();
        memory.read(second, 0, &got, sizeof got), memory.read(second, 16, &got, sizeof got);
        if (released) memory.release();
        memory.take_place(shared_memory::copy_unit, 0);
        CHECK((said.fault_count() == 0) == released);
        const std::size_t before = said.fault_count();
        memory.write(first, 16, &value, sizeof value);
        CHECK(said.fault_count() > before);
    }
}

TEST_CASE(
    "numbers of epochs begin anew after some 30 million barriers, and nothing is forgotten or invented") {
    backend::emulated::monitor said;
    backend::emulated::shared_memory memory(64, said);
    const lane_coord first{0, 0, 0}, second{1, 0, 64};
    float value = 1;
    memory.write(first, 0, &value, sizeof value);
    for (int i = 0; i < 40'000'000; ++i) memory.next_epoch();
    memory.read(second, 0, &value, sizeof value);  // written before the barriers
    CHECK(said.fault_count() == 0);
    memory.read(second, 8, &value, sizeof value);  // never written
    CHECK(said.fault_count() > 0);
    const std::size_t before = said.fault_count();
    memory.write(first, 16, &value, sizeof value);
    memory.read(second, 16, &value, sizeof value);  // no barrier between
    CHECK(said.fault_count() > before);
}
