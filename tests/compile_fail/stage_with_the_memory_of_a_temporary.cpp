// expect: this stage would read the memory of a temporary
#include <fade/gemm.hpp>
#include <vector>

auto stage() { return fade::bias(std::vector<float>(8)); }
