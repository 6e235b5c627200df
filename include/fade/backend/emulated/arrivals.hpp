// Boxes that are copied beside the waves, and the barriers at which they arrive: they land when somebody
// waits, which is as late as hardware may.
#pragma once
#include <cstdint>
#include <cstring>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/backend/emulated/shared_memory.hpp>
#include <fade/core/call/list.hpp>
#include <fade/core/tensor_map.hpp>

namespace FADE_NAMESPACE::backend::emulated {

class arrivals {
public:
    void begin(std::uint32_t first, int count, shared_memory& shared, monitor& watch) {
        if (barriers_.size() != 0)
            watch.report(fault_kind::missing_barrier, "barriers for boxes were begun twice");
        for (int i = 0; i < count; ++i) {
            const std::uint64_t nothing = 0;
            shared.write(one, first + std::uint32_t(i) * 8, &nothing, sizeof nothing);
            of(first + std::uint32_t(i) * 8) = {.at = first + std::uint32_t(i) * 8};
        }
    }
    void expect(std::uint32_t at, int bytes) { of(at).expected += bytes, ++of(at).arrived; }

    /// Takes the place of the box; it holds nothing that is of use until the box lands.
    void copy(std::uint32_t to, const tile_source& from, const box_place& at, std::uint32_t announces,
              shared_memory& shared, monitor& watch) {
        if (to % 1024 != 0)
            watch.report(fault_kind::out_of_bounds,
                         beside("a box must begin at a multiple of 1024, not", to));
        for (int row = 0; row < from.box; ++row)
            for (int run = 0; run < 8; ++run) {
                const std::uint32_t offset = to + std::uint32_t(row * 128 + (run ^ row % 8) * 16);
                shared.write(one, offset, &useless, sizeof useless);
                runs_.push_back({announces, offset, run_of(from, at, row, run)});
            }
        of(announces).expected -= from.box * 128;
    }

    /// Lands what arrives at a barrier until it was completed once more than `phase` times.
    void wait(std::uint32_t at, int phase, shared_memory& shared, monitor& watch) {
        barrier& b = of(at);
        if (b.phases == phase && b.arrived == 1 && b.expected == 0) {
            land(at, shared);
            b = {.at = at, .phases = phase + 1};
        }
        if (b.phases != phase + 1)
            watch.report(fault_kind::missing_barrier, beside("a wait for boxes that were not asked for, or "
                                                             "not as many bytes as expected, by the barrier",
                                                             at));
    }

    /// Nothing may be under way to the shared memory of a workgroup that has ended.
    void end(monitor& watch) {
        for (const barrier& b : barriers_)
            if (b.arrived > 0)
                watch.report(fault_kind::missing_barrier,
                             beside("a workgroup ended while boxes were on their way to the barrier", b.at));
    }

private:
    struct landing {
        std::uint32_t barrier, to;
        shared_memory::copied value;
    };
    struct barrier {
        std::uint32_t at;
        int phases = 0, arrived = 0, expected = 0;
    };
    /// The barrier at a byte of shared memory, of which there are few.
    barrier& of(std::uint32_t at) {
        for (barrier& b : barriers_)
            if (b.at == at) return b;
        barriers_.push_back(barrier{.at = at});
        return barriers_[barriers_.size() - 1];
    }
    static std::string beside(std::string what, std::uint32_t at) {
        return std::move(what) + " at byte " + std::to_string(at);
    }

    void land(std::uint32_t at, shared_memory& shared) {
        std::size_t others = 0;
        for (const landing& r : runs_)
            if (r.barrier == at)
                shared.land(r.to, &r.value, sizeof r.value);
            else
                runs_[others++] = r;
        runs_.cut(others);
    }

    static constexpr lane_coord one{0, 0, 0};  // the lane that asks
    static constexpr shared_memory::copied useless{~0u, ~0u, ~0u, ~0u};

    static shared_memory::copied run_of(const tile_source& from, const box_place& at, int row, int run) {
        std::uint16_t elements[8]{};
        const int position = at.position + row;
        const bool exists = position < from.positions && at.head < from.heads && at.batch < from.batches;
        for (int i = 0; i < 8; ++i)
            if (const int column = at.column + run * 8 + i; exists && column < from.columns)
                std::memcpy(
                    elements + i,
                    static_cast<const char*>(from.base) +
                        2 * (at.batch * from.batch + at.head * from.head + position * from.position + column),
                    2);
        return __builtin_bit_cast(shared_memory::copied, elements);
    }

    list<barrier> barriers_;
    list<landing> runs_;  // under way, 16 bytes each
};

}  // namespace FADE_NAMESPACE::backend::emulated
