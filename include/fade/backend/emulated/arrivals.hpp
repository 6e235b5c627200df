// Boxes that are copied beside the waves, and the barriers at which they arrive: they land when somebody
// waits, which is as late as hardware may.
#pragma once
#include <cstdint>
#include <cstring>
#include <fade/backend/emulated/box_elements.hpp>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/backend/emulated/shared_memory.hpp>
#include <fade/core/call/list.hpp>
#include <fade/core/tensor_map.hpp>

namespace FADE_NAMESPACE::backend::emulated {

class arrivals {
public:
    void begin(std::uint32_t first, int count, int wanted, shared_memory& shared, monitor& watch) {
        for (int i = 0; i < count; ++i) {
            const std::uint32_t at = first + std::uint32_t(i) * 8;
            for (const barrier& b : barriers_)
                if (b.at == at)
                    watch.report(fault_kind::missing_barrier, "barriers for boxes were begun twice");
            const std::uint64_t nothing = 0;
            shared.write(one, at, &nothing, sizeof nothing);
            of(at) = {.at = at, .wanted = wanted};
        }
    }
    void expect(std::uint32_t at, int bytes) { of(at).expected += bytes, ++of(at).arrived; }
    /// By a lane, of which the last completes the barrier.
    void arrive(std::uint32_t at) {
        barrier& b = of(at);
        if (++b.arrived == b.wanted) b.arrived = 0, ++b.phases;
    }
    /// Was it completed more than `phase` times?
    bool has_arrived(std::uint32_t at, int phase) { return of(at).phases > phase; }

    /// Takes the place of the box; it holds nothing that is of use until the box lands.
    template <class Source, class Place>
    void copy(std::uint32_t to, const Source& from, const Place& at, std::uint32_t announces,
              shared_memory& shared, monitor& watch) {
        check_copy(from, at, watch);
        if (to % 1024 != 0)
            watch.report(fault_kind::out_of_bounds,
                         beside("a box must begin at a multiple of 1024, not", to));
        for (int row = 0; row < from.box; ++row)
            for (int run = 0; run < 8; ++run) {
                const std::uint32_t offset = to + box_offset(row, run);
                shared.take_place(shared_memory::copy_unit, offset);
                runs_.push_back({announces, offset, run_of(from, at, row, run)});
            }
        if constexpr (requires { from.unused; })
            for (int row = from.box; row < from.box + from.unused; ++row)
                for (int run = 0; run < 8; ++run)
                    shared.land(to + box_offset(row, run), &useless, sizeof useless);
        of(announces).expected -= from.box * 128;
    }

    /// Lands what arrives at a barrier until it was completed once more than `phase` times.
    void wait(std::uint32_t at, int phase, shared_memory& shared, monitor& watch) {
        barrier& b = of(at);
        if (b.phases == phase && b.arrived == 1 && b.expected == 0) {
            land(at, shared);
            b = {.at = at, .wanted = b.wanted, .phases = phase + 1};
        }
        if (b.phases != phase + 1)
            watch.report(fault_kind::missing_barrier, beside("a wait for boxes that were not asked for, or "
                                                             "not as many bytes as expected, by the barrier",
                                                             at));
    }

    /// Nothing may be under way to the shared memory of a workgroup that has ended.
    void end(monitor& watch) {
        for (const barrier& b : barriers_)
            if (b.expected != 0 || b.arrived == b.wanted)
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
        int wanted = 1, phases = 0, arrived = 0, expected = 0;
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

    template <class Source, class Place>
    static shared_memory::copied run_of(const Source& from, const Place& at, int row, int run) {
        shared_memory::copied out{};
        each_element(from, at, row, run, [&](int byte, const void* element) {
            std::memcpy(reinterpret_cast<char*>(&out) + byte, element, std::size_t(from.bytes));
        });
        return out;
    }

    list<barrier> barriers_;
    list<landing> runs_;  // under way, 16 bytes each
};

}  // namespace FADE_NAMESPACE::backend::emulated
