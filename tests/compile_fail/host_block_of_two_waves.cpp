// expect: a workgroup of the host is one thread
#include <fade/gemm.hpp>

fade::backend::host::block<fade::arch::host, 2> here{};
