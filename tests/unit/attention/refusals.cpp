// What an attention refuses: which argument, which value, which rule; and that it wrote nothing.
#include "common/attention_refusal.hpp"
#include "common/some_kernels.hpp"
#include <cmath>

using namespace fade;

namespace {

constexpr fade::index lowest = std::numeric_limits<fade::index>::min(),
                      highest = std::numeric_limits<fade::index>::max();

template <class Spoil>
test::refusal said(Spoil spoil) {
    host_device cpu(1);
    return test::attention_refusal_of<float>(cpu, spoil);
}

/// One field of the problem set to values that it cannot have.
template <class Value>
void refuses(const char* name, Value attention_problem::* field, std::initializer_list<Value> values,
             const std::string& words) {
    for (const Value value : values) {
        INFO(name, " = ", value);
        test::check_refusal(said([&](auto& call) { call.problem.*field = value; }), name,
                            std::to_string(value), words);
    }
}

using one_stride = fade::index attention_strides::*;
void refuses_stride(const char* name, attention_strides attention_problem::* strides, one_stride which,
                    fade::index value, const std::string& words) {
    const auto r =
        said([&](auto& call) { call.problem.*strides = {64, 16, 8}, call.problem.*strides.*which = value; });
    test::check_refusal(r, name, std::to_string(value), words);
}

}  // namespace

TEST_CASE("the call that the others spoil is none that is refused, and it writes") {
    const auto r = said([](auto&) {});
    CHECK(r.sentence == "");
    CHECK(r.wrote);
}

TEST_CASE("slopes of each sequence, and first keys") {
    static const float slopes[4]{};
    static const int starts[1]{};
    const auto with = [](fade::index stride) {
        return said([&](auto& call) { call.problem.alibi_stride = stride, call.operands.alibi = slopes; });
    };
    CHECK(with(2).sentence == "");
    for (const fade::index stride : {fade::index(-1), fade::index(1) << 20, lowest, highest})
        test::check_refusal(with(stride), "alibi_stride", std::to_string(stride), "0 to 2^20 - 1");
    test::check_refusal(said([](auto& call) { call.problem.alibi_stride = 2; }), "alibi_stride", "2",
                        "alibi is null");
    test::check_refusal(said([](auto& call) { call.operands.starts_k = starts, call.problem.dropout = 0.5; }),
                        "starts_k", "given", "four keys at a time");
}

TEST_CASE("sizes of an attention") {
    refuses("batch", &attention_problem::batch, {fade::index(-1), fade::index(65536), lowest, highest},
            "between 0 and 65535");
    refuses("heads", &attention_problem::heads, {fade::index(-1), fade::index(65536), lowest, highest},
            "between 0 and 65535");
    refuses("kv_heads", &attention_problem::kv_heads, {fade::index(-1), lowest}, "positive");
    refuses("kv_heads", &attention_problem::kv_heads, {fade::index(3), fade::index(4), highest},
            "heads (2) must be a multiple");
    refuses("seq_q", &attention_problem::seq_q, {fade::index(-1), fade::index(1) << 30, lowest, highest},
            "between 0 and 2^30 - 1");
    refuses("seq_k", &attention_problem::seq_k, {fade::index(-1), fade::index(1) << 30, lowest, highest},
            "between 0 and 2^30 - 1");
    refuses("head_dim", &attention_problem::head_dim,
            {fade::index(-1), fade::index(0), fade::index(513), lowest, highest}, "between 1 and 512");
    refuses("head_dim_v", &attention_problem::head_dim_v,
            {fade::index(-1), fade::index(513), lowest, highest}, "between 1 and 512");
    refuses("page_size", &attention_problem::page_size,
            {fade::index(-1), fade::index(1) << 30, lowest, highest}, "number of positions");
}

TEST_CASE("rules of an attention") {
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    refuses("scale", &attention_problem::scale, {nan, infinity, -infinity}, "finite");
    refuses("softcap", &attention_problem::softcap, {-1.0, nan, infinity}, "positive and finite");
    refuses("dropout", &attention_problem::dropout, {-0.1, 1.0, 2.0, nan, infinity},
            "at least 0 and below 1");
    refuses("window_left", &attention_problem::window_left, {fade::index(-2), lowest}, "-1 for all");
    refuses("window_right", &attention_problem::window_right, {fade::index(-2), lowest}, "-1 for all");
}

TEST_CASE("strides of an attention") {
    const std::pair<const char*, attention_strides attention_problem::*> all[] = {
        {"q_strides", &attention_problem::q_strides},
        {"k_strides", &attention_problem::k_strides},
        {"v_strides", &attention_problem::v_strides},
        {"o_strides", &attention_problem::o_strides}};
    for (const auto& [name, strides] : all) {
        refuses_stride(name, strides, &attention_strides::batch, -1, "batch stride");
        for (const fade::index value : {fade::index(-1), fade::index(1) << 31}) {
            refuses_stride(name, strides, &attention_strides::position, value, "position stride");
            refuses_stride(name, strides, &attention_strides::head, value, "head stride");
        }
    }
}

TEST_CASE("strides of a bias, and splits of keys") {
    for (fade::index attention_bias_strides::* which :
         {&attention_bias_strides::batch, &attention_bias_strides::head, &attention_bias_strides::query})
        test::check_refusal(said([=](auto& call) { call.problem.bias_strides.*which = -2; }), "bias_strides",
                            "-2", "-1 for a packed bias");
    for (const int splits : {-1, 4097})
        test::check_refusal(said([=](auto& call) { call.options.split_kv = splits; }), "split_kv",
                            std::to_string(splits), "between 1 and 4096");
    test::check_refusal(said([](auto& call) { call.options.split_kv = 2; }), "split_kv", "2", "on this CPU");
    CHECK(said([](auto& call) { call.options.split_kv = 1; }).sentence == "");
    test::some_kernels<arch::gfx942, {64, 64}> device({.threads = 1});
    const auto little = test::attention_refusal_of<f16>(device, [](auto& call) {
        call.problem.seq_k = 60, call.options = {.split_kv = 2, .workspace = &call, .workspace_bytes = 64};
    });
    test::check_refusal(little, "workspace_bytes", "64", "sharing keys among workgroups needs 640");
    alignas(16) static std::byte memory[656];
    const auto amid = test::attention_refusal_of<f16>(device, [](auto& call) {
        call.problem.seq_k = 60,
        call.options = {.split_kv = 2, .workspace = memory + 8, .workspace_bytes = 648};
    });
    test::check_refusal(amid, "workspace", "at an address that is no multiple of 16", "16 bytes at a time");
}

TEST_CASE("tensors of 2^62 bytes and more") {
    const auto far = [](attention_strides attention_problem::* strides) {
        return [=](auto& call) {
            call.problem.batch = 3, call.problem.*strides = {fade::index(1) << 61, 16, 8};
        };
    };
    test::check_refusal(said(far(&attention_problem::q_strides)), "q", "4",
                        "tensor q must span fewer than 2^62 bytes");
    test::check_refusal(said(far(&attention_problem::o_strides)), "o", "4", "tensor o");
    test::check_refusal(said(far(&attention_problem::k_strides)), "k", "6", "tensor k");
    test::check_refusal(said(far(&attention_problem::v_strides)), "v", "6", "tensor v");
}

TEST_CASE("memory that an attention reads or writes exists") {
    test::check_refusal(said([](auto& call) { call.operands.o = nullptr; }), "o", "null", "memory");
    test::check_refusal(said([](auto& call) { call.operands.q = nullptr; }), "q", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.q = nullptr, call.problem.seq_k = 0; }), "q",
                        "null", "no keys");
    test::check_refusal(said([](auto& call) { call.operands.k = nullptr; }), "k", "null", "read");
    test::check_refusal(said([](auto& call) { call.operands.v = nullptr; }), "v", "null", "read");
    test::check_refusal(said([](auto& call) { call.problem.page_size = 2; }), "block_table", "null",
                        "with pages");
    test::check_refusal(said([](auto& call) { call.operands.block_table = call.table; }), "block_table",
                        "given", "page_size is 0");
    const auto narrow = said([](auto& call) {
        call.problem.page_size = 2, call.problem.table_width = 2, call.operands.block_table = call.table;
    });
    test::check_refusal(narrow, "table_width", "2", "needs 3 pages");
}

TEST_CASE("memory that an attention does not touch may be missing") {
    for (fade::index attention_problem::* size :
         {&attention_problem::batch, &attention_problem::heads, &attention_problem::seq_q}) {
        const auto empty = said([&](auto& call) { call.operands = {}, call.problem.*size = 0; });
        CHECK(empty.sentence == "");
        CHECK(!empty.wrote);
    }
    const auto no_keys = [](auto& call) {
        call.operands.k = call.operands.v = nullptr, call.problem.seq_k = 0;
    };
    test::some_kernels<arch::gfx1100, {64, 64}> radeon({.threads = 1});
    for (const auto& r : {said(no_keys), test::attention_refusal_of<float>(radeon, no_keys)}) {
        CHECK(r.sentence == "");
        CHECK(r.wrote);  // zeros
    }
}

TEST_CASE("O lies in no operand of an attention") {
    test::check_refusal(said([](auto& call) { call.operands.q = call.o.data() + 63; }), "o", "overlapping q",
                        "operand");
    test::check_refusal(said([](auto& call) { call.operands.k = call.o.data(); }), "o", "overlapping k",
                        "operand");
    test::check_refusal(said([](auto& call) { call.operands.v = call.o.data() + 1; }), "o", "overlapping v",
                        "operand");
    CHECK(said([](auto& call) { call.operands.q = call.o.data() + 64; }).sentence == "");
}

TEST_CASE("rows of O lie apart, in any order of positions, heads and sequences") {
    const auto with = [](attention_strides strides) {
        return said([=](auto& call) { call.problem.batch = 2, call.problem.o_strides = strides; });
    };
    test::check_refusal(with({64, 0, 8}), "o_strides", "0", "may not overlap");
    test::check_refusal(with({64, 16, 7}), "o_strides", "7", "spans 8 elements");
    test::check_refusal(with({64, 15, 8}), "o_strides", "15", "spans 16 elements");
    test::check_refusal(with({63, 16, 8}), "o_strides", "63", "spans 64 elements");
    for (const attention_strides& strides :
         {attention_strides{64, 16, 8}, {64, 8, 32}, {8, 32, 16}, {8, 16, 64}})
        CHECK(with(strides).sentence == "");
}

TEST_CASE("positions so far apart that a tile spans 2 GiB, where offsets have 32 bits") {
    test::some_kernels<arch::gfx942, {64, 64}> device({.threads = 1});
    const auto far = [](attention_strides attention_problem::* strides) {
        return [=](auto& call) {
            call.problem.*strides = {0, fade::index(1) << 26, 8};
            const auto at = [](int bit) {
                return reinterpret_cast<f16*>(std::uintptr_t(1) << bit);
            };  // never followed
            call.operands = {.q = at(45), .k = at(12), .v = at(12), .o = at(50)};
        };
    };
    const std::string stride = std::to_string(1 << 26);
    test::check_refusal(test::attention_refusal_of<f16>(device, far(&attention_problem::q_strides)),
                        "q_strides", stride, "the 128 positions that a tile touches must lie within 2 GiB");
    test::check_refusal(test::attention_refusal_of<f16>(device, far(&attention_problem::k_strides)),
                        "k_strides", stride, "the 128 positions");
    test::check_refusal(test::attention_refusal_of<f16>(device, far(&attention_problem::v_strides)),
                        "v_strides", stride, "within 2 GiB");
    test::check_refusal(test::attention_refusal_of<f16>(device, far(&attention_problem::o_strides)),
                        "o_strides", stride, "within 2 GiB");
}

TEST_CASE("strict mode refuses copies; without it the report tells of them") {
    test::some_kernels<arch::gfx942, {64, 64}> device({.threads = 1});
    const auto odd = [](bool strict) {
        return [=](auto& call) { call.problem.q_strides = {68, 17, 8}, call.options.strict = strict; };
    };
    test::check_refusal(test::attention_refusal_of<f16>(device, odd(true)), "strict", "set", "fallback: ");
    CHECK(test::attention_refusal_of<f16>(device, [](auto& call) { call.options.strict = true; }).sentence ==
          "");
    test::small_attention<f16> call;
    odd(false)(call);
    const report told = attention<f16>(device, call.problem, call.operands, call.options);
    CHECK(told.fallback);
    CHECK(told.why.find("q lie in no aligned 16-byte runs") != std::string::npos);
}

TEST_CASE("a workspace that is given holds the copies") {
    test::some_kernels<arch::gfx942, {64, 64}> device({.threads = 1});
    alignas(16) f16 little[8];
    const auto r = test::attention_refusal_of<f16>(device, [&](auto& call) {
        call.problem.q_strides = {68, 17, 8},
        call.options = {.workspace = little, .workspace_bytes = sizeof little};
    });
    test::check_refusal(r, "workspace_bytes", "16", "copies of q need " + std::to_string(4 * 2 * 8 * 2));
    const auto huge = test::attention_refusal_of<f16>(device, [](auto& call) {
        call.problem = {.batch = 65535,
                        .heads = 1000,
                        .seq_q = 1000,
                        .seq_k = (fade::index(1) << 30) - 1,
                        .head_dim = 256,
                        .page_size = 16};
        const auto at = [](int bit) {
            return reinterpret_cast<f16*>(std::uintptr_t(1) << bit);
        };  // never followed
        call.operands = {.q = at(45), .k = at(12), .v = at(12), .o = at(55), .block_table = call.table};
    });
    test::check_refusal(huge, "seq_k", std::to_string((fade::index(1) << 30) - 1), "fit no memory");
}

namespace {

/// A device that learns its architecture at run time, and learns of one that multiplies f16 alone.
struct f16_alone {
    static constexpr arch::arch_traits traits = arch::gfx942::traits;
    using atoms = arch::atom_list<arch::takes<f16, arch::gfx942::atom<f16>>>;
};
struct f16_device {
    template <class F>
    void with_arch(F f) const {
        f(f16_alone{});
    }
};

}  // namespace

TEST_CASE("a type that the device's architecture does not multiply") {
    f16_device device;
    test::small_attention<float> call;
    const auto r = test::caught([&] {
        attention_operation<float, float, f16_device, no_rule>(device, call.problem, call.operands,
                                                               call.options, {});
    });
    test::check_refusal(r, "dtype", "f32", "multiplies no such type");
}
