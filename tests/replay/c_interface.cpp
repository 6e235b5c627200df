// The C interface on whatever HIP device the runtime has, by a libfade that holds that device's kernels: a
// program of a user, which knows fade.h and HIP alone. Exit 1 where a result is wrong.
#include "common/append_reference.hpp"
#include "common/attention_reference.hpp"
#include "common/gemm_check.hpp"
#include <cstdio>
#include <fade.h>
#include <hip/hip_runtime_api.h>
#include <stdexcept>

using namespace fade;

namespace {

void is_done(hipError_t status) {
    if (status != hipSuccess) throw std::runtime_error(hipGetErrorString(status));
}
void is_done(fade_status status) {
    if (status != FADE_OK) throw std::runtime_error(fade_last_error()->message);
}

/// A list on the device; null where it is empty.
template <class T>
class on_gpu {
public:
    on_gpu(const T* from, std::size_t count) : bytes_(count * sizeof(T)) {
        if (!bytes_) return;
        is_done(hipMalloc(reinterpret_cast<void**>(&at_), bytes_));
        is_done(hipMemcpy(at_, from, bytes_, hipMemcpyHostToDevice));
    }
    explicit on_gpu(const std::vector<T>& from) : on_gpu(from.data(), from.size()) {}
    explicit on_gpu(const test::matrix<T>& from) : on_gpu(from.data(), std::size_t(from.place().span())) {}
    on_gpu(const on_gpu&) = delete;
    ~on_gpu() {
        if (at_) static_cast<void>(hipFree(at_));
    }
    T* data() const { return at_; }
    void read(auto& to) const { is_done(hipMemcpy(to.data(), at_, bytes_, hipMemcpyDeviceToHost)); }

private:
    std::size_t bytes_;
    T* at_ = nullptr;
};

struct opened {
    fade_device* device = nullptr;
    hipStream_t stream{};
    fade_options options;
    opened() {
        is_done(fade_device_open("hip:0", nullptr, &device)), is_done(hipStreamCreate(&stream));
        fade_options_init(&options, sizeof options);
        options.stream = stream;
    }
    ~opened() {
        fade_device_close(device);
        static_cast<void>(hipStreamDestroy(stream));
    }
    void wait() const { is_done(hipStreamSynchronize(stream)); }
};

template <class S>
S made(void (*init)(S*, std::size_t)) {
    S out;
    init(&out, sizeof out);
    return out;
}
fade_strides strides(const attention_strides& s) { return {s.batch, s.position, s.head}; }

/// A GEMM with a bias, a factor a row and a GELU, which is stored twice; its report is asked for.
std::string wrong_gemm(const opened& on, std::uint64_t seed) {
    test::gemm_case c;
    c.problem = {.m = 72, .n = 88, .k = 104, .layout = gemm_layout::nt, .alpha = 2, .beta = 0.5};
    test::lay_out(c.problem, 8, 0);
    c.seed = seed, c.stages = {{stage_kind::bias}, {stage_kind::scale_rows}, {stage_kind::gelu}};
    test::gemm_data<f16, f16> data(c);
    const auto reference = test::expected(data);
    data.poison_output();
    const on_gpu<f16> a(data.a), b(data.b), from(data.c), d(data.d), bias(*data.sources.at(0)),
        factors(*data.sources.at(1));
    std::vector<f16> seen(72 * 88);
    const on_gpu<f16> kept(seen);
    auto g = made(fade_gemm_init);
    std::vector<fade_stage> stages(4, made(fade_stage_init));
    stages[0].kind = FADE_BIAS, stages[0].values = bias.data();
    stages[1].kind = FADE_SCALE_ROWS, stages[1].values = factors.data();
    stages[2].kind = FADE_GELU;
    stages[3].kind = FADE_AUX, stages[3].values = kept.data();
    g.in = g.out = FADE_F16, g.layout = FADE_NT, g.m = 72, g.n = 88, g.k = 104, g.alpha = 2, g.beta = 0.5;
    g.lda = c.problem.lda, g.ldb = c.problem.ldb, g.ldc = c.problem.ldc, g.ldd = c.problem.ldd;
    g.a = a.data(), g.b = b.data(), g.c = from.data(), g.d = d.data(), g.stages = stages.data(),
    g.stage_count = 4;
    fade_report* said = nullptr;
    fade_options options = on.options;
    options.report = &said;
    is_done(fade_gemm(on.device, &g, &options));
    std::printf("  %s on %s\n", fade_report_text(said, FADE_REPORT_CHOSEN),
                fade_report_text(said, FADE_REPORT_ARCH));
    fade_report_close(said), on.wait(), d.read(data.d), kept.read(seen);
    if (data.d.disturbed()) return "elements between the rows of D were written";
    for (std::size_t i = 0; i < seen.size(); ++i)
        if (seen[i].bits != data.d.at(0, fade::index(i / 88), fade::index(i % 88)).bits)
            return "aux stored other values than D's";
    return test::difference(data.d, reference);
}

std::string wrong_attention(const opened& on, const test::attention_case& c) {
    test::attention_data<f16> x(c);
    const on_gpu<f16> q(x.q), k(x.k), v(x.v), o(x.o);
    const on_gpu<float> lse(x.lse), alibi(x.slopes), sink(x.sinks);
    const on_gpu<int> table(x.table), starts(x.starts_k);
    const attention_problem& p = x.problem;
    auto a = made(fade_attention_init);
    a.in = a.out = FADE_F16, a.causal = int(causal_kind(p.causal)), a.batch = p.batch, a.heads = p.heads,
    a.kv_heads = p.kv_heads;
    a.seq_q = p.seq_q, a.seq_k = p.seq_k, a.head_dim = p.head_dim, a.window_left = p.window_left;
    a.page_size = p.page_size, a.table_width = p.table_width, a.alibi_stride = p.alibi_stride;
    a.q_strides = strides(p.q_strides), a.k_strides = strides(p.k_strides),
    a.v_strides = strides(p.v_strides);
    a.o_strides = strides(p.o_strides), a.q = q.data(), a.k = k.data(), a.v = v.data(), a.o = o.data();
    a.lse = lse.data(), a.alibi = alibi.data(), a.sink = sink.data(), a.starts_k = starts.data();
    a.block_table = table.data();
    is_done(fade_attention(on.device, &a, &on.options));
    on.wait(), o.read(x.o), lse.read(x.lse);
    return test::wrong_with(x);
}

std::string wrong_append(const opened& on, const test::append_case& c) {
    test::append_data<f16, f16, f16> x(c);
    const test::append_reference<f16, f16, f16> want(x);
    const on_gpu<f16> fresh(x.fresh), cache(x.cache), rotated(x.rotated), angles(x.angles);
    const on_gpu<int> held(x.held), table(x.table);
    const append_problem& p = x.problem;
    auto a = made(fade_append_init);
    a.in = a.cache = a.tables = FADE_F16, a.batch = p.batch, a.heads = p.heads, a.kv_heads = p.kv_heads;
    a.new_positions = p.new_positions, a.capacity = p.capacity, a.head_dim = p.head_dim;
    a.rotary_dim = p.rotary_dim, a.rotary_stride = p.rotary_stride, a.interleaved = int(p.style);
    a.page_size = p.page_size, a.table_width = p.table_width, a.new_k_strides = strides(p.new_k_strides);
    a.new_v_strides = strides(p.new_v_strides), a.k_strides = strides(p.k_strides);
    a.v_strides = strides(p.v_strides), a.q_strides = strides(p.q_strides);
    a.q_out_strides = strides(p.q_out_strides), a.new_k = fresh.data() + x.new_k.at;
    a.new_v = fresh.data() + x.new_v.at, a.k = cache.data() + x.k.at, a.v = cache.data() + x.v.at;
    a.q = fresh.data() + x.q.at, a.q_out = rotated.data(), a.cos = angles.data();
    a.sin = angles.data() + x.angle_at(0, 0, true), a.cache_lengths = held.data(),
    a.block_table = table.data();
    is_done(fade_append_kv(on.device, &a, &on.options));
    on.wait(), fresh.read(x.fresh), cache.read(x.cache), rotated.read(x.rotated);
    return want.wrong_with(x);
}

int failures = 0;
void check(const char* what, const std::string& wrong) {
    if (wrong.empty()) return;
    std::printf("FAILED %s: %s\n", what, wrong.c_str());
    ++failures;
}

void run(std::uint64_t seed) {
    const opened on;
    check("gemm", wrong_gemm(on, seed));
    test::attention_case attended{.problem = {.heads = 2,
                                              .kv_heads = 1,
                                              .seq_q = 50,
                                              .seq_k = 90,
                                              .head_dim = 64,
                                              .causal = causal_kind::bottom_right},
                                  .seed = seed + 1};
    check("attention", wrong_attention(on, attended));
    attended.problem.batch = 2, attended.alibi = attended.own_slopes = attended.starts = attended.sink = true;
    check("attention from first keys on, with slopes of each sequence", wrong_attention(on, attended));
    attended.problem.seq_q = 3, attended.problem.page_size = 16;
    check("decoding over pages", wrong_attention(on, attended));
    check("append_kv", wrong_append(on, {.problem = {.batch = 2,
                                                     .heads = 3,
                                                     .kv_heads = 2,
                                                     .new_positions = 9,
                                                     .capacity = 40,
                                                     .head_dim = 32,
                                                     .rotary_dim = 24,
                                                     .page_size = 16},
                                         .lie = test::arrangement::gaps,
                                         .held = {3, 20},
                                         .seed = seed + 2}));
    auto g = made(fade_gemm_init);
    g.in = g.out = FADE_F16, g.m = g.n = 1, g.k = -1;
    check("a refusal", fade_gemm(on.device, &g, &on.options) == FADE_INVALID ? "" : "it was none");
}

}  // namespace

int main(int, char** words) {
    try {
        run(words[1] ? std::strtoull(words[1], nullptr, 10) : 1);
    } catch (const std::exception& e) {
        check("the device", e.what());
    }
    return failures != 0;
}
