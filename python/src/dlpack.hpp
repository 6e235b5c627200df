// The parts of DLPack's ABI that are read here, by its specification (github.com/dmlc/dlpack, version 1.3).
#pragma once
#include <cstddef>
#include <cstdint>

namespace fade::python::dlpack {

enum device_type : std::int32_t {
    cpu = 1,
    cuda = 2,
    cuda_host = 3,
    rocm = 10,
    rocm_host = 11,
    cuda_managed = 13
};
enum type_code : std::uint8_t {
    integer = 0,
    unsigned_integer = 1,
    real = 2,
    brain_float = 4,
    boolean = 6,
    f8_e4m3fn = 10,
    f8_e4m3fnuz = 11,
    f8_e5m2 = 12,
    f8_e5m2fnuz = 13
};

struct device {
    std::int32_t type, id;
};
struct data_type {
    std::uint8_t code, bits;
    std::uint16_t lanes;
};
struct tensor {
    void* data;
    device where;
    std::int32_t ndim;
    data_type type;
    std::int64_t *shape, *strides;  // of elements; null strides: packed
    std::uint64_t byte_offset;
};
struct version {
    std::uint32_t major, minor;
};
/// What a capsule "dltensor" holds.
struct managed {
    tensor of;
    void* context;
    void (*deleter)(managed*);
};
/// What a capsule "dltensor_versioned" holds.
struct managed_versioned {
    dlpack::version version;
    void* context;
    void (*deleter)(managed_versioned*);
    std::uint64_t flags;
    tensor of;
};
inline constexpr std::uint64_t read_only = 1;

/// What a type gives as __dlpack_c_exchange_api__: functions instead of capsules.
struct exchange {
    dlpack::version version;
    exchange* previous;
    int (*allocate)(tensor* like, managed_versioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*));
    int (*managed_from)(void* object, managed_versioned** out);
    int (*object_from)(managed_versioned* tensor, void** out);
    int (*tensor_from)(void* object, tensor* out);
    int (*current_stream)(std::int32_t type, std::int32_t id, void** out);
};

}  // namespace fade::python::dlpack
