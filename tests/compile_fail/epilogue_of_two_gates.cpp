// expect: this epilogue has two gates
#include <fade/gemm.hpp>

void call(fade::host_device& device) { fade::gemm<float>(device, {}, {}, fade::swiglu() | fade::geglu()); }
