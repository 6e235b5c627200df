// A list that grows, of plain values. Compilers pay ten times as much for std::vector, and again for every
// type in it.
#pragma once
#include <cstddef>
#include <cstring>
#include <fade/core/namespace.hpp>
#include <new>
#include <type_traits>

namespace FADE_NAMESPACE {

template <class T>
class list {
public:
    list() = default;
    /// `size` values, all zero.
    explicit list(std::size_t size) {
        reserve(size), std::memset(static_cast<void*>(at_), 0, size * sizeof(T)), size_ = size;
    }
    list(const list&) = delete;
    list(list&& other) noexcept : at_(other.at_), size_(other.size_), room_(other.room_) {
        other.at_ = nullptr, other.size_ = other.room_ = 0;
    }
    ~list() { ::operator delete(at_); }

    std::size_t size() const { return size_; }
    T* data() { return at_; }
    const T* data() const { return at_; }
    T& operator[](std::size_t i) { return at_[i]; }
    T* begin() { return at_; }
    T* end() { return at_ + size_; }
    void clear() { size_ = 0; }
    /// Keeps the first `size` values, of which there are as many at least.
    void cut(std::size_t size) { size_ = size; }
    /// The next push_back needs no memory.
    void make_room() {
        if (size_ == room_) reserve(room_ ? 2 * room_ : 16);
    }
    void push_back(const T& value) {
        const T copy = value;  // which may lie in the list
        make_room();
        at_[size_++] = copy;
    }

    /// All of them, which lie elsewhere.
    void append(const T* from, std::size_t count) {
        if (size_ + count > room_) reserve(size_ + count);
        std::memcpy(static_cast<void*>(at_ + size_), from, count * sizeof(T));
        size_ += count;
    }

private:
    static_assert(std::is_trivially_copyable_v<T>,
                  "a list moves its values as bytes: take std::vector for others");
    void reserve(std::size_t room) {
        auto* to = static_cast<T*>(::operator new(room * sizeof(T)));
        if (size_) std::memcpy(static_cast<void*>(to), at_, size_ * sizeof(T));
        ::operator delete(at_);
        at_ = to, room_ = room;
    }

    T* at_ = nullptr;
    std::size_t size_ = 0, room_ = 0;
};

}  // namespace FADE_NAMESPACE
