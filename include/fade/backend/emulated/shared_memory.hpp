// Shared memory that remembers who touched it when, so that a missing barrier shows whatever order the waves
// run in.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/core/call/list.hpp>
#include <fade/core/lane_coord.hpp>
#include <fade/core/vec.hpp>
#include <string>

namespace FADE_NAMESPACE::backend::emulated {

/// Granule of the bookkeeping: 2 bytes, the smallest element that kernels keep in shared memory. A granule
/// bears the stamps of its last write and read: the epoch they fell in, and by whom. Four granules, a cell,
/// are looked at together.
class shared_memory {
public:
    using copied = vec<std::uint32_t, 4>;

    shared_memory(std::size_t bytes, monitor& m)
        : bytes_(bytes), written_(cells(bytes) * cell), was_read_(cells(bytes) * cell), monitor_(m) {}

    static constexpr std::uint32_t granule = 2;
    static std::size_t granules(std::size_t bytes) { return (bytes + granule - 1) / granule; }
    static constexpr int max_waves = 62;  ///< a stamp tells their numbers from `never` and `several`

    /// A barrier of all waves.
    void next_epoch() { begin_epoch(), since_barrier_ = since_release_ = epoch_; }
    /// Waves tell who brings boxes that they have done with what they used so far; each other they tell
    /// nothing.
    void release() { begin_epoch(), since_release_ = epoch_; }

    void read(lane_coord p, std::uint32_t offset, void* to, std::uint32_t size) {
        if (!inside(p, offset, size, "read")) {
            std::memset(to, 0xff, size);
            return;
        }
        clean_read& last = clean_[offset / 16 % clean_reads];
        if (last.changes != changes_ || last.offset != offset || last.size != size || last.wave != p.wave)
            if (mark_read(p, offset, size)) last = {changes_, offset, size, p.wave};
        std::memcpy(to, bytes_.data() + offset, size);
    }

    void write(lane_coord p, std::uint32_t offset, const void* from, std::uint32_t size) {
        if (!inside(p, offset, size, "write")) return;
        ++changes_;
        mark_write(p, offset, size);
        std::memcpy(bytes_.data() + offset, from, size);
    }

    /// A copy that passes the registers by. It lands as late as it may; until then its place is taken: who
    /// uses it, another copy too, is told.
    template <int Words>
    void begin_copy(lane_coord p, std::uint32_t offset, const vec<std::uint32_t, Words>& value) {
        take_place(p, offset, sizeof value);
        copied all{};
        std::memcpy(&all, &value, sizeof value);
        copies_.push_back({p, offset, std::uint32_t(sizeof value), group_, all});
    }
    /// Takes the place of 16 bytes or fewer that somebody brings, a lane or the unit for boxes.
    void take_place(lane_coord p, std::uint32_t offset, std::uint32_t size = sizeof(copied)) {
        const copied nothing{~0u, ~0u, ~0u, ~0u};
        write(p, offset, &nothing, size);
        stamp_all(offset, size, under_way);
    }
    void close_copies() { ++group_; }
    /// Lands the oldest groups, until at most `pending` are under way.
    void land_copies(int pending) {
        for (; landed_ < copies_.size() && copies_[landed_].group + pending < group_; ++landed_)
            land(copies_[landed_].to, &copies_[landed_].value, copies_[landed_].size,
                 by(copies_[landed_].by));
    }

    std::size_t size() const { return bytes_.size(); }
    /// Appends all that is there, and of which granules it was written.
    void copy_to(list<std::byte>& bytes, list<bool>& written) const {
        bytes.append(bytes_.data(), bytes_.size());
        list<bool> marks(granules(bytes_.size()));
        for (std::size_t g = 0; g < marks.size(); ++g) marks[g] = written_.data()[g] != never;
        written.append(marks.data(), marks.size());
    }

    /// What a copy leaves for all waves, which have waited for it.
    void land(std::uint32_t offset, const void* from, std::uint32_t size) {
        land(offset, from, size, long_ago);
    }
    static constexpr lane_coord copy_unit{max_waves - 1, 0, 0};  ///< no wave that reads or writes

private:
    using stamp = std::int32_t;
    typedef stamp stamps __attribute__((vector_size(16), may_alias));
    static constexpr std::uint32_t cell = 4;
    static constexpr stamp never = 0, long_ago = 1, several = max_waves + 1, epoch_length = max_waves + 2,
                           last_epoch = 0x7fffff00, under_way = 0x7fffffff;
    static_assert((epoch_length & several) == 0 && (under_way & several) == several,
                  "the low bits of a stamp say by whom");

    static std::size_t cells(std::size_t bytes) { return (bytes + cell * granule - 1) / (cell * granule); }
    stamp by(lane_coord p) const { return epoch_ + p.wave + 1; }
    static bool any(const stamps& s) {
        typedef long long halves __attribute__((vector_size(16)));
        const auto h = (halves)s;
        return (h[0] | h[1]) != 0;
    }
    /// Which stamps (or whether the one) were set since then, and not by `mine`.
    template <class S>
    static auto foreign(const S& s, const S& since, const S& mine) {
        return (s >= since) & (((s ^ mine) & several) != 0);
    }
    /// Since when what others did may still be under way for who writes.
    stamp since(lane_coord p) const { return p.wave == copy_unit.wave ? since_release_ : since_barrier_; }
    void begin_epoch() {
        ++changes_;
        epoch_ += epoch_length;
        if (epoch_ > last_epoch) forget_epochs();
    }
    void stamp_all(std::uint32_t offset, std::uint32_t size, stamp s) {
        for (std::uint32_t g = offset / granule; g < end_of(offset, size); ++g) written_[g] = s;
    }
    void land(std::uint32_t offset, const void* from, std::uint32_t size, stamp by) {
        if (offset + size > bytes_.size()) return;  // which was told when the copy began
        ++changes_;
        stamp_all(offset, size, by);
        std::memcpy(bytes_.data() + offset, from, size);
    }

    static std::uint32_t end_of(std::uint32_t offset, std::uint32_t size) {
        return (offset + size + granule - 1) / granule;
    }
    /// Visits what an access touches by cells, up to one that is not whole or in which `visit` finds
    /// something to tell; returns how far it came.
    template <class Visit>
    std::uint32_t each_cell(lane_coord p, std::uint32_t offset, std::uint32_t end, stamp first, Visit visit) {
        const stamps since = stamps{} + first, mine = stamps{} + by(p);
        auto* written = reinterpret_cast<stamps*>(written_.data());
        auto* was_read = reinterpret_cast<stamps*>(was_read_.data());
        std::uint32_t g = offset / granule;
        while (g % cell == 0 && g + cell <= end && visit(written[g / cell], was_read[g / cell], since, mine))
            g += cell;
        return g;
    }
    /// True where all was whole cells with nothing to tell.
    bool mark_read(lane_coord p, std::uint32_t offset, std::uint32_t size) {
        const std::uint32_t end = end_of(offset, size),
                            g = each_cell(p, offset, end, since_barrier_, read_cell);
        if (g != end) read_granules(p, g, end);
        return g == end;
    }
    void mark_write(lane_coord p, std::uint32_t offset, std::uint32_t size) {
        const std::uint32_t end = end_of(offset, size), g = each_cell(p, offset, end, since(p), write_cell);
        if (g != end) write_granules(p, g, end);
    }
    /// False, and nothing has changed, where a granule has something to tell.
    static bool read_cell(stamps& written, stamps& was_read, const stamps& since, const stamps& mine) {
        if (any((written == never) | foreign(written, since, mine))) return false;
        const stamps others = foreign(was_read, since, mine);
        was_read = mine | (others & several);
        return true;
    }
    static bool write_cell(stamps& written, stamps& was_read, const stamps& since, const stamps& mine) {
        if (any(foreign(was_read, since, mine) | foreign(written, since, mine))) return false;
        written = mine;
        return true;
    }
    /// After some 30 million barriers the numbers begin anew; all that was written so far was written long
    /// ago.
    void forget_epochs() {
        for (stamp& s : written_) s = s != never;
        for (stamp& s : was_read_) s = never;
        since_barrier_ = since_release_ = epoch_ = epoch_length;
    }

    bool inside(lane_coord p, std::uint32_t offset, std::uint32_t size, const char* verb) {
        if (offset + size <= bytes_.size() && offset % (size > 16 ? 16 : size) == 0) return true;
        tell(fault_kind::out_of_bounds, p, verb, offset,
             "outside the workgroup's shared memory, or misaligned");
        return false;
    }
    // Out of line: every verb of every kernel reads and writes, and most by whole cells.
    __attribute__((noinline)) void read_granules(lane_coord p, std::uint32_t g, std::uint32_t end) {
        for (; g < end; ++g) {
            if (written_[g] == never)
                tell(fault_kind::uninitialised, p, "read", g * granule, "never written");
            else if (foreign(written_[g], since_barrier_, by(p)))
                tell(fault_kind::missing_barrier, p, "read", g * granule,
                     written_[g] == under_way ? "a copy is under way to it"
                                              : "written by another wave since the last barrier");
            was_read_[g] = by(p) | (foreign(was_read_[g], since_barrier_, by(p)) ? several : 0);
        }
    }
    __attribute__((noinline)) void write_granules(lane_coord p, std::uint32_t g, std::uint32_t end) {
        for (; g < end; ++g) {
            if (foreign(was_read_[g], since(p), by(p)) || foreign(written_[g], since(p), by(p)))
                tell(fault_kind::missing_barrier, p, "write", g * granule,
                     written_[g] == under_way ? "a copy is under way to it"
                                              : "used by another wave since the last barrier");
            written_[g] = by(p);
        }
    }
    void tell(fault_kind kind, lane_coord p, const char* verb, std::uint32_t offset, const char* what) {
        monitor_.report(kind, std::string("shared memory ") + verb + " at byte " + std::to_string(offset) +
                                  " by wave " + std::to_string(p.wave) + " lane " + std::to_string(p.lane) +
                                  ": " + what);
    }

    /// A read of whole cells without a fault. When the same wave repeats it before anything is written it is
    /// without a fault again, and changes nothing: the lanes of outer products read the same places again and
    /// again.
    struct clean_read {
        std::uint64_t changes;
        std::uint32_t offset, size;
        int wave;
    };
    struct copy {
        lane_coord by;
        std::uint32_t to, size;
        int group;
        copied value;
    };

    list<std::byte> bytes_;
    list<stamp> written_, was_read_;
    monitor& monitor_;
    stamp epoch_ = epoch_length;                             // the first of its stamps
    stamp since_barrier_ = epoch_, since_release_ = epoch_;  // the first after it
    static constexpr int clean_reads = 64;
    clean_read clean_[clean_reads] = {};
    std::uint64_t changes_ = 1;  // writes and barriers, counted
    list<copy> copies_;
    std::size_t landed_ = 0;
    int group_ = 0;  // which is open
};

}  // namespace FADE_NAMESPACE::backend::emulated
