// Global memory as an emulated kernel sees it: every access is held against the extent of its matrix.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fade/backend/buffer.hpp>
#include <fade/backend/emulated/monitor.hpp>
#include <string>

namespace FADE_NAMESPACE::backend::emulated {

struct buffer {
    const std::byte* base;
    const std::byte* begin;
    const std::byte* end;
    monitor* watch;
    int longest_alignment;  ///< that any access asks for

    /// `further` is the same for all lanes of a wave.
    template <class V>
    V load(std::uint32_t offset, std::uint32_t further = 0) const {
        V v{};
        if (offset < outside && usable(offset + further, sizeof v, "load"))
            std::memcpy(&v, base + offset + further, sizeof v);
        return v;
    }
    template <class V>
    void store(std::uint32_t offset, const V& v) const {
        if (usable(offset, sizeof v, "store"))
            std::memcpy(const_cast<std::byte*>(base) + offset, &v, sizeof v);
    }
    /// The same for what the kernel reads no more.
    template <class V>
    void stream(std::uint32_t offset, const V& v, std::uint32_t further) const {
        if (offset < outside) store(offset + further, v);
    }

private:
    bool usable(std::uint32_t offset, std::size_t size, const char* verb) const {
        if (offset >= outside) return false;
        const std::size_t unit =
            size < std::size_t(longest_alignment) ? size : std::size_t(longest_alignment);
        const bool aligned = reinterpret_cast<std::uintptr_t>(base + offset) % unit == 0;
        if (aligned && base + offset >= begin && base + offset + size <= end) return true;
        watch->report(fault_kind::out_of_bounds,
                      std::string(aligned ? "" : "misaligned ") + "global " + verb + " of " +
                          std::to_string(size) + " bytes at byte " + std::to_string(base + offset - begin) +
                          " of a matrix of " + std::to_string(end - begin) + " bytes");
        return false;
    }
};

}  // namespace FADE_NAMESPACE::backend::emulated
