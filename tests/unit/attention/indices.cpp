// Block tables whose numbers are of no page: their keys are hidden, nothing beyond the pages is read, and who
// asks is told which entry is wrong.
#include "common/attention_refusal.hpp"
#include "common/attention_suite.hpp"
#include "common/some_kernels.hpp"

using namespace fade;

namespace {

/// A torn case whose pool lies between two pages of NaN, as do the pages that nobody names.
template <class T>
struct torn_pages {
    test::attention_data<T> x;
    std::vector<T> k, v;

    explicit torn_pages(const test::attention_case& c)
        : x(c), k(between_poison(x.k, x.problem.k_strides.batch)),
          v(between_poison(x.v, x.problem.v_strides.batch)) {
        for (std::size_t i = 0; i < x.table.size(); ++i)
            if (x.table[i] != x.pages[i])
                poison_page(k, x.pages[i], x.problem.k_strides.batch),
                    poison_page(v, x.pages[i], x.problem.v_strides.batch);
    }
    attention_operands<T> operands() {
        attention_operands<T> o = x.operands();
        o.k = k.data() + x.problem.k_strides.batch, o.v = v.data() + x.problem.v_strides.batch;
        return o;
    }

private:
    static std::vector<T> between_poison(const std::vector<T>& x, fade::index page) {
        std::vector<T> out(x.size() + 2 * std::size_t(page), test::nearest<T>(std::nan("")));
        std::copy(x.begin(), x.end(), out.begin() + page);
        return out;
    }
    static void poison_page(std::vector<T>& of, int page, fade::index elements) {
        std::fill_n(of.begin() + (page + 1) * elements, elements, test::nearest<T>(std::nan("")));
    }
};

/// A random problem in pages, with few queries or many.
test::attention_case draw_paged(int max_dim) {
    test::attention_case c = test::draw_attention(max_dim, *rc::gen::inRange(0, 3) == 0);
    attention_problem& p = c.problem;
    c.lengths_q.clear(), c.lengths_k.clear(), c.padding = 0, c.scales = false, c.torn = true;
    p.seq_q = *rc::gen::element(1, 3, 130), p.seq_k = *rc::gen::inRange(1, 200);
    p.page_size = *rc::gen::element(1, 5, 16, 64);
    if (*rc::gen::arbitrary<bool>())
        for (fade::index b = 0; b < p.batch; ++b)
            c.lengths_k.push_back(*rc::gen::inRange(0, int(p.seq_k) + 1));
    return c;
}

template <class T, class Device>
void torn_suite(Device& device, int max_dim, int times) {
    test::holds(device.name() + " with pages that are missing", times, [&] {
        const test::attention_case c = draw_paged(max_dim);
        torn_pages<T> torn(c);
        const attention_options options{
            .split_kv = std::is_same_v<Device, host_device> ? 0 : *rc::gen::element(0, 0, 1, 3)};
        attention<T>(device, torn.x.problem, torn.operands(), options);
        test::must_be_right(c, wrong_with(torn.x));
    });
}

/// Two sequences of 40 keys in pages of 16; `spoil` changes operands, lists or options.
struct two_sequences {
    std::vector<float> q = std::vector<float>(2 * 64, 1.0f), k = std::vector<float>(6 * 16 * 64, 1.0f),
                       o = std::vector<float>(2 * 64, test::poison<float>());
    std::vector<int> table{0, 1, 2, 3, 4, 5}, counts{40, 33}, begins{0, 40, 73}, starts{0, 0};
    attention_problem problem{
        .batch = 2, .seq_q = 1, .seq_k = 40, .head_dim = 64, .page_size = 16, .page_count = 6};
    attention_operands<float> operands{
        .q = q.data(), .k = k.data(), .v = k.data(), .o = o.data(), .block_table = table.data()};
    attention_options options{.check_indices = true};
};

template <class Device, class Spoil>
test::refusal said(Device& device, Spoil spoil) {
    two_sequences call;
    spoil(call);
    test::refusal out =
        test::caught([&] { attention<float>(device, call.problem, call.operands, call.options); });
    out.wrote = !test::is_poison(call.o[0]);
    return out;
}

template <class Device>
void names_what_is_wrong(Device& device) {
    const auto refused = [&](const char* argument, const char* value, const char* words, auto spoil) {
        test::check_refusal(said(device, spoil), argument, value, words);
    };
    CHECK(said(device, [](auto&) {}).sentence == "");
    refused("block_table[1][2]", "6", "page_count is 6", [](auto& c) { c.table[5] = 6; });
    refused("block_table[0][0]", "-1", "page_count is 6", [](auto& c) { c.table[0] = -1; });
    refused("block_table[0][0]", "-7", "count from 0",
            [](auto& c) { c.table[0] = -7, c.problem.page_count = 0; });
    refused("counts_k[1]", "41", "seq_k is 40",
            [](auto& c) { c.counts[1] = 41, c.operands.counts_k = c.counts.data(); });
    refused("counts_k[0]", "-1", "0 positions or more",
            [](auto& c) { c.counts[0] = -1, c.operands.counts_k = c.counts.data(); });
    refused("lengths_k[2]", "81", "41 positions of sequence 1",
            [](auto& c) { c.begins[2] = 81, c.operands.lengths_k = c.begins.data(); });
    refused("lengths_q[1]", "2", "seq_q is 1",
            [](auto& c) { c.begins = {0, 2, 2}, c.operands.lengths_q = c.begins.data(); });
    refused("lengths_q[0]", "-1", "before the tensor",
            [](auto& c) { c.begins = {-1, 0, 1}, c.operands.lengths_q = c.begins.data(); });
    refused("starts_k[1]", "41", "between 0 and seq_k (40)",
            [](auto& c) { c.starts[1] = 41, c.operands.starts_k = c.starts.data(); });
    refused("starts_k[0]", "-1", "between 0 and seq_k",
            [](auto& c) { c.starts[0] = -1, c.operands.starts_k = c.starts.data(); });
    // What lengths and first keys do not reach is not looked at, and paged keys begin nowhere.
    CHECK(said(device, [](auto& c) {
              c.table[0] = -1, c.starts[0] = 16, c.operands.starts_k = c.starts.data();
          }).sentence == "");
    CHECK(said(device, [](auto& c) {
              c.table[5] = -1, c.counts[1] = 32, c.operands.counts_k = c.counts.data();
          }).sentence == "");
    CHECK(said(device, [](auto& c) {
              c.begins = {-100, -60, -27}, c.operands.lengths_k = c.begins.data();
          }).sentence == "");
    // Not asked, the report says it, and what exists is attended to.
    two_sequences call;
    call.table[2] = 17, call.options = {};
    const report told = attention<float>(device, call.problem, call.operands, call.options);
    CHECK(told.why.find("block_table[0][2] is 17, but page_count is 6") != told.why.npos);
    CHECK(call.o[0] == doctest::Approx(1));
    call.options.check_indices = false;
    const report silent = attention<float>(device, call.problem, call.operands, call.options);
    CHECK(silent.why.find("block_table") == silent.why.npos);
}

}  // namespace

TEST_CASE("keys on pages that are missing are hidden, on the host") {
    host_device host;
    torn_suite<float>(host, 100, 60);
    torn_suite<bf16>(host, 100, 20);
}

TEST_CASE("keys on pages that are missing are hidden, emulated") {
    test::some_kernels<arch::gfx942, test::attention_kernels{64, 64, false, true, true}> cdna;
    torn_suite<f16>(cdna, 64, 25);
    test::some_kernels<arch::gfx1100, test::attention_kernels{64, 64, false, true, true}> rdna;
    torn_suite<f16>(rdna, 64, 15);
    test::some_kernels<arch::sm_90a, test::attention_kernels{64, 64, false, true, true}> hopper;
    torn_suite<f16>(hopper, 64, 15);
}

TEST_CASE("who asks is told which index is wrong") {
    host_device host;
    names_what_is_wrong(host);
    test::some_kernels<arch::gfx942, test::attention_kernels{64, 64, false, true, true}> cdna;
    names_what_is_wrong(cdna);
}

TEST_CASE("a count of pages takes pages, and is one") {
    host_device host;
    const auto with = [&](fade::index count, fade::index size) {
        return said(host, [&](auto& c) { c.problem.page_count = count, c.problem.page_size = size; });
    };
    test::check_refusal(with(-1, 16), "page_count", "-1", "number of pages");
    test::check_refusal(with(fade::index(1) << 31, 16), "page_count", "2147483648", "below 2^31 - 1");
    test::check_refusal(with(6, 0), "page_count", "6", "no pages to count");
}
