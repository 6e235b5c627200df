// expect: the sums would go to the memory of a temporary
#include <fade/gemm.hpp>
#include <vector>

auto sums() { return fade::row_sums(std::vector<float>(8)); }
