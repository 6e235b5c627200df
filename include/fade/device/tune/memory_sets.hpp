// Copies of the memory of a call, so that calls one after another find none of it in a cache, and memory
// apart where a call writes what is held against that of another.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/core/call/element_pointer.hpp>
#include <fade/core/error.hpp>
#include <fade/core/number/bytes.hpp>
#include <fade/device/tune/difference.hpp>
#include <fade/device/tune/timing.hpp>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::detail {

/// What a call touches: what is read is copied, what is written is not.
struct memory_piece {
    byte_range range{};
    bool read = true;
    written_difference* differs = nullptr;  ///< of what is written: what two kernels wrote, compared
    std::byte unwritten{};                  ///< of which that consists before

    std::size_t bytes() const { return std::size_t(range.end - range.begin); }
};

/// What is written, of elements of T: before, of bytes that make a NaN, and of i8 the number that is rare.
template <class T>
memory_piece written_piece(const byte_range& range) {
    constexpr bool by_sign =
        std::is_same_v<T, i8> || std::is_same_v<T, f8e4m3fnuz> || std::is_same_v<T, f8e5m2fnuz>;
    return {range, false, difference_of<T>, std::byte(by_sign ? 0x80 : 0xff)};
}

/// Where copies lie, and how they are made.
struct memory_space {
    std::function<std::byte*(std::size_t)> allocate = [](std::size_t bytes) {
        return new (std::nothrow) std::byte[bytes];
    };
    std::function<void(std::byte*)> release = [](std::byte* at) { delete[] at; };
    using copying = std::function<void(void*, const void*, std::size_t)>;
    static void on_cpu(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
    copying copy = on_cpu;   ///< there
    copying read = on_cpu;   ///< from there to this CPU
    copying write = on_cpu;  ///< from this CPU to there
    int max_sets = 1 << 20;  ///< with the call's own
};

/// That of a device, which must outlive it: of a GPU copies pass through this CPU.
template <class Device>
memory_space memory_space_of(Device& device) {
    if constexpr (!requires { device.copy_to_host(nullptr, nullptr, std::size_t(0)); })
        return {};
    else {
        const auto read = [&device](void* to, const void* from, std::size_t bytes) {
            device.copy_to_host(to, from, bytes);
            device.synchronize();
        };
        const auto write = [&device](void* to, const void* from, std::size_t bytes) {
            device.copy_to_device(to, from, bytes);
            device.synchronize();
        };
        return {.allocate = [&device](std::size_t bytes) -> std::byte* {
                    try {
                        return static_cast<std::byte*>(device.allocate(bytes));
                    } catch (const error&) {
                        return nullptr;  // there is no more memory
                    }
                },
                .release = [&device](std::byte* at) { device.release(at); },
                .copy =
                    [read, write](void* to, const void* from, std::size_t bytes) {
                        std::vector<std::byte> between(bytes);
                        read(between.data(), from, bytes), write(to, between.data(), bytes);
                    },
                .read = read,
                .write = write,
                .max_sets = 256};  // each is a copy through this CPU, and a call that is chosen
    }
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
    /// Is it known what a call writes?
    bool writes() const { return bytes_apart() > 0; }
    /// What write_apart() takes.
    std::size_t bytes_apart() const {
        std::size_t out = 0;
        for (const memory_piece& p : pieces_) out += p.read ? 0 : room(p);
        return out;
    }
    /// Calls read what they were given and write to memory of their own, until write_home(). False where
    /// there is no memory.
    bool write_apart() {
        apart_.clear();
        return make_copy(bytes_apart(), apart_, [](const memory_piece& p) { return !p.read; });
    }
    void write_home() { apart_.clear(); }
    /// What calls write apart becomes what nobody wrote.
    void clear_apart() const {
        each_apart([&](const memory_piece& p, std::byte* at) {
            const std::vector<std::byte> before(p.bytes(), p.unwritten);
            space_.write(at, before.data(), before.size());
        });
    }
    /// What they wrote there, on this CPU: one behind another.
    std::vector<std::byte> written_apart() const {
        std::vector<std::byte> out;
        each_apart([&](const memory_piece& p, std::byte* at) {
            out.resize(out.size() + p.bytes());
            space_.read(out.data() + out.size() - p.bytes(), at, p.bytes());
        });
        return out;
    }
    /// How what two kernels wrote differs by more than it may; empty where it does not.
    std::string difference(const std::vector<std::byte>& expected, const std::vector<std::byte>& got) const {
        std::string out;
        std::size_t begin = 0;
        each_apart([&](const memory_piece& p, std::byte*) {
            if (out.empty()) out = p.differs(expected.data() + begin, got.data() + begin, p.bytes());
            begin += p.bytes();
        });
        return out;
    }
    /// The next call takes the next set.
    void next() {
        if (apart_.empty()) set_ = (set_ + 1) % count();
    }
    /// The set of this call.
    int current() const { return set_; }
    /// Where a piece of the set lies: `at` may be null.
    template <class T>
    void move(std::size_t piece, element_pointer<T>& at) const {
        if (!at || (apart_.empty() ? set_ == 0 : pieces_[piece].read)) return;
        const copy& c = apart_.empty() ? copies_[std::size_t(set_ - 1)] : apart_.front();
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
        return make_copy(bytes, copies_, [](const memory_piece&) { return true; });
    }
    /// Of the pieces that are wanted, with what is read.
    bool make_copy(std::size_t bytes, std::vector<copy>& to, bool (*wanted)(const memory_piece&)) {
        copy c{{space_.allocate(bytes + line), space_.release}, {}};
        if (!c.memory) return false;
        const auto address = reinterpret_cast<std::uintptr_t>(c.memory.get());
        std::size_t next = (line - address % line) % line;
        for (const memory_piece& p : pieces_) {
            const std::size_t place = next + reinterpret_cast<std::uintptr_t>(p.range.begin) % line;
            c.places.push_back(place);
            if (!wanted(p)) continue;
            if (p.read && p.bytes() > 0) space_.copy(c.memory.get() + place, p.range.begin, p.bytes());
            next += room(p);
        }
        to.push_back(std::move(c));
        return true;
    }
    template <class F>
    void each_apart(const F& f) const {
        for (std::size_t i = 0; i < pieces_.size(); ++i)
            if (!pieces_[i].read && pieces_[i].bytes() > 0)
                f(pieces_[i], apart_.front().memory.get() + apart_.front().places[i]);
    }

    memory_space space_;
    std::vector<memory_piece> pieces_;
    std::vector<copy> copies_;
    std::vector<copy> apart_;  // one, while calls write there
    int set_ = -1;             // so that the first call takes the call's own
};

}  // namespace FADE_NAMESPACE::detail
