// Row operators of 16-bit floats and f32 on this CPU beside copies of as many bytes, in one program and
// without PyTorch: g++ -std=c++20 -O3 -I include bench/rows_copy.cpp -pthread. One thread; times are the
// processor's, medians of 12 rounds in which both take turns. Two sets of tensors take turns where caches do
// not hold one.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fade/norm.hpp>
#include <fade/reduce.hpp>
#include <fade/softmax.hpp>
#include <memory>
#include <random>
#include <vector>

namespace {

double milliseconds() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e3 + double(t.tv_nsec) * 1e-6;
}

/// Memory that begins at a page and was touched.
template <class T>
class tensor {
public:
    explicit tensor(std::size_t count)
        : data_(static_cast<T*>(std::aligned_alloc(4096, (count * sizeof(T) + 4095) / 4096 * 4096)),
                std::free) {
        std::memset(static_cast<void*>(data_.get()), 0, count * sizeof(T));
    }
    operator T*() const { return data_.get(); }

private:
    std::unique_ptr<T, void (*)(void*)> data_;
};

template <class F, class G>
void race(const char* name, const char* type, int rows, int columns, std::size_t moved, F call, G copy) {
    constexpr int rounds = 12;
    const int repeats = std::max(1, int(20000000 / moved));
    std::vector<double> ours, copies;
    for (int n = 0; n < rounds; ++n) {
        const double begin = milliseconds();
        for (int i = 0; i < repeats; ++i) call(n);
        const double middle = milliseconds();
        for (int i = 0; i < repeats; ++i) copy(moved / 2);
        ours.push_back((middle - begin) / repeats), copies.push_back((milliseconds() - middle) / repeats);
    }
    std::sort(ours.begin(), ours.end()), std::sort(copies.begin(), copies.end());
    std::printf("%-13s %s %5d x %5d: %8.4f ms, %.2f of a copy\n", name, type, rows, columns, ours[rounds / 2],
                copies[rounds / 2] / ours[rounds / 2]);
}

template <class T>
void compare(fade::host_device& device, int rows, int columns) {
    const std::size_t count = std::size_t(rows) * std::size_t(columns), bytes = count * sizeof(T);
    const std::size_t sets = bytes > (32u << 20) ? 2 : 1;
    std::vector<tensor<T>> x, y;
    std::mt19937 draw(1);
    std::normal_distribution<float> normal;
    std::vector<T> numbers(65536 + std::size_t(columns));
    for (T& some : numbers) some = fade::convert<T>(normal(draw));
    for (std::size_t s = 0; s < sets; ++s) {
        x.emplace_back(count), y.emplace_back(count);
        for (int r = 0; r < rows; ++r)
            std::copy_n(&numbers[draw() % 65536], columns, x[s] + std::size_t(r) * std::size_t(columns));
    }
    const tensor<char> from(bytes), to(bytes);
    const std::vector<T> w(std::size_t(columns), fade::convert<T>(1.25f));
    std::vector<T> values(std::size_t(rows) * 8);
    std::vector<float> loss(std::size_t(rows), 0.0f), log_sum(loss);
    std::vector<int> labels(std::size_t(rows), 5), places(std::size_t(rows) * 8);
    const auto copy = [&](std::size_t size) { std::memcpy(to, from, size); };
    const auto say = [&](const char* name, std::size_t tensors, auto call) {
        race(
            name, fade::name(fade::dtype_v<T>), rows, columns, bytes * tensors,
            [&](int n) { call(std::size_t(n) % sets); }, copy);
    };
    const fade::norm_problem norm{.rows = rows, .columns = columns};
    say("rms_norm", 2,
        [&](std::size_t i) { fade::rms_norm<T>(device, norm, {.x = x[i], .weight = w.data(), .y = y[i]}); });
    say("layer_norm", 2, [&](std::size_t i) {
        fade::layer_norm<T>(device, norm, {.x = x[i], .weight = w.data(), .bias = w.data(), .y = y[i]});
    });
    say("softmax", 2, [&](std::size_t i) { fade::softmax<T>(device, {rows, columns}, +x[i], +y[i]); });
    say("log_softmax", 2,
        [&](std::size_t i) { fade::log_softmax<T>(device, {rows, columns}, +x[i], +y[i]); });
    say("cross_entropy", 1, [&](std::size_t i) {
        fade::cross_entropy<T>(device, {.rows = rows, .columns = columns},
                               {x[i], labels.data(), loss.data(), log_sum.data()});
    });
    say("sum", 1,
        [&](std::size_t i) { fade::sum(device, {rows, columns, fade::along::rows}, +x[i], values.data()); });
    say("argmax", 1, [&](std::size_t i) { fade::argmax(device, {rows, columns}, +x[i], places.data()); });
    say("top_k 8", 1,
        [&](std::size_t i) { fade::top_k(device, {rows, columns, 8}, +x[i], values.data(), places.data()); });
}

}  // namespace

int main() {
    fade::host_device device(1);
    for (const int rows : {8192, 128}) {
        compare<fade::bf16>(device, rows, 4096);
        compare<fade::f16>(device, rows, 4096);
        compare<float>(device, rows, 4096);
    }
}
