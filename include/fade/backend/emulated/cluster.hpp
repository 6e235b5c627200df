// What workgroups of a cluster show each other. They run one after another here, so each leaves a copy of its
// shared memory wherever all meet, and the last one can read from all.
#pragma once
#include <fade/backend/emulated/monitor.hpp>
#include <fade/backend/emulated/shared_memory.hpp>

namespace FADE_NAMESPACE::backend::emulated {

class cluster {
public:
    static constexpr int max_ranks = 16;

    /// The workgroup of that rank begins.
    void begin(int rank) { running_ = rank; }
    /// It meets the others, for the first time or again.
    void meet(const shared_memory& shared) {
        member& own = members_[running_];
        ++own.met, bytes_ = shared.size();
        shared.copy_to(own.copies, own.written);
    }
    /// What a workgroup had in its shared memory when all met last.
    void read(int rank, std::uint32_t offset, void* to, std::uint32_t size, monitor& watch) {
        std::memset(to, 0xff, size);
        const int meeting = members_[running_].met;
        if (rank < 0 || rank >= max_ranks || meeting == 0 || members_[rank].met < meeting)
            return tell(fault_kind::missing_barrier, rank, offset, "before the two have met", watch);
        if (offset + size > bytes_ || offset % size != 0)
            return tell(fault_kind::out_of_bounds, rank, offset, "outside of it, or misaligned", watch);
        member& from = members_[rank];
        from.read_after = meeting;
        if (!from.all_written(bytes_, meeting, offset, size))
            return tell(fault_kind::uninitialised, rank, offset, "never written when they met", watch);
        const std::byte* there = from.copy(bytes_, meeting) + offset;
        std::memcpy(to, there, size);
        if (from.met > meeting && std::memcmp(there, from.copy(bytes_, meeting + 1) + offset, size) != 0)
            tell(fault_kind::missing_barrier, rank, offset, "and written before they met again", watch);
    }
    /// All of them have ended.
    void end(int ranks, monitor& watch) {
        for (int rank = 0; rank < ranks; ++rank) {
            const member& m = members_[rank];
            if (m.met != members_[0].met)
                tell(fault_kind::missing_barrier, rank, 0, "by a cluster that did not always meet as a whole",
                     watch);
            if (m.read_after > 0 && m.met <= m.read_after)
                tell(fault_kind::missing_barrier, rank, 0, "though it may have ended before that", watch);
        }
    }

private:
    struct member {
        int met = 0, read_after = 0;
        list<std::byte> copies;  // one behind the other
        list<bool> written;      // by granules
        std::byte* copy(std::size_t bytes, int meeting) {
            return copies.data() + std::size_t(meeting - 1) * bytes;
        }
        bool all_written(std::size_t bytes, int meeting, std::uint32_t offset, std::uint32_t size) {
            const bool* of = written.data() + std::size_t(meeting - 1) * shared_memory::granules(bytes);
            for (std::uint32_t g = offset / shared_memory::granule;
                 g * shared_memory::granule < offset + size; ++g)
                if (!of[g]) return false;
            return true;
        }
    };
    static void tell(fault_kind kind, int rank, std::uint32_t offset, const char* what, monitor& watch) {
        watch.report(kind, "shared memory of workgroup " + std::to_string(rank) +
                               " of a cluster read at byte " + std::to_string(offset) + ", " + what);
    }

    member members_[max_ranks];
    std::size_t bytes_ = 0;
    int running_ = 0;
};

}  // namespace FADE_NAMESPACE::backend::emulated
