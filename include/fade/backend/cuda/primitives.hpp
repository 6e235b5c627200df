// Primitives by CUB, on NVIDIA GPUs.
#pragma once
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <fade/backend/cuda/device.hpp>
#include <fade/backend/host/primitives.hpp>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace FADE_NAMESPACE::backend::cuda {

/// The type that CUB knows for the bits of a key.
template <class K>
using cub_key = std::conditional_t<std::is_same_v<K, f16>, __half,
                                   std::conditional_t<std::is_same_v<K, bf16>, __nv_bfloat16, K>>;

template <class K>
const cub_key<K>* as_key(const K* p) {
    return reinterpret_cast<const cub_key<K>*>(p);
}
template <class K>
cub_key<K>* as_key(K* p) {
    return reinterpret_cast<cub_key<K>*>(p);
}

/// Elements as reductions take them.
template <class T>
auto widened_elements(const T* x) {
    return thrust::make_transform_iterator(x, widened<T>{});
}
inline auto segment_edges(const int* offsets, index count, bool end) {
    return thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                           segment_edge{offsets, int(count), end});
}

/// Each of these sets `bytes` where `memory` is null, and else runs in so much memory.
template <class K>
cudaError_t primitive(void* memory, std::size_t& bytes, const sort_arguments<K>& a, cudaStream_t stream) {
    constexpr int bits = 8 * sizeof(K);
    const int count = int(a.count);
    if (a.descending)
        return cub::DeviceRadixSort::SortKeysDescending(memory, bytes, as_key(a.keys), as_key(a.sorted),
                                                        count, 0, bits, stream);
    return cub::DeviceRadixSort::SortKeys(memory, bytes, as_key(a.keys), as_key(a.sorted), count, 0, bits,
                                          stream);
}

template <class K, class V>
cudaError_t primitive(void* memory, std::size_t& bytes, const sort_pairs_arguments<K, V>& a,
                      cudaStream_t stream) {
    constexpr int bits = 8 * sizeof(K);
    const int count = int(a.count);
    if (a.descending)
        return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, as_key(a.keys), as_key(a.sorted),
                                                         a.values, a.sorted_values, count, 0, bits, stream);
    return cub::DeviceRadixSort::SortPairs(memory, bytes, as_key(a.keys), as_key(a.sorted), a.values,
                                           a.sorted_values, count, 0, bits, stream);
}

template <class T>
cudaError_t primitive(void* memory, std::size_t& bytes, const scan_arguments<T>& a, cudaStream_t stream) {
    if (a.exclusive)
        return cub::DeviceScan::ExclusiveScan(memory, bytes, a.x, a.out, reduce_pair<reduce_op::sum>{},
                                              a.first, int(a.count), stream);
    return cub::DeviceScan::InclusiveScan(memory, bytes, a.x, a.out, reduce_pair<reduce_op::sum>{},
                                          int(a.count), stream);
}

template <class T>
cudaError_t primitive(void* memory, std::size_t& bytes, const select_arguments<T>& a, cudaStream_t stream) {
    return cub::DeviceSelect::Flagged(memory, bytes, a.x, a.flags, a.out, a.selected, int(a.count), stream);
}

template <class T>
cudaError_t primitive(void* memory, std::size_t& bytes, const reduce_arguments<T>& a, cudaStream_t stream) {
    cudaError_t said = cudaSuccess;
    with_reduce_op(a.op, [&](auto op) {
        said = cub::DeviceReduce::Reduce(memory, bytes, widened_elements(a.x), a.out, int(a.count),
                                         reduce_pair<op.value>{}, reduce_identity<op.value, reduced_t<T>>(),
                                         stream);
    });
    return said;
}

template <class T>
cudaError_t primitive(void* memory, std::size_t& bytes, const segmented_reduce_arguments<T>& a,
                      cudaStream_t stream) {
    cudaError_t said = cudaSuccess;
    with_reduce_op(a.op, [&](auto op) {
        said = cub::DeviceSegmentedReduce::Reduce(
            memory, bytes, widened_elements(a.x), a.out, int(a.segments),
            segment_edges(a.offsets, a.count, false), segment_edges(a.offsets, a.count, true),
            reduce_pair<op.value>{}, reduce_identity<op.value, reduced_t<T>>(), stream);
    });
    return said;
}

template <class T>
cudaError_t primitive(void* memory, std::size_t& bytes, const histogram_arguments<T>& a,
                      cudaStream_t stream) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, thrust::make_transform_iterator(a.x, a.bin),
                                               a.counts, a.bin.bins + 1, 0, a.bin.bins, int(a.count), stream);
}

/// Numbers elements.
struct number_places {
    int* places;
    FADE_FN void operator()(int i) const { places[i] = i; }
};

/// A sort of all, whose places and result lie in memory of its own before CUB's.
template <class T>
cudaError_t primitive(void* memory, std::size_t& bytes, const top_k_arguments<T>& a, cudaStream_t stream) {
    const std::size_t results = (std::size_t(a.count + 1) * (sizeof(T) + 2 * sizeof(int)) + 255) / 256 * 256;
    auto* sorted = static_cast<T*>(memory);
    auto* places = reinterpret_cast<int*>(sorted + (a.count + 1) / 2 * 2);
    int* numbered = places + a.count;
    void* rest = memory ? static_cast<char*>(memory) + results : nullptr;
    std::size_t rest_bytes = memory ? bytes - results : 0;
    if (memory) {
        const cudaError_t said = cub::DeviceFor::Bulk(int(a.count), number_places{numbered}, stream);
        if (said != cudaSuccess) return said;
    }
    const cudaError_t said =
        cub::DeviceRadixSort::SortPairsDescending(rest, rest_bytes, as_key(a.x), as_key(sorted), numbered,
                                                  places, int(a.count), 0, 8 * sizeof(T), stream);
    bytes = results + rest_bytes;
    if (said != cudaSuccess || !memory) return said;
    const auto k = static_cast<std::size_t>(a.k);
    cudaError_t copied = cudaSuccess;
    if (a.values) copied = cudaMemcpyAsync(a.values, sorted, k * sizeof(T), cudaMemcpyDeviceToDevice, stream);
    if (copied == cudaSuccess && a.places)
        copied = cudaMemcpyAsync(a.places, places, k * sizeof(int), cudaMemcpyDeviceToDevice, stream);
    return copied;
}

inline void check_primitive(cudaError_t status, const char* what) {
    if (status != cudaSuccess)
        throw error(what, std::string("refused (") + cudaGetErrorName(status) + ")",
                    std::string("the CUDA runtime says: ") + cudaGetErrorString(status));
}

}  // namespace FADE_NAMESPACE::backend::cuda

namespace FADE_NAMESPACE::backend {

template <>
struct primitive_library<cuda_device> {
    static constexpr const char* name = "CUB";
    static constexpr bool vendor = true;

    template <class Arguments>
    static std::size_t workspace_bytes(cuda_device& device, const Arguments& args) {
        if (args.empty()) return 0;
        device.make_current();
        std::size_t bytes = 0;
        cuda::check_primitive(cuda::primitive(nullptr, bytes, args, device.stream()),
                              "CUB's size of its memory");
        return bytes;
    }
    template <class Arguments>
    static void run(cuda_device& device, const Arguments& args, void* memory, std::size_t bytes) {
        device.make_current();
        if (const zeroed_memory z = args.of_nothing(); args.empty()) {
            if (z.at)
                cuda::check_primitive(cudaMemsetAsync(z.at, 0, z.bytes, device.stream()), "cudaMemsetAsync");
            return;
        }
        cuda::check_primitive(cuda::primitive(memory, bytes, args, device.stream()), "CUB");
    }
};

}  // namespace FADE_NAMESPACE::backend
