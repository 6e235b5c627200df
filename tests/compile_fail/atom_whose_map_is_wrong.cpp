// expect: the lane maps of an atom must cover its tiles
#include <fade/gemm.hpp>

struct wrong : fade::atom::mfma<float, float, 16, 4> {
    static constexpr fade::atom::coordinate d_at(int lane, int) { return {0, lane % 16}; }
};
float d, a, b;
void run() {
    fade::atom::emulate<wrong>([](int, int) -> float& { return d; }, [](int, int) { return a; },
                               [](int, int) { return b; });
}
