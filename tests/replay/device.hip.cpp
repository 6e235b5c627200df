// The whole path through HIP on whatever device the runtime has: memory, copies, launches, results. Exit 1 where one is wrong.
#include <cstdio>
#include "common/gemm_check.hpp"

using namespace fade;

namespace {

/// A matrix on the device: what the launch may touch, and nothing around it.
template <class T>
class on_device {
public:
    on_device(hip_device& device, const test::matrix<T>& from) : device_(device), bytes_(std::size_t(from.place().span()) * sizeof(T)), at_(static_cast<T*>(device.allocate(bytes_))) {
        device.copy_to_device(at_, from.data(), bytes_);
    }
    ~on_device() { device_.release(at_); }
    on_device(const on_device&) = delete;
    T* data() const { return at_; }
    void read(test::matrix<T>& to) const { device_.copy_to_host(to.data(), at_, bytes_); }

private:
    hip_device& device_;
    std::size_t bytes_;
    T* at_;
};

test::gemm_case sized(fade::index m, fade::index n, fade::index k, bool aligned, std::uint64_t seed) {
    test::gemm_case c;
    c.problem = {.m = m, .n = n, .k = k, .layout = gemm_layout::nt, .alpha = 2, .beta = 0.5};
    test::lay_out(c.problem, aligned ? 8 : 3, 0);
    c.seed = seed;
    return c;
}

/// Runs a case; `make` composes its epilogue from where the stages' memory lies on the device.
template <class T, class Make>
std::string wrong_with(hip_device& device, const test::gemm_case& c, Make make) {
    constexpr auto kernels = only(gemm_reading::nt, gemm_reading::strided);
    test::gemm_data<T, T> data(c);
    const auto reference = test::expected(data);
    data.poison_output();
    const on_device<T> a(device, data.a), b(device, data.b), from(device, data.c), d(device, data.d), source(device, *data.sources.at(0));
    const gemm_operands<T> operands{.a = a.data(), .b = b.data(), .c = from.data(), .d = d.data()};
    const report said = gemm<T, T, kernels>(device, c.problem, operands, make(source.data(), data), {.split_k = c.split_k});
    d.read(data.d);
    device.synchronize();
    std::printf("  %s on %s: %s\n", said.requested.c_str(), said.device.c_str(), said.chosen.c_str());
    if (data.d.disturbed()) return "elements between the rows of D were written";
    return test::difference(data.d, reference);
}

int failures = 0;
void check(const char* what, const std::string& wrong) {
    if (wrong.empty()) return;
    std::printf("FAILED %s: %s\n", what, wrong.c_str());
    ++failures;
}

void run(std::uint64_t seed) {
    hipStream_t stream{};
    backend::hip::check(hipStreamCreate(&stream), "hipStreamCreate");
    hip_device device(0, stream);
    const auto gelus = [](const auto* values, const auto&) { return bias(values) | gelu(); };
    const auto adds = [](const auto* values, const auto& data) { return residual(values, data.sources[0]->place().ld); };
    auto c = sized(72, 88, 104, true, seed);
    c.stages = {{stage_kind::bias}, {stage_kind::gelu}};
    check("f16 with bias and gelu", wrong_with<f16>(device, c, gelus));
    c.split_k = 2;
    check("f16 with shared k", wrong_with<f16>(device, c, gelus));
    c = sized(37, 29, 41, false, seed + 1);
    c.stages = {{stage_kind::residual}};
    check("f32, unaligned, with residual", wrong_with<float>(device, c, adds));
    backend::hip::check(hipStreamDestroy(stream), "hipStreamDestroy");
}

}  // namespace

int main(int, char** words) {
    try {
        run(words[1] ? std::strtoull(words[1], nullptr, 10) : 1);
    } catch (const std::exception& e) { check("the device", e.what()); }
    return failures != 0;
}
