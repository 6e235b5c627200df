// Fails when the kernel of the host is wrong: products at the edges of its strips, panels, steps and shares.
// Exit 1 at the first that is.
#include "common/gemm_edges.hpp"
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>

using namespace fade;

namespace {

int failures = 0;
void say(const std::string& wrong) {
    if (!wrong.empty() && !failures++) std::printf("%s\n", wrong.substr(0, 200).c_str());
}

template <class In>
void check(gemm_layout layout, const test::extent& e, double alpha = 1, double beta = 0, int split_k = 1) {
    if (failures) return;
    using out = std::conditional_t<std::is_integral_v<In>, i32, In>;
    auto c = test::case_of({layout, true, false}, e, 3);
    c.problem.alpha = alpha, c.problem.beta = beta, c.split_k = split_k;
    say(test::check_gemm<arch::host, In, out, all_accesses>(c));
}

/// D is C, which shares of several workers finish once.
void check_in_place(const test::extent& e) {
    auto c = test::case_of({gemm_layout::nt, true, false}, e, 3);
    c.problem.beta = 0.5, c.in_place = true, c.threads = 3;
    say(test::check_gemm<arch::host, f32, f32, all_accesses>(c));
}

/// Whole numbers and what they become: the last of two stages decides for both.
template <class In, class Out, class Source = Out>
void check_stages(std::initializer_list<test::stage_case> stages, double alpha) {
    if (failures) return;
    auto c = test::case_of({gemm_layout::nt, true, false}, {29, 51, 70}, 4);
    c.stages = stages, c.problem.alpha = alpha, c.problem.beta = std::is_integral_v<In> ? 1 : 0.25;
    say(test::check_gemm<arch::host, In, Out, all_accesses, Source>(c));
}
/// Panels that are whole and no C: stages of values alone take several rows at once.
void check_whole_rows() {
    auto c = test::case_of({gemm_layout::nt, true, false}, {29, 256, 70}, 4);
    c.stages = {{stage_kind::relu}, {stage_kind::bias}, {stage_kind::scale, 0.25}}, c.problem.beta = 0;
    say(test::check_gemm<arch::host, f32, f32, all_accesses>(c));
}
template <class Stage>
void check_chain(const char* what, const Stage& stage, float right) {
    const i8 one = 1;
    float d = 0;
    host_device cpu(1);
    gemm<i8, float>(cpu, {.m = 1, .n = 1, .k = 1}, {.a = &one, .b = &one, .d = &d}, stage);
    i32 whole = 0;
    gemm<i8, i32>(cpu, {.m = 1, .n = 1, .k = 1}, {.a = &one, .b = &one, .d = &whole}, stage);
    if (d != right || whole != i32(__builtin_rintf(right))) say(what);
}
void check_whole() {
    using enum stage_kind;
    check_whole_rows();
    for (int k = 0; k < test::stage_kinds; ++k)
        for (const stage_kind second : {relu, bias}) {
            check_stages<i8, f32>({{stage_kind(k), -0.5, 0.75}, {second}}, 0.001);
            check_stages<i8, i8, f32>({{stage_kind(k), 0.25, 1.5}, {second}}, 0.01);
            check_stages<i8, i8, f32>({{stage_kind(k), 0.25, 1.5}, {second}}, 1);
            check_stages<f32, f32>({{second}, {stage_kind(k), 0.25, 1.5}}, 10);
        }
    for (const stage_kind k : {bias, bias_col, relu, clamp, residual, mul, drelu, scale_rows, batch_bias})
        check_stages<i8, i32>({{k, -0.75, 300.5}}, 2), check_stages<i8, i8, i32>({{k, -0.75, 300.5}}, 1);
    check_stages<i8, f64, f32>({}, 30000);
    const f16 half[] = {{0x4100}};  // 2.5
    const i32 two[] = {2};
    check_chain("f16 before i32", fade::bias(half) | fade::bias(two), 5.5f);
    check_chain("i32 before f16", fade::bias(two) | fade::bias(half), 5.5f);
    check_chain("a factor", fade::scale(2.75f), 2.75f);
    check_chain("a factor before i32", fade::scale(2.75f) | fade::bias(two), 4.75f);
    const i32 odd[] = {(1 << 24)};  // and 1: more than f32 holds
    i32 d = 0;
    const i8 one = 1;
    host_device cpu(1);
    gemm<i8, i32>(cpu, {.m = 1, .n = 1, .k = 1}, {.a = &one, .b = &one, .d = &d}, fade::bias(odd));
    if (d != (1 << 24) + 1) say("a whole bias");
}

template <class T>
void check_extents() {
    using enum gemm_layout;
    // Rows around the micro-kernels, columns around vectors and panels, k around a shallow step; then several
    // deep steps, and several shares.
    const test::extent around[] = {{1, 1, 1},  {3, 31, 63}, {4, 32, 64},   {11, 33, 65}, {12, 65, 100},
                                   {13, 7, 0}, {7, 34, 6},  {27, 40, 130}, {60, 45, 33}};
    for (const auto layout : {nn, nt, tn, tt})
        for (const auto& e : around)
            check<T>(layout, e),
                check<T>(layout, e, std::is_integral_v<T> ? -2 : -1.5, std::is_integral_v<T> ? 3 : 0.5);
    for (const auto layout : {nt, tn})
        check<T>(layout, {200, 45, 2501}), check<T>(layout, {2100, 33, 7}), check<T>(layout, {5, 2500, 9});
    check<T>(nn, {60, 45, 3000}, 1, 1, 3);
    check<T>(nn, {60, 45, 40}, 2), check<T>(nn, {60, 45, 40}, 1, 3);
}

/// Memory for `count` numbers that ends where a page that cannot be read begins: whoever reads beyond it,
/// dies.
template <class T>
T* last_of_a_page(int count) {
    constexpr std::size_t size = 1 << 16, page = 4096;
    auto* at = static_cast<char*>(
        mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(at + size, page, PROT_NONE);
    return reinterpret_cast<T*>(at + size) - count;
}

/// Without an epilogue sums may go straight to D, if nothing else is asked for. Whole numbers, so that all
/// sums are exact.
template <class In, class Out>
void check_plain(int alpha, int beta) {
    constexpr int m = 60, n = 45, k = 20;
    In *a = last_of_a_page<In>(m * k), *b = last_of_a_page<In>(k * n);
    Out *c = last_of_a_page<Out>(m * n), *d = last_of_a_page<Out>(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = convert<In>(float(i % 5));
    for (int i = 0; i < k * n; ++i) b[i] = convert<In>(float(i % 7));
    for (int i = 0; i < m * n; ++i) c[i] = Out(i % 3);
    host_device cpu(1);
    gemm<In, Out>(cpu, {.m = m, .n = n, .k = k, .alpha = double(alpha), .beta = double(beta)},
                  {.a = a, .b = b, .c = c, .d = d});
    for (int i = 0; i < m * n; ++i) {
        int sum = 0;
        for (int p = 0; p < k; ++p) sum += (i / n * k + p) % 5 * ((p * n + i % n) % 7);
        if (d[i] != Out(alpha * sum + beta * (i % 3))) say("a product without an epilogue");
    }
}

/// A team returns when all its workers have.
void check_team() {
    backend::host::thread_team team;
    int done[3] = {};
    const auto slow = [](void* p, int worker) {
        usleep(worker ? 20000 : 2000);
        __atomic_store_n(static_cast<int*>(p) + worker, 1, __ATOMIC_RELEASE);
    };
    team.run(3, slow, done);
    const int at_return = done[1] + done[2];
    usleep(50000);
    if (at_return !=
        __atomic_load_n(done + 1, __ATOMIC_ACQUIRE) + __atomic_load_n(done + 2, __ATOMIC_ACQUIRE))
        say("a worker outlived its call");
}

}  // namespace

int main() {
    check_team();
    check_plain<f32, f32>(1, 0), check_plain<f32, f32>(2, 0), check_plain<f32, f32>(1, 3);
    check_plain<bf16, f32>(1, 0), check_plain<i8, i32>(1, 0);
    check_extents<f32>();
    check_extents<f16>();
    check_extents<bf16>();  // in packs, where this CPU multiplies them
    check_extents<i8>();
    check_in_place({5, 2500, 9}), check_in_place({2100, 33, 7}), check_in_place({300, 400, 20});
    check_whole();
    return failures != 0;
}
