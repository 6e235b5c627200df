// Primitives by rocPRIM, on AMD GPUs. It is the one header of FADE that needs rocPRIM.
#pragma once
#if !__has_include(<rocprim/rocprim.hpp>)
#error "primitives on AMD GPUs need rocPRIM (part of ROCm; Debian: librocprim-dev)"
#endif
#include <fade/backend/hip/device.hpp>
#include <fade/backend/host/primitives.hpp>
#include <rocprim/rocprim_version.hpp>

// rocPRIM before 2.13 (ROCm 5.5) shuffles by broadcasts that gfx11 and gfx12 do not have.
#if ROCPRIM_VERSION < 201300 && (defined(__GFX11__) || defined(__GFX12__)) && !defined(ROCPRIM_DISABLE_DPP)
#define ROCPRIM_DISABLE_DPP
#define ROCPRIM_DETAIL_USE_DPP false
#endif
#include <rocprim/rocprim.hpp>

namespace FADE_NAMESPACE::backend::hip {

/// The type that rocPRIM knows for the bits of a key.
template <class K>
using rocprim_key = std::conditional_t<std::is_same_v<K, f16>, ::rocprim::half,
                                       std::conditional_t<std::is_same_v<K, bf16>, ::rocprim::bfloat16, K>>;

template <class K>
const rocprim_key<K>* as_key(const K* p) {
    return reinterpret_cast<const rocprim_key<K>*>(p);
}
template <class K>
rocprim_key<K>* as_key(K* p) {
    return reinterpret_cast<rocprim_key<K>*>(p);
}

/// Elements as reductions take them.
template <class T>
auto widened_elements(const T* x) {
    return ::rocprim::make_transform_iterator(x, widened<T>{});
}
inline auto segment_edges(const int* offsets, index count, bool end) {
    return ::rocprim::make_transform_iterator(::rocprim::counting_iterator<int>(0),
                                              segment_edge{offsets, int(count), end});
}

/// Each of these sets `bytes` where `memory` is null, and else runs in so much memory.
template <class K>
hipError_t primitive(void* memory, std::size_t& bytes, const sort_arguments<K>& a, hipStream_t stream) {
    constexpr unsigned bits = 8 * sizeof(K);
    const auto count = static_cast<unsigned>(a.count);
    if (a.descending)
        return ::rocprim::radix_sort_keys_desc(memory, bytes, as_key(a.keys), as_key(a.sorted), count, 0,
                                               bits, stream);
    return ::rocprim::radix_sort_keys(memory, bytes, as_key(a.keys), as_key(a.sorted), count, 0, bits,
                                      stream);
}

template <class K, class V>
hipError_t primitive(void* memory, std::size_t& bytes, const sort_pairs_arguments<K, V>& a,
                     hipStream_t stream) {
    constexpr unsigned bits = 8 * sizeof(K);
    const auto count = static_cast<unsigned>(a.count);
    if (a.descending)
        return ::rocprim::radix_sort_pairs_desc(memory, bytes, as_key(a.keys), as_key(a.sorted), a.values,
                                                a.sorted_values, count, 0, bits, stream);
    return ::rocprim::radix_sort_pairs(memory, bytes, as_key(a.keys), as_key(a.sorted), a.values,
                                       a.sorted_values, count, 0, bits, stream);
}

template <class T>
hipError_t primitive(void* memory, std::size_t& bytes, const scan_arguments<T>& a, hipStream_t stream) {
    const auto count = static_cast<std::size_t>(a.count);
    if (a.exclusive)
        return ::rocprim::exclusive_scan(memory, bytes, a.x, a.out, a.first, count,
                                         reduce_pair<reduce_op::sum>{}, stream);
    return ::rocprim::inclusive_scan(memory, bytes, a.x, a.out, count, reduce_pair<reduce_op::sum>{}, stream);
}

template <class T>
hipError_t primitive(void* memory, std::size_t& bytes, const select_arguments<T>& a, hipStream_t stream) {
    return ::rocprim::select(memory, bytes, a.x, a.flags, a.out, a.selected,
                             static_cast<std::size_t>(a.count), stream);
}

template <class T>
hipError_t primitive(void* memory, std::size_t& bytes, const reduce_arguments<T>& a, hipStream_t stream) {
    hipError_t said = hipSuccess;
    with_reduce_op(a.op, [&](auto op) {
        said = ::rocprim::reduce(memory, bytes, widened_elements(a.x), a.out,
                                 reduce_identity<op.value, reduced_t<T>>(), static_cast<std::size_t>(a.count),
                                 reduce_pair<op.value>{}, stream);
    });
    return said;
}

template <class T>
hipError_t primitive(void* memory, std::size_t& bytes, const segmented_reduce_arguments<T>& a,
                     hipStream_t stream) {
    hipError_t said = hipSuccess;
    with_reduce_op(a.op, [&](auto op) {
        said = ::rocprim::segmented_reduce(
            memory, bytes, widened_elements(a.x), a.out, static_cast<unsigned>(a.segments),
            segment_edges(a.offsets, a.count, false), segment_edges(a.offsets, a.count, true),
            reduce_pair<op.value>{}, reduce_identity<op.value, reduced_t<T>>(), stream);
    });
    return said;
}

template <class T>
hipError_t primitive(void* memory, std::size_t& bytes, const histogram_arguments<T>& a, hipStream_t stream) {
    return ::rocprim::histogram_even(memory, bytes, ::rocprim::make_transform_iterator(a.x, a.bin),
                                     static_cast<unsigned>(a.count), a.counts,
                                     static_cast<unsigned>(a.bin.bins + 1), 0, a.bin.bins, stream);
}

/// Where a sort for the largest elements keeps its result, in memory of its own behind rocPRIM's.
template <class T>
hipError_t primitive(void* memory, std::size_t& bytes, const top_k_arguments<T>& a, hipStream_t stream) {
    const auto count = static_cast<unsigned>(a.count);
    const std::size_t results = (std::size_t(a.count + 1) * (sizeof(T) + sizeof(int)) + 255) / 256 * 256;
    auto* sorted = static_cast<T*>(memory);
    auto* places = reinterpret_cast<int*>(sorted + (a.count + 1) / 2 * 2);
    void* rest = memory ? static_cast<char*>(memory) + results : nullptr;
    std::size_t rest_bytes = memory ? bytes - results : 0;
    const hipError_t said = ::rocprim::radix_sort_pairs_desc(rest, rest_bytes, as_key(a.x), as_key(sorted),
                                                             ::rocprim::counting_iterator<int>(0), places,
                                                             count, 0, 8 * sizeof(T), stream);
    bytes = results + rest_bytes;
    if (said != hipSuccess || !memory) return said;
    const auto k = static_cast<std::size_t>(a.k);
    hipError_t copied = hipSuccess;
    if (a.values) copied = hipMemcpyAsync(a.values, sorted, k * sizeof(T), hipMemcpyDeviceToDevice, stream);
    if (copied == hipSuccess && a.places)
        copied = hipMemcpyAsync(a.places, places, k * sizeof(int), hipMemcpyDeviceToDevice, stream);
    return copied;
}

}  // namespace FADE_NAMESPACE::backend::hip

namespace FADE_NAMESPACE::backend {

template <>
struct primitive_library<hip_device> {
    static constexpr const char* name = "rocPRIM";
    static constexpr bool vendor = true;

    template <class Arguments>
    static std::size_t workspace_bytes(hip_device& device, const Arguments& args) {
        if (args.empty()) return 0;
        device.make_current();
        std::size_t bytes = 0;
        hip::check(hip::primitive(nullptr, bytes, args, device.stream()), "rocPRIM's size of its memory");
        return bytes;
    }
    template <class Arguments>
    static void run(hip_device& device, const Arguments& args, void* memory, std::size_t bytes) {
        device.make_current();
        if (const zeroed_memory z = args.of_nothing(); args.empty()) {
            if (z.at) hip::check(hipMemsetAsync(z.at, 0, z.bytes, device.stream()), "hipMemsetAsync");
            return;
        }
        hip::check(hip::primitive(memory, bytes, args, device.stream()), "rocPRIM");
    }
};

}  // namespace FADE_NAMESPACE::backend
