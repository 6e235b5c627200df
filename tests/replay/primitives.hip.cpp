// Primitives through HIP on whatever device the runtime has, beside those of this CPU. Exit 1 where one is
// wrong.
#include "on_device.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fade/primitives.hpp>
#include <random>

using namespace fade;
using replay::on_device;

namespace {

std::mt19937 generator;
int wrong = 0;

void judge(const report& said, bool right) {
    std::printf("  %s %s: %s\n", right ? "right" : "WRONG", said.requested.c_str(), said.chosen.c_str());
    wrong += !right || said.chosen != "rocPRIM" || said.fallback;
}

template <class T>
std::vector<T> drawn(fade::index count) {
    std::vector<T> out;
    for (fade::index i = 0; i < count; ++i)
        out.push_back(convert<T>(i % 7 ? std::normal_distribution<float>{}(generator)
                                       : float(int(generator() % 5) - 2) * (i % 2 ? 1.0f : -1.0f)));
    return out;
}

/// Runs a call with memory for its results on the device, poisoned first, and here; the same bits are right.
template <class T, class Call>
bool same_bits(hip_device& device, fade::index count, report& said, Call call) {
    std::vector<T> there(std::size_t(count) + 4), here(there.size());
    std::memset(static_cast<void*>(there.data()), 0xa5, there.size() * sizeof(T));
    here = there;
    const on_device<T> memory(device, there);
    host_device cpu;
    said = call(device, memory.data());
    memory.read(there);
    device.synchronize();
    call(cpu, here.data());
    return std::memcmp(here.data(), there.data(), here.size() * sizeof(T)) == 0;
}

/// What a call reads, where the device wants it.
template <class T>
struct both {
    std::vector<T> here;
    on_device<T> there;
    both(hip_device& device, std::vector<T> values) : here(std::move(values)), there(device, here) {}
    const T* at(const hip_device&) const { return there.data(); }
    const T* at(const host_device&) const { return here.data(); }
};

template <class K>
void sorts(hip_device& device, fade::index count, bool descending) {
    const both<K> keys(device, drawn<K>(count));
    report said;
    bool right = same_bits<K>(device, count, said,
                              [&](auto& d, K* out) { return sort(d, {count, descending}, keys.at(d), out); });
    judge(said, right);
    const fade::index k = count < 5 ? count : count / 2;
    right = same_bits<int>(device, k, said, [&](auto& d, int* places) {
        return list_top_k(d, {count, k}, keys.at(d), nullptr, places);
    });
    judge(said, right);
}

void sort_of_pairs(hip_device& device, fade::index count) {
    std::vector<int> numbers;
    for (fade::index i = 0; i < count; ++i) numbers.push_back(int(generator() % 40) - 20);
    const both<int> keys(device, numbers);
    const both<float> values(device, drawn<float>(count));
    const on_device<int> there(device, numbers);
    std::vector<int> here(numbers);
    report said;
    const bool right = same_bits<float>(device, count, said, [&](auto& d, float* out) {
        int* sorted = here.data();
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(d)>, hip_device>) sorted = there.data();
        return sort_pairs(d, {count}, keys.at(d), values.at(d), sorted, out);
    });
    judge(said, right);
}

void lists_of_whole_numbers(hip_device& device, fade::index count) {
    std::vector<int> numbers;
    std::vector<std::uint8_t> chosen;
    for (fade::index i = 0; i < count; ++i)
        numbers.push_back(int(generator())), chosen.push_back(std::uint8_t(generator() % 3));
    const both<int> x(device, numbers);
    const both<std::uint8_t> flags(device, chosen);
    report said;
    bool right = same_bits<int>(device, count, said,
                                [&](auto& d, int* out) { return inclusive_scan(d, {count}, x.at(d), out); });
    judge(said, right);
    right = same_bits<int>(device, count, said,
                           [&](auto& d, int* out) { return exclusive_scan(d, {count}, x.at(d), out, 5); });
    judge(said, right);
    right = same_bits<int>(device, count + 1, said, [&](auto& d, int* out) {
        return select(d, {count}, x.at(d), flags.at(d), out + 1, out);
    });
    judge(said, right);
    right = same_bits<int>(device, 33, said, [&](auto& d, int* out) {
        return histogram(d, {count, 33, -1e9, 1.5e9}, x.at(d), out);
    });
    judge(said, right);
}

/// Sums of floats are added in another order than here.
void sums(hip_device& device, fade::index count) {
    const both<bf16> x(device, drawn<bf16>(count));
    const fade::index segments = 9;
    std::vector<int> edges;
    for (fade::index s = 0; s <= segments; ++s) edges.push_back(int(s * (count + 6) / segments) - 3);
    const both<int> offsets(device, edges);
    double magnitude = 0;
    for (const bf16 e : x.here) magnitude += std::fabs(double(to_f32(e)));
    for (const reduce_op op : {reduce_op::sum, reduce_op::max}) {
        std::vector<float> got(std::size_t(segments) + 1), right(got);
        const on_device<float> there(device, got);
        host_device cpu;
        judge(reduce(device, {count, op}, x.at(device), there.data()), true);
        const report said = segmented_reduce(device, {count, segments, op}, x.at(device), offsets.at(device),
                                             there.data() + 1);
        there.read(got);
        device.synchronize();
        reduce(cpu, {count, op}, x.at(cpu), right.data());
        segmented_reduce(cpu, {count, segments, op}, x.at(cpu), offsets.at(cpu), right.data() + 1);
        bool close = true;
        for (std::size_t i = 0; i < got.size(); ++i)
            close =
                close && (got[i] == right[i] ||
                          (op == reduce_op::sum && std::fabs(double(got[i]) - right[i]) < 1e-6 * magnitude));
        judge(said, close);
    }
}

/// A workspace of the caller's: as large as planned, or refused.
void workspace(hip_device& device, fade::index count) {
    const both<float> keys(device, drawn<float>(count));
    const on_device<float> out(device, keys.here);
    operation_plan plan;
    sort(device, {count}, keys.at(device), out.data(), {.plan = &plan});
    const on_device<std::byte> memory(device, std::vector<std::byte>(plan.workspace_bytes));
    const operation_options given{.workspace = memory.data(), .workspace_bytes = plan.workspace_bytes};
    judge(sort(device, {count}, keys.at(device), out.data(), given), plan.workspace_bytes > 0);
    device.synchronize();
    try {
        sort(device, {count}, keys.at(device), out.data(),
             {.workspace = memory.data(), .workspace_bytes = plan.workspace_bytes - 1});
        ++wrong;
    } catch (const error& e) {
        std::printf("  refused: %s\n", e.what());
        wrong += e.argument() != "workspace_bytes";
    }
}

}  // namespace

int main(int count, char** words) {
    const unsigned seed = count > 1 ? unsigned(std::strtoul(words[1], nullptr, 10)) : std::random_device{}();
    std::printf("PRIMITIVES_SEED=%u\n", seed);
    generator.seed(seed);
    hip_device device;
    for (const fade::index size :
         {fade::index(0), fade::index(1 + generator() % 200), fade::index(2000 + generator() % 3000)}) {
        sorts<float>(device, size, size % 2);
        sorts<f16>(device, size, true);
        sort_of_pairs(device, size);
        lists_of_whole_numbers(device, size);
        if (size > 0) sums(device, size);
    }
    workspace(device, 3000);
    return wrong ? 1 : 0;
}
