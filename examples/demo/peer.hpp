// OpenBLAS, where this program was built with it: the same f32 product without an epilogue.
#pragma once
#include "products.hpp"
#include <vector>

namespace demo {

bool have_peer();

class sgemm {
public:
    explicit sgemm(const sizes& s);
    void run();

private:
    sizes size_;
    std::vector<float> a_, b_, d_;
};

}  // namespace demo
