// Shared memory that remembers who touched it when, so that a missing barrier shows whatever order the waves run in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/core/list.hpp>
#include <fade/core/place.hpp>
#include <fade/core/vec.hpp>

namespace fade::backend::emulated {

/// Granule of the bookkeeping: 2 bytes, the smallest element that kernels keep in shared memory.
class shared_memory {
public:
    using copied = vec<std::uint32_t, 4>;

    shared_memory(std::size_t bytes, monitor& m) : bytes_(bytes), marks_((bytes + granule - 1) / granule), monitor_(m) {}

    void next_epoch() { ++epoch_; }

    void read(place p, std::uint32_t offset, void* to, std::uint32_t size) {
        if (!inside(p, offset, size, "read")) {
            std::memset(to, 0xff, size);
            return;
        }
        for (std::uint32_t g = offset / granule; g < (offset + size + granule - 1) / granule; ++g) mark_read(p, g);
        std::memcpy(to, bytes_.data() + offset, size);
    }

    void write(place p, std::uint32_t offset, const void* from, std::uint32_t size) {
        if (!inside(p, offset, size, "write")) return;
        for (std::uint32_t g = offset / granule; g < (offset + size + granule - 1) / granule; ++g) mark_write(p, g);
        std::memcpy(bytes_.data() + offset, from, size);
    }

    /// A copy that passes the registers by. It lands as late as it may; until then its place is taken, and holds nothing that is of use.
    void begin_copy(place p, std::uint32_t offset, const copied& value) {
        const copied nothing{~0u, ~0u, ~0u, ~0u};
        write(p, offset, &nothing, sizeof nothing);
        copies_.push_back({p, offset, group_, value});
    }
    void close_copies() { ++group_; }
    /// Lands the oldest groups, until at most `pending` are under way.
    void land_copies(int pending) {
        for (; landed_ < copies_.size() && copies_[landed_].group + pending < group_; ++landed_) write(copies_[landed_].by, copies_[landed_].to, &copies_[landed_].value, sizeof(copied));
    }

private:
    static constexpr std::uint32_t granule = 2;
    static constexpr std::int16_t nobody = 0, several = -1;
    struct mark {   // begins as zeros
        std::uint32_t written, was_read;   // epochs; 0: never
        std::int16_t writer, reader;       // wave + 1
    };

    bool inside(place p, std::uint32_t offset, std::uint32_t size, const char* verb) {
        if (offset + size <= bytes_.size() && offset % (size > 16 ? 16 : size) == 0) return true;
        tell(fault_kind::out_of_bounds, p, verb, offset, "outside the workgroup's shared memory, or misaligned");
        return false;
    }
    void mark_read(place p, std::uint32_t g) {
        mark& m = marks_[g];
        if (m.writer == nobody) tell(fault_kind::uninitialised, p, "read", g * granule, "never written");
        else if (m.written == epoch_ && m.writer != p.wave + 1) tell(fault_kind::missing_barrier, p, "read", g * granule, "written by another wave since the last barrier");
        m.reader = m.was_read == epoch_ && m.reader != p.wave + 1 ? several : std::int16_t(p.wave + 1);
        m.was_read = epoch_;
    }
    void mark_write(place p, std::uint32_t g) {
        mark& m = marks_[g];
        if ((m.was_read == epoch_ && m.reader != p.wave + 1) || (m.written == epoch_ && m.writer != p.wave + 1))
            tell(fault_kind::missing_barrier, p, "write", g * granule, "used by another wave since the last barrier");
        m.written = epoch_;
        m.writer = std::int16_t(p.wave + 1);
    }
    void tell(fault_kind kind, place p, const char* verb, std::uint32_t offset, const char* what) {
        monitor_.report(kind, std::string("shared memory ") + verb + " at byte " + std::to_string(offset) + " by wave " + std::to_string(p.wave) +
                                  " lane " + std::to_string(p.lane) + ": " + what);
    }

    struct copy {
        place by;
        std::uint32_t to;
        int group;
        copied value;
    };

    list<std::byte> bytes_;
    list<mark> marks_;
    monitor& monitor_;
    std::uint32_t epoch_ = 1;
    list<copy> copies_;
    std::size_t landed_ = 0;
    int group_ = 0;   // which is open
};

}  // namespace fade::backend::emulated
