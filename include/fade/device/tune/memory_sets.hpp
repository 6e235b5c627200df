// Copies of the memory of a call, so that calls one after another find none of it in a cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/number/bytes.hpp>
#include <fade/device/tune/timing.hpp>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// What a call touches: what is read is copied, what is written is not.
struct memory_piece {
    byte_range range{};
    bool read = true;

    std::size_t bytes() const { return std::size_t(range.end - range.begin); }
};

/// The memory of a call and copies of it, which calls take in turn.
class memory_sets {
    static constexpr std::size_t line = 64;  // of a cache: copies lie as their originals do in theirs

public:
    int count() const { return int(copies_.size()) + 1; }

    /// As many sets as have `bytes` together, but no longer than a tenth of the time that is left. The first
    /// is the call's own. Fewer where there is no memory.
    void make(std::vector<memory_piece> pieces, std::size_t bytes, const deadline& end) {
        constexpr double share = 0.1;
        pieces_ = std::move(pieces);
        std::size_t of_set = 0;
        for (const memory_piece& p : pieces_) of_set += room(p);
        if (of_set == 0) return;
        const deadline enough(end, share);
        double longest = 0;
        for (std::size_t made = of_set; made < bytes && enough.has_room_for(longest); made += of_set) {
            const auto begin = deadline::clock::now();
            if (!add(of_set)) return;
            longest = std::max(longest, nanoseconds_since(begin));
        }
    }
    /// The next call takes the next set.
    void next() { set_ = (set_ + 1) % count(); }
    /// Where a piece of the set lies: `at` may be null.
    template <class T>
    void move(std::size_t piece, element_pointer<T>& at) const {
        if (set_ == 0 || !at) return;
        const copy& c = copies_[std::size_t(set_ - 1)];
        at = reinterpret_cast<T*>(c.memory.get() + c.places[piece]);
    }

private:
    struct copy {
        std::unique_ptr<std::byte[]> memory;
        std::vector<std::size_t> places;
    };
    static std::size_t room(const memory_piece& p) {
        return p.bytes() == 0 ? 0 : (p.bytes() + 2 * line - 1) / line * line;
    }
    bool add(std::size_t bytes) {
        copy c{std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes + line]), {}};
        if (!c.memory) return false;
        const auto address = reinterpret_cast<std::uintptr_t>(c.memory.get());
        std::size_t next = (line - address % line) % line;
        for (const memory_piece& p : pieces_) {
            const std::size_t place = next + reinterpret_cast<std::uintptr_t>(p.range.begin) % line;
            if (p.read && p.bytes() > 0) std::memcpy(c.memory.get() + place, p.range.begin, p.bytes());
            c.places.push_back(place), next += room(p);
        }
        copies_.push_back(std::move(c));
        return true;
    }

    std::vector<memory_piece> pieces_;
    std::vector<copy> copies_;
    int set_ = -1;  // so that the first call takes the call's own
};

}  // namespace FADE_NAMESPACE::detail
