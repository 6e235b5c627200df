// Boxes that are stored beside the waves: they are read from shared memory when somebody waits for that,
// which is as late as hardware may.
#pragma once
#include <cstdint>
#include <cstring>
#include <fade/backend/emulated/box_elements.hpp>
#include <fade/backend/emulated/monitor.hpp>
#include <fade/backend/emulated/shared_memory.hpp>
#include <fade/core/call/list.hpp>
#include <fade/core/tensor_map.hpp>

namespace FADE_NAMESPACE::backend::emulated {

class box_stores {
public:
    /// What is not published yet shows now; what is overwritten too early shows when it lands.
    template <class Source, class Place>
    void start(std::uint32_t from, const Source& to, const Place& at, shared_memory& shared, monitor& watch) {
        check_copy(to, at, watch);
        if (columns_of(to) * to.bytes % 16 != 0)
            watch.report(
                fault_kind::out_of_bounds,
                "rows that boxes are stored to end between multiples of 16 bytes: an H200 writes the "
                "last 16 whole");
        for (int row = 0; row < to.box; ++row)
            for (int run = 0; run < 8; ++run) read(from, row, run, shared);
        open_.push_back(placed(from, to, at));
    }
    /// Closes what was started, a group of stores by the lane of some waves.
    void commit(int by) {
        if (open_.size() == 0) groups_.push_back({by, false, {}});  // counts among those that are waited for
        for (const store& s : open_) groups_.push_back({by, true, s});
        open_.clear();
    }
    /// Until at most `pending` groups of that lane are under way; each of them is one box or none.
    void wait(int by, int pending, shared_memory& shared, monitor& watch) {
        int mine = 0;
        for (const group& g : groups_) mine += g.by == by;
        std::size_t others = 0;
        for (const group& g : groups_)
            if (g.by == by && mine > pending) {
                --mine;
                if (g.stores) land(g.box, shared, watch);
            } else
                groups_[others++] = g;
        groups_.cut(others);
    }
    /// Nothing may be read from the shared memory of a workgroup that has ended.
    void end(monitor& watch) const {
        if (groups_.size() + open_.size() > 0)
            watch.report(fault_kind::missing_barrier, "a workgroup ended while its boxes were being stored");
    }

private:
    /// To a tensor, or to the pixels of images.
    struct store {
        std::uint32_t from;
        bool to_pixels;
        tile_source to;
        box_place at;
        im2col_source images;
        im2col_place place;
    };
    static store placed(std::uint32_t from, const tile_source& to, const box_place& at) {
        return {from, false, to, at, {}, {}};
    }
    static store placed(std::uint32_t from, const im2col_source& to, const im2col_place& at) {
        return {from, true, {}, {}, to, at};
    }
    static int columns_of(const tile_source& to) { return to.columns; }
    static int columns_of(const im2col_source& to) { return to.channels; }
    struct group {
        int by;
        bool stores;
        store box;
    };

    static void land(const store& s, shared_memory& shared, monitor& watch) {
        if (s.from % 1024 != 0)
            watch.report(fault_kind::out_of_bounds, "a box must be stored from a multiple of 1024");
        if (s.to_pixels)
            land(s.from, s.images, s.place, shared);
        else
            land(s.from, s.to, s.at, shared);
    }
    template <class Source, class Place>
    static void land(std::uint32_t from, const Source& to, const Place& at, shared_memory& shared) {
        for (int row = 0; row < to.box; ++row)
            for (int run = 0; run < 8; ++run) {
                const auto value = read(from, row, run, shared);
                each_element(to, at, row, run, [&](int byte, const void* element) {
                    std::memcpy(const_cast<void*>(element), reinterpret_cast<const char*>(&value) + byte,
                                std::size_t(to.bytes));
                });
            }
    }

    static shared_memory::copied read(std::uint32_t from, int row, int run, shared_memory& shared) {
        shared_memory::copied value;
        shared.read(shared_memory::copy_unit, from + box_offset(row, run), &value, sizeof value);
        return value;
    }

    list<store> open_;
    list<group> groups_;
};

}  // namespace FADE_NAMESPACE::backend::emulated
