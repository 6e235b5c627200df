// An unchanged HIP program, compiled with the system's headers: prints what it is told of device 0.
#include <cstdio>
#include <hip/hip_runtime_api.h>

int main() {
    hipDeviceProp_t p;
    int count = 0, l2 = 0, warp = 0;
    bool good = hipGetDeviceProperties(&p, 0) == hipSuccess;
    good = good && hipDeviceGetAttribute(&count, hipDeviceAttributeMultiprocessorCount, 0) == hipSuccess &&
           hipDeviceGetAttribute(&l2, hipDeviceAttributeL2CacheSize, 0) == hipSuccess;
    good = good && hipDeviceGetAttribute(&warp, hipDeviceAttributeWarpSize, 0) == hipSuccess;
    std::printf("%s %d %d %d %d %d %d\n", p.gcnArchName, p.multiProcessorCount, count, p.l2CacheSize, l2,
                p.warpSize, warp);
    return good ? 0 : 1;
}
