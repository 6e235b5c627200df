// What a program allocates is memory that GPU and CPU both reach: page-locked memory of the CPU.
#include <cstdlib>
#include <memory_resource>
#include <new>
#if defined(FADE_TEST_CUDA)
#include <cuda_runtime.h>
#else
#include <hip/hip_runtime.h>
#endif

namespace {

class page_locked : public std::pmr::memory_resource {
    void* do_allocate(std::size_t bytes, std::size_t) override {
        void* p = nullptr;
#if defined(FADE_TEST_CUDA)
        const bool ok = cudaHostAlloc(&p, bytes, cudaHostAllocMapped) == cudaSuccess;
#else
        const bool ok = hipHostMalloc(&p, bytes, hipHostMallocMapped) == hipSuccess;
#endif
        return ok ? p : std::malloc(bytes);  // behind a fault of the GPU, so that the test can say so
    }
    void do_deallocate(void* p, std::size_t, std::size_t) override {
#if defined(FADE_TEST_CUDA)
        static_cast<void>(cudaFreeHost(p));
#else
        static_cast<void>(hipHostFree(p));
#endif
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

using pool_type = std::pmr::synchronized_pool_resource;

/// Never destroyed: destructors of static objects give memory back, too.
pool_type& pool() {
    alignas(page_locked) static char source[sizeof(page_locked)];
    alignas(pool_type) static char bytes[sizeof(pool_type)];
    static constexpr std::size_t largest_of_pools = std::size_t(4) << 20;
    static auto* const made =
        new (bytes) pool_type({.max_blocks_per_chunk = 0, .largest_required_pool_block = largest_of_pools},
                              new (source) page_locked);
    return *made;
}

/// In front of each piece lies its size, for operators that are not told it.
constexpr std::size_t header = 64;

}  // namespace

void* operator new(std::size_t bytes) {
    void* const p = pool().allocate(bytes + header, header);
    *static_cast<std::size_t*>(p) = bytes + header;
    return static_cast<char*>(p) + header;
}
void operator delete(void* p) noexcept {
    if (!p) return;
    char* const front = static_cast<char*>(p) - header;
    pool().deallocate(front, *reinterpret_cast<std::size_t*>(front), header);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
