// Row operators beside device-to-device copies of as many bytes, in one program and without PyTorch: nvcc
// -std=c++20 -O3 --expt-relaxed-constexpr --extended-lambda -arch=sm_90a -I include bench/rows_copy.cu
// -lcuda. A line each: microseconds, and the time of the copy over them. Two sets of tensors take turns;
// medians.
#include <algorithm>
#include <cstdio>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>
#include <utility>
#include <vector>

namespace {

template <class T>
__global__ void fill(T* to, std::size_t count, std::uint64_t seed) {
    for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < count;
         i += std::size_t(gridDim.x) * blockDim.x) {
        std::uint64_t z = (i + 1) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;  // splitmix64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull, z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        const float u = (float(std::uint32_t(z)) + 0.5f) * 0x1p-32f;
        to[i] = fade::convert<T>(std::sqrt(-2 * std::log(u)) *
                                 cospif(2 * float(std::uint32_t(z >> 32)) * 0x1p-32f));
    }
}

/// Memory of the device, of normal numbers where T is a float.
template <class T>
class tensor {
public:
    explicit tensor(std::size_t count, std::uint64_t seed = 1) {
        if (cudaMalloc(&data_, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
        if constexpr (std::is_same_v<T, int>)
            cudaMemset(data_, 0, count * sizeof(T));
        else
            fill<<<2048, 256>>>(data_, count, seed);
    }
    tensor(const tensor&) = delete;
    ~tensor() { cudaFree(data_); }
    operator T*() const { return data_; }

private:
    T* data_ = nullptr;
};

/// Microseconds of a call of call(set), the median of five rounds of queued calls.
template <class F>
double microseconds(F call) {
    constexpr int calls = 20;
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    std::vector<float> took(5);
    call(0), call(1);
    for (float& ms : took) {
        cudaEventRecord(begin, 0);
        for (int i = 0; i < calls; ++i) call(i % 2);
        cudaEventRecord(end, 0), cudaEventSynchronize(end), cudaEventElapsedTime(&ms, begin, end);
    }
    cudaEventDestroy(begin), cudaEventDestroy(end);
    std::sort(took.begin(), took.end());
    return double(took[2]) * 1e3 / calls;
}

template <class T>
void compare(fade::cuda_device& device, fade::index rows, fade::index columns) {
    const auto count = std::size_t(rows * columns), bytes = count * sizeof(T);
    const tensor<T> x[2] = {tensor<T>(count, 1), tensor<T>(count, 2)},
                    y[2] = {tensor<T>(count, 3), tensor<T>(count, 4)},
                    z[2] = {tensor<T>(count, 5), tensor<T>(count, 6)};
    const tensor<T> w(std::size_t(columns), 7), b(std::size_t(columns), 8), dw{std::size_t(columns)},
        db{std::size_t(columns)}, found {
            std::size_t(rows * 8)
        };
    const tensor<float> mean{std::size_t(rows), 9}, root{std::size_t(rows), 10};
    const tensor<int> places{std::size_t(rows * 8)}, labels{std::size_t(rows)};
    double copies[3];
    for (int i = 0; i < 3; ++i) {  // of as many bytes as one tensor has, or two, or three
        const tensor<float> from(bytes * (i + 1) / 8), to(bytes * (i + 1) / 8);
        copies[i] = microseconds([&](int set) {
            cudaMemcpyAsync(set ? to : from, set ? from : to, bytes * (i + 1) / 2, cudaMemcpyDeviceToDevice,
                            0);
        });
    }
    const auto say = [&](const char* name, int moved, auto call) {
        const double took = microseconds(call);
        std::printf("%-20s %s %7ld x %-6ld %8.2f us %.3f of a copy\n", name, fade::name(fade::dtype_v<T>),
                    long(rows), long(columns), took, copies[moved - 1] / took);
    };
    const fade::norm_problem norm{.rows = rows, .columns = columns};
    say("rms_norm", 2, [&](int i) { fade::rms_norm<T>(device, norm, {.x = x[i], .weight = w, .y = y[i]}); });
    say("layer_norm", 2,
        [&](int i) { fade::layer_norm<T>(device, norm, {.x = x[i], .weight = w, .bias = b, .y = y[i]}); });
    say("softmax", 2, [&](int i) { fade::softmax<T>(device, {rows, columns}, +x[i], +y[i]); });
    say("log_softmax", 2, [&](int i) { fade::log_softmax<T>(device, {rows, columns}, +x[i], +y[i]); });
    say("softmax_gradient", 3,
        [&](int i) { fade::softmax_gradient<T>(device, {rows, columns}, +x[i], +y[i], +z[i]); });
    say("layer_norm_gradient", 3, [&](int i) {
        fade::layer_norm_gradient<T>(device, {.rows = rows, .columns = columns},
                                     {.h = x[i],
                                      .dy = y[i],
                                      .weight = w,
                                      .mean = mean,
                                      .inverse_root = root,
                                      .dx = z[i],
                                      .dweight = dw,
                                      .dbias = db});
    });
    say("cross_entropy", 1, [&](int i) {
        fade::cross_entropy<T>(device, {.rows = rows, .columns = columns}, {x[i], labels, mean, root});
    });
    say("sum", 1, [&](int i) { fade::sum(device, {rows, columns, fade::along::rows}, +x[i], +found); });
    say("sum along columns", 1,
        [&](int i) { fade::sum(device, {rows, columns, fade::along::columns}, +x[i], +dw); });
    say("argmax", 1, [&](int i) { fade::argmax(device, {rows, columns}, +x[i], +places); });
    say("top_k 8", 1, [&](int i) { fade::top_k(device, {rows, columns, 8}, +x[i], +found, +places); });
}

}  // namespace

int main() {
    fade::cuda_device device(0, 0);
    compare<float>(device, 8192, 4096);
    for (const auto& [rows, columns] :
         std::vector<std::pair<int, int>>{{16384, 4096}, {131072, 512}, {4096, 32768}, {2048, 50257}})
        compare<fade::bf16>(device, rows, columns);
}
