// What operators over images refuse before anything is written.
#pragma once
#include <fade/core/number/bytes.hpp>
#include <fade/core/require.hpp>
#include <fade/core/shape.hpp>
#include <fade/kernel/image/layout.hpp>

namespace FADE_NAMESPACE::kernel {

/// Kernels number the elements of a tensor by 31 bits.
inline void check_image_elements(const char* tensor, index batch, int channels, const spatial& size) {
    // Sizes are below 2^31, so their product is below 2^127 where two of them are 1.
    const wide_index pixels = wide_index(size.d) * size.h * size.w;
    require(pixels < index(1) << 31 && pixels * batch < index(1) << 31 &&
                pixels * batch * channels < index(1) << 31,
            "batch", batch, std::string(tensor) + " must have fewer than 2^31 elements");
}

/// A tensor that is read or written.
struct image_memory {
    const char* name;
    const void* at;
    index bytes;
    bool is_written = false, is_optional = false;
};

/// Memory that is there, and a result that overlaps nothing else.
template <class... Memory>
void check_images(const Memory&... tensors) {
    const image_memory all[] = {tensors...};
    for (const image_memory& t : all) {
        if (!t.at && t.bytes > 0 && !t.is_optional) throw error(t.name, "null", "this operator needs it");
        for (const image_memory& other : all)
            if (t.is_written && &t != &other &&
                bytes_from(t.at, t.bytes).overlaps(bytes_from(other.at, other.bytes)))
                throw error(t.name, std::string("overlapping ") + other.name,
                            "what is written lies apart from all else");
    }
}

}  // namespace FADE_NAMESPACE::kernel
