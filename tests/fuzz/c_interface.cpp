// Any bytes as the arguments of fade.h: each call is refused with a sentence, planned or done, and memory
// that its arguments do not name stays as it is, whatever numbers lie in lists on the device.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fade.h>
#include <memory>
#include <vector>

namespace {

/// The input as numbers; 0 behind its end.
class numbers {
public:
    numbers(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
    std::uint8_t byte() { return at_ == end_ ? 0 : *at_++; }
    std::int64_t word() {
        std::uint64_t x = 0;
        for (int i = 0; i < 8; ++i) x = x << 8 | byte();
        return std::int64_t(x);
    }
    /// Mostly of what calls take: 0 to `most`.
    std::int64_t size(int most) { return byte() % (most + 1); }
    bool flag() { return byte() & 1; }

private:
    const std::uint8_t *at_, *end_;
};

/// Memory of exactly so many elements, so that a sanitizer sees what is touched beside it.
class memory {
public:
    template <class T = float>
    T* list(std::int64_t count, int fill = 0x3c) {
        const auto bytes = std::size_t(count) * sizeof(T);
        kept_.push_back(std::make_unique<unsigned char[]>(bytes));
        std::memset(kept_.back().get(), fill, bytes);
        return reinterpret_cast<T*>(kept_.back().get());
    }
    /// Numbers of the input, sane or not.
    int* integers(numbers& from, std::int64_t count, int most) {
        int* out = list<int>(count, 0);
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = from.byte() % 4 ? int(from.size(most)) : int(std::uint32_t(from.word()));
        return out;
    }

private:
    std::vector<std::unique_ptr<unsigned char[]>> kept_;
};

template <class S>
S made(void (*init)(S*, std::size_t)) {
    S out;
    init(&out, sizeof out);
    return out;
}

void require(bool holds, const char* what) {
    if (holds) return;
    std::printf("%s: %s\n", what, fade_last_error()->message);
    std::abort();
}

fade_device* device() {
    static fade_device* const on = [] {
        fade_device_config c;
        fade_device_config_init(&c, sizeof c);
        c.threads = 1;
        fade_device* out = nullptr;
        require(fade_device_open("host", &c, &out) == FADE_OK, "the device");
        return out;
    }();
    return on;
}

/// Calls, or plans, and holds what is said against the rules of fade.h.
template <class S>
void attempt(numbers& in, fade_status (*call)(fade_device*, const S*, const fade_options*), const S& s,
             bool plans) {
    fade_plan* plan = nullptr;
    fade_report* report = nullptr;
    auto o = made(fade_options_init);
    if (plans) o.plan = &plan;
    if (in.flag()) o.report = &report;
    o.strict = in.flag();
    const fade_status status = call(device(), &s, &o);
    require(status != FADE_INTERNAL, "a fault of the library");
    require(status == FADE_OK || std::strlen(fade_last_error()->rule) > 5, "a refusal without a rule");
    require((plan != nullptr) == (plans && status == FADE_OK), "a plan");
    fade_plan_close(plan), fade_report_close(report);
}

/// A struct whose words behind its size are the input's: planned only, since it names any memory.
template <class S>
void any_words(numbers& in, void (*init)(S*, std::size_t),
               fade_status (*call)(fade_device*, const S*, const fade_options*)) {
    static unsigned char nobody_reads[4096];
    S s = made(init);
    auto* words = reinterpret_cast<unsigned char*>(&s);
    for (std::size_t at = sizeof(std::size_t); at + 8 <= sizeof s; at += 8) {
        const int kind = in.byte() % 8;
        std::int64_t x = kind == 0   ? in.word()
                         : kind == 1 ? in.size(200)
                         : kind == 2 ? std::int64_t(in.byte()) << (in.byte() % 56)
                                     : 0;
        if (kind == 3) x = std::int64_t(reinterpret_cast<std::uintptr_t>(nobody_reads + in.byte()));
        if (kind < 4) std::memcpy(words + at, &x, 8);
    }
    if constexpr (requires { s.stages; }) s.stages = nullptr;  // the library reads these
    attempt(in, call, s, true);
}

/// Attention over memory that is as large as it says, with lists of any numbers.
void attend(numbers& in) {
    memory of;
    auto a = made(fade_attention_init);
    a.batch = in.size(3), a.kv_heads = 1 + in.size(1), a.heads = a.kv_heads * (1 + in.size(2));
    a.seq_q = in.size(9), a.seq_k = in.size(40), a.head_dim = 1 + in.size(20), a.head_dim_v = 1 + in.size(20);
    a.causal = int(in.size(2)), a.window_left = in.size(12) - 1, a.window_right = in.size(12) - 1;
    a.softcap = double(in.size(2)), a.dropout = in.byte() % 8 == 0 ? 0.5 : 0;
    const bool paged = in.flag();
    if (paged) {
        a.page_size = 1 + in.size(8), a.table_width = (a.seq_k + a.page_size - 1) / a.page_size;
        a.page_count = 1 + in.size(9);
        a.block_table = of.integers(in, a.batch * a.table_width, int(a.page_count));
    }
    const std::int64_t keys = paged ? a.page_count * a.page_size : a.batch * a.seq_k;
    a.q = of.list(a.batch * a.seq_q * a.heads * a.head_dim);
    a.k = of.list(keys * a.kv_heads * a.head_dim), a.v = of.list(keys * a.kv_heads * a.head_dim_v);
    a.o = of.list(a.batch * a.seq_q * a.heads * a.head_dim_v);
    if (in.flag()) a.lse = of.list(a.batch * a.heads * a.seq_q);
    if (in.flag()) a.counts_q = of.integers(in, a.batch, 10);
    if (in.flag()) a.counts_k = of.integers(in, a.batch, 40);
    if (in.flag()) a.starts_k = of.integers(in, a.batch, 40);
    if (in.flag()) a.alibi_stride = in.flag() ? a.heads : 0, a.alibi = of.list(a.batch * a.heads + a.heads);
    if (in.flag()) a.sink = of.list(a.heads);
    if (in.flag()) a.bias = of.list(a.batch * a.heads * a.seq_q * a.seq_k);
    if (in.flag()) a.check_indices = int(in.size(2)) - 1;
    attempt(in, fade_attention, a, in.byte() % 8 == 0);
}

/// Appends whose lengths and tables are any numbers.
void append(numbers& in) {
    memory of;
    auto a = made(fade_append_init);
    a.batch = in.size(3), a.kv_heads = 1 + in.size(1), a.heads = in.size(2), a.new_positions = in.size(5);
    a.head_dim = 1 + in.size(16), a.rotary_dim = in.flag() ? a.head_dim / 2 * 2 : 0;
    a.capacity = a.new_positions + in.size(20), a.interleaved = in.flag();
    const bool paged = in.flag();
    if (paged) {
        a.page_size = 1 + in.size(8), a.table_width = (a.capacity + a.page_size - 1) / a.page_size;
        a.page_count = 1 + in.size(9);
        a.block_table = of.integers(in, a.batch * a.table_width, int(a.page_count));
    }
    const std::int64_t kept = paged ? a.page_count * a.page_size : a.batch * a.capacity,
                       fresh = a.batch * a.new_positions * a.head_dim;
    a.new_k = of.list(fresh * a.kv_heads), a.new_v = of.list(fresh * a.kv_heads);
    a.k = of.list(kept * a.kv_heads * a.head_dim), a.v = of.list(kept * a.kv_heads * a.head_dim);
    if (a.heads) a.q = of.list(fresh * a.heads), a.q_out = of.list(fresh * a.heads);
    if (a.rotary_dim)
        a.cos = of.list(a.capacity * a.rotary_dim / 2), a.sin = of.list(a.capacity * a.rotary_dim / 2);
    if (in.flag()) a.cache_lengths = of.integers(in, a.batch, 20);
    attempt(in, fade_append_kv, a, in.byte() % 8 == 0);
}

/// Rotations whose positions are any numbers.
void turn(numbers& in) {
    memory of;
    auto a = made(fade_rotary_init);
    a.tokens = in.size(9), a.heads = in.size(3), a.head_dim = 2 * in.size(9), a.capacity = in.size(20);
    a.rotary_dim = a.head_dim, a.interleaved = in.flag();
    a.x = of.list(a.tokens * a.heads * a.head_dim), a.y = of.list(a.tokens * a.heads * a.head_dim);
    a.cos = of.list(a.capacity * a.rotary_dim / 2), a.sin = of.list(a.capacity * a.rotary_dim / 2);
    if (in.flag()) a.positions = of.integers(in, a.tokens, 20);
    attempt(in, in.flag() ? fade_rotary : fade_rotary_gradient, a, in.byte() % 8 == 0);
}

/// Segments and selections whose offsets and flags are any numbers.
void walk_lists(numbers& in) {
    memory of;
    auto r = made(fade_reduce_list_init);
    r.op = int(in.size(3)), r.count = in.size(60), r.segments = in.size(9);
    r.offsets = of.integers(in, r.segments + 1, 60), r.x = of.list(r.count), r.out = of.list(r.segments);
    attempt(in, fade_segmented_reduce, r, in.byte() % 8 == 0);
    auto s = made(fade_select_init);
    auto* flags = of.list<std::uint8_t>(r.count);
    for (std::int64_t i = 0; i < r.count; ++i) flags[i] = in.byte();
    s.count = r.count, s.x = r.x, s.flags = flags, s.out = of.list(r.count), s.selected = of.list<int>(1);
    attempt(in, fade_select, s, in.byte() % 8 == 0);
    auto t = made(fade_list_top_k_init);
    t.count = r.count, t.k = in.size(70), t.x = r.x, t.values = of.list(t.k), t.places = of.list<int>(t.k);
    attempt(in, fade_list_top_k, t, in.byte() % 8 == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    numbers in(data, size);
    switch (in.byte() % 16) {
    case 0:
        return any_words(in, fade_attention_init, fade_attention), 0;
    case 1:
        return any_words(in, fade_append_init, fade_append_kv), 0;
    case 2:
        return any_words(in, fade_rotary_init, in.flag() ? fade_rotary : fade_rotary_gradient), 0;
    case 3:
        return any_words(in, fade_sort_init, in.flag() ? fade_sort : fade_sort_pairs), 0;
    case 4:
        return any_words(in, fade_histogram_init, fade_histogram), 0;
    case 5:
        return any_words(in, fade_gemm_init, fade_gemm), 0;
    case 6:
        return any_words(in, fade_quantize_init, fade_quantize), 0;
    case 7:
        return any_words(in, fade_softmax_init, in.flag() ? fade_softmax : fade_log_softmax), 0;
    case 8:
        return any_words(in, fade_cross_entropy_init, fade_cross_entropy), 0;
    case 9:
        return any_words(in, fade_reduce_init, in.flag() ? fade_sum : fade_max), 0;
    case 10:
        return any_words(in, fade_top_k_init, fade_top_k), 0;
    case 11:
        return append(in), 0;
    case 12:
        return turn(in), 0;
    case 13:
        return walk_lists(in), 0;
    default:
        return attend(in), 0;
    }
}
