// Maps for Hopper's copy unit. The driver makes them; it is asked for through the runtime, so that no program
// links against it.
#pragma once
#include <cuda.h>
#include <cuda_runtime.h>
#include <fade/core/error.hpp>
#include <fade/core/tensor_map.hpp>
#include <string>

namespace FADE_NAMESPACE::backend::cuda {

/// A function of the driver.
template <class Function>
Function* driver_function(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult answer{};
    if (cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &answer) != cudaSuccess ||
        answer != cudaDriverEntryPointSuccess)
        throw error(name, "not in this driver", "Hopper needs a driver of CUDA 12 or later");
    return reinterpret_cast<Function*>(found);
}

constexpr CUtensorMapDataType map_type(int bytes) {
    return bytes == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
           : bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16
           : bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_UINT32
                        : CU_TENSOR_MAP_DATA_TYPE_UINT64;
}

inline tensor_map made_map(const char* by, CUresult status, const CUtensorMap& map) {
    if (status != CUDA_SUCCESS)
        throw error(by, "refused (" + std::to_string(int(status)) + ")",
                    "a tensor of such sizes and strides has no map");
    return __builtin_bit_cast(tensor_map, map);
}

/// Rows of a box lie 128 bytes apart in shared memory, their 16-byte runs exchanged by XOR with the row, as
/// the matrix unit reads them.
inline tensor_map encoded(const tile_source& s) {
    constexpr const char* name = "cuTensorMapEncodeTiled";
    static const auto encode = driver_function<decltype(cuTensorMapEncodeTiled)>(name);
    const auto bytes = [&](int count, index apart) {
        return cuuint64_t(count > 1 ? apart * s.bytes : 16);
    };  // of what there is one, the distance is of no meaning
    const cuuint64_t sizes[4] = {cuuint64_t(s.columns), cuuint64_t(s.positions), cuuint64_t(s.heads),
                                 cuuint64_t(s.batches)};
    const cuuint64_t apart[3] = {bytes(s.positions, s.position), bytes(s.heads, s.head),
                                 bytes(s.batches, s.batch)};
    const cuuint32_t box[4] = {cuuint32_t(128 / s.bytes), cuuint32_t(s.box), 1, 1}, steps[4] = {1, 1, 1, 1};
    CUtensorMap map;
    const CUresult status = encode(&map, map_type(s.bytes), 4, const_cast<void*>(s.base), sizes, apart, box,
                                   steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made_map(name, status, map);
}

/// The same of windows. Their first taps are at pixels from one corner to the other, both counted from the
/// image's own corners.
inline tensor_map encoded(const im2col_source& s) {
    constexpr const char* name = "cuTensorMapEncodeIm2col";
    static const auto encode = driver_function<decltype(cuTensorMapEncodeIm2col)>(name);
    const cuuint64_t sizes[4] = {cuuint64_t(s.channels), cuuint64_t(s.w.pixels), cuuint64_t(s.h.pixels),
                                 cuuint64_t(s.images)};
    const auto bytes = [&](index apart) { return cuuint64_t(apart) * cuuint64_t(s.bytes); };
    const cuuint64_t apart[3] = {bytes(s.pixel), bytes(s.line), bytes(s.image)};
    const int first[2] = {s.w.first, s.h.first}, end[2] = {s.w.last(), s.h.last()};
    const cuuint32_t steps[4] = {1, cuuint32_t(s.w.step), cuuint32_t(s.h.step), 1};
    CUtensorMap map;
    const CUresult status = encode(&map, map_type(s.bytes), 4, const_cast<void*>(s.base), sizes, apart, first,
                                   end, cuuint32_t(128 / s.bytes), cuuint32_t(s.box), steps,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                   CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made_map(name, status, map);
}

}  // namespace FADE_NAMESPACE::backend::cuda
