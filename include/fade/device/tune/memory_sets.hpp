// Copies of the memory of a call, so that calls one after another find none of it in a cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/error.hpp>
#include <fade/core/number/bytes.hpp>
#include <fade/device/tune/timing.hpp>
#include <functional>
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

/// Where copies lie, and how they are made.
struct memory_space {
    std::function<std::byte*(std::size_t)> allocate = [](std::size_t bytes) {
        return new (std::nothrow) std::byte[bytes];
    };
    std::function<void(std::byte*)> release = [](std::byte* at) { delete[] at; };
    std::function<void(std::byte*, const void*, std::size_t)> copy =
        [](std::byte* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); };
    int max_sets = 1 << 20;  ///< with the call's own
};

/// That of a device, which must outlive it: of a GPU copies pass through this CPU.
template <class Device>
memory_space memory_space_of(Device& device) {
    if constexpr (!requires { device.copy_to_host(nullptr, nullptr, std::size_t(0)); })
        return {};
    else
        return {.allocate = [&device](std::size_t bytes) -> std::byte* {
                    try {
                        return static_cast<std::byte*>(device.allocate(bytes));
                    } catch (const error&) {
                        return nullptr;  // there is no more memory
                    }
                },
                .release = [&device](std::byte* at) { device.release(at); },
                .copy =
                    [&device](std::byte* to, const void* from, std::size_t bytes) {
                        std::vector<std::byte> between(bytes);
                        device.copy_to_host(between.data(), from, bytes);
                        device.synchronize();
                        device.copy_to_device(to, between.data(), bytes);
                        device.synchronize();
                    },
                .max_sets = 256};  // each is a copy through this CPU, and a call that is chosen
}

/// The memory of a call and copies of it, which calls take in turn.
class memory_sets {
    // Copies lie as their originals do: in lines of a cache, and for loads of GPUs that want such multiples.
    static constexpr std::size_t line = 64;

public:
    memory_sets() = default;
    explicit memory_sets(memory_space space) : space_(std::move(space)) {}

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
        for (std::size_t made = of_set;
             made < bytes && count() < space_.max_sets && enough.has_room_for(longest); made += of_set) {
            const auto begin = deadline::clock::now();
            if (!add(of_set)) return;
            longest = std::max(longest, nanoseconds_since(begin));
        }
    }
    /// Other copies in other places, as another process would have; the call's own stay.
    void renew(std::size_t bytes, const deadline& end) {
        const std::vector<copy> before = std::move(copies_);  // whose places are taken until the others are
        copies_.clear(), set_ = -1;
        make(std::move(pieces_), bytes, end);
    }
    /// The next call takes the next set.
    void next() { set_ = (set_ + 1) % count(); }
    /// The set of this call.
    int current() const { return set_; }
    /// Where a piece of the set lies: `at` may be null.
    template <class T>
    void move(std::size_t piece, element_pointer<T>& at) const {
        if (set_ == 0 || !at) return;
        const copy& c = copies_[std::size_t(set_ - 1)];
        at = reinterpret_cast<T*>(c.memory.get() + c.places[piece]);
    }

private:
    struct copy {
        std::unique_ptr<std::byte, std::function<void(std::byte*)>> memory;
        std::vector<std::size_t> places;
    };
    static std::size_t room(const memory_piece& p) {
        return p.bytes() == 0 ? 0 : (p.bytes() + 2 * line - 1) / line * line;
    }
    bool add(std::size_t bytes) {
        copy c{{space_.allocate(bytes + line), space_.release}, {}};
        if (!c.memory) return false;
        const auto address = reinterpret_cast<std::uintptr_t>(c.memory.get());
        std::size_t next = (line - address % line) % line;
        for (const memory_piece& p : pieces_) {
            const std::size_t place = next + reinterpret_cast<std::uintptr_t>(p.range.begin) % line;
            if (p.read && p.bytes() > 0) space_.copy(c.memory.get() + place, p.range.begin, p.bytes());
            c.places.push_back(place), next += room(p);
        }
        copies_.push_back(std::move(c));
        return true;
    }

    memory_space space_;
    std::vector<memory_piece> pieces_;
    std::vector<copy> copies_;
    int set_ = -1;  // so that the first call takes the call's own
};

}  // namespace FADE_NAMESPACE::detail
