// Captures a handful of random problems for one architecture: fade-replay-ARCH FOLDER SEED
#include "attention.hpp"
#include "cache.hpp"
#include "common/gemm_edges.hpp"
#include "common/gemm_policy.hpp"
#include "conv.hpp"
#include "gated.hpp"
#include "grouped.hpp"
#include "images.hpp"
#include "moe.hpp"
#include "problems.hpp"
#include "program.hpp"
#include "rows.hpp"
#include "scaled.hpp"
#include "shared_tiles.hpp"
#include "skinny.hpp"
#include "tiles.hpp"
#include "training.hpp"
#include "weights.hpp"

using namespace fade;
using namespace fade::replay;

namespace {

using target_arch = arch::FADE_REPLAY_ARCH;
constexpr bool without_minus_zero = target_arch::traits.name == "gfx942";  // its 8-bit floats are fnuz
using e4m3 = std::conditional_t<without_minus_zero, f8e4m3fnuz, f8e4m3>;
using e5m2 = std::conditional_t<without_minus_zero, f8e5m2fnuz, f8e5m2>;

/// A case for a kernel; sizes are a little more than a tile, so that every edge has a tail.
template <class In>
test::gemm_case random_case(gemm_layout layout, bool large, bool aligned, std::mt19937_64& random) {
    const auto& tile =
        tune::gemm_rows<target_arch, In>::row.of(large ? tune::size_class::large : tune::size_class::small)
            .block_tile;
    const auto extra = [&](fade::index max) {
        return aligned ? fade::index(8 * (1 + random() % std::uint64_t(max / 8)))
                       : fade::index(1 + random() % std::uint64_t(max));
    };
    test::gemm_case c;
    c.problem = {
        .m = tile.m + extra(24), .n = tile.n + extra(24), .k = tile.k + extra(2 * tile.k), .layout = layout};
    test::lay_out(c.problem, aligned ? 8 : 1, aligned ? 16 : 3);
    if (!aligned) c.shift_a = 1, c.shift_b = 3, c.shift_d = 1;
    c.compute_units = large ? 1 : 1 << 20;
    c.seed = random();
    return c;
}

class folder_of_cases {
public:
    folder_of_cases(fs::path at, std::uint64_t seed) : at_(std::move(at)), random_(seed) {}

    void run() {
        half_nt(), bfloat_tn(), single_nn(), medium_tn(), strided(), looked_up(), attentions(), appends(),
            quantisations();
        const capture_target target(std::string(target_arch::traits.name));
        capture_few_rows_and_columns<target_arch>(at_, random_);
        capture_rows(target, at_, random_);
        capture_convs(target, at_, random_);
        capture_algorithms<target_arch>(target);
        capture_optimizers(target, at_, random_);
        capture_grouped(target, at_, random_);
        capture_gates(std::string(target_arch::traits.name), at_, random_);
        capture_stream_k<target_arch>(at_ / "f16-nt-stream-k", random_);
        capture_images(target, at_, random_);
        capture_experts(target, at_, target_arch::traits.wave_size, random_);
        capture_float8<e4m3>(), capture_bytes<i8, i32, operand_access::tn>("i8-tn-large", 4);
        capture_quantised_weights(target, at_, random_);
        capture_flash_attention(target, at_ / "tiles-flash-attention", random_);
    }

private:
    /// With waves of 64 lanes and of 32 once each: what lies around the product is the same everywhere, but
    /// for terms of zero points, which kernels take from sums of their own instructions.
    template <class Arch>
    void capture_algorithms(capture_target target) {
        if constexpr (Arch::traits.name == "gfx942" || Arch::traits.name == "gfx1100")
            capture_convs_by_algorithm<f16>(target, at_, random_);
        else if constexpr (arch::has_atom<Arch, i8>)
            capture_zero_points(target, at_, random_);
    }
    /// Where there is an instruction.
    template <class In>
    void capture_float8() {
        if constexpr (arch::has_atom<target_arch, In>) {
            capture_scaled<In>(std::string(target_arch::traits.name), at_, random_);
            capture_bytes<In, bf16, operand_access::tn>("f8-tn-large", 4);
            capture_bytes<In, bf16, operand_access::nt>("f8-nt-large", 3);
        }
    }
    /// More than a tile, an odd or even number of whole steps behind a partial one; bytes of `tn` are turned.
    template <class In, class Out, operand_access Access>
    void capture_bytes(const std::string& name, int steps) {
        const auto layout = Access == operand_access::tn ? gemm_layout::tn : gemm_layout::nt;
        const test::kernel_choice kernel{layout, true, true, 16};
        const auto& tile = test::policy_of<target_arch, In>(kernel).block_tile;
        auto c = test::case_of(kernel, {tile.m + 16, tile.n, steps * tile.k + 16}, random_());
        if (std::is_integral_v<Out>) test::lay_out(c.problem, 0, 0);  // gaps are NaN, which these have not
        test::gemm_data<In, Out> data(c);
        capture_gemm<only(Access)>(capture_target(std::string(target_arch::traits.name), c.compute_units),
                                   at_ / name, data, epilogue::none{});
    }
    template <gemm_kernels Kernels, class In, class Make>
    void capture_case(const std::string& name, const test::gemm_case& c, Make make) {
        test::gemm_data<In, In> data(c);
        capture_gemm<Kernels>(capture_target(std::string(target_arch::traits.name), c.compute_units),
                              at_ / name, data, make(data));
    }
    static auto residual_of(const auto& data) {
        const auto& from = *data.sources[0];
        return fade::residual(from.data(), from.place().ld, from.place().stride);
    }

    /// Runs of both operands begin at any multiple of 4 bytes.
    static void begin_at_words(test::gemm_case& c) {
        c.problem.lda += 2, c.problem.ldb += 6, c.shift_a = 2, c.shift_b = 4;
    }

    void half_nt() {
        for (const bool large : {true, false}) {
            auto c = random_case<f16>(gemm_layout::nt, large, true, random_);
            c.stages = {{stage_kind::bias}, {stage_kind::gelu}};
            if (!large) begin_at_words(c);
            capture_case<only(operand_access::nt), f16>(
                large ? "f16-nt-large" : "f16-nt-small", c,
                [](const auto& d) { return bias(d.sources[0]->data()) | gelu(); });
        }
        auto c = random_case<f16>(gemm_layout::nt, false, true,
                                  random_);  // an odd number of whole steps, and one alone, partial
        c.problem.m = 24, c.problem.n = 40, c.problem.k = 8;
        test::lay_out(c.problem, 0, 0);
        c.stages = {{stage_kind::bias}, {stage_kind::gelu}};
        capture_case<only(operand_access::nt), f16>(
            "f16-nt-one-step", c, [](const auto& d) { return bias(d.sources[0]->data()) | gelu(); });
    }
    void bfloat_tn() {
        auto c = random_case<bf16>(gemm_layout::tn, true, true, random_);
        c.problem.alpha = -0.5, c.problem.beta = 2, c.stages = {{stage_kind::residual}};
        capture_case<only(operand_access::tn), bf16>("bf16-tn", c,
                                                     [](const auto& d) { return residual_of(d); });
        c.split_k = 2, c.compute_units = 1 << 20, c.in_place = true, c.problem.k += 64, c.seed = random_();
        test::lay_out(c.problem, 8, 0);
        begin_at_words(c);
        capture_case<only(operand_access::tn), bf16>("bf16-tn-split", c,
                                                     [](const auto& d) { return residual_of(d); });
    }
    void single_nn() {
        for (const bool large : {true, false})
            capture_case<only(operand_access::nn), f32>(
                large ? "f32-nn-large" : "f32-nn-small",
                random_case<f32>(gemm_layout::nn, large, true, random_),
                [](const auto&) { return epilogue::none{}; });
    }
    /// Of as many compute units as there are medium tiles, where there are such.
    void medium_tn() {
        constexpr tile_shape t = tune::gemm_rows<target_arch, f16>::row.medium.block_tile;
        if constexpr (t.m > 0) {
            auto c = random_case<f16>(gemm_layout::tn, false, true, random_);
            c.problem.m = t.m + 8, c.problem.n = 2 * t.n - 8, c.problem.k = 3 * t.k + 8;
            test::lay_out(c.problem, 0, 16);
            c.compute_units = 4;
            capture_case<only(operand_access::tn), f16>("f16-tn-medium", c,
                                                        [](const auto&) { return epilogue::none{}; });
        }
    }
    void strided() {
        auto c = random_case<f16>(gemm_layout::tt, false, false, random_);
        c.problem.batch = 2, c.stages = {{stage_kind::residual}};
        capture_case<only(operand_access::strided), f16>("f16-strided", c,
                                                         [](const auto& d) { return residual_of(d); });
    }

    /// Stages that are looked up while the kernel runs: of a large tile, and where k was shared.
    void looked_up() {
        for (const bool large : {true, false}) {
            auto c = random_case<f16>(gemm_layout::nt, large, true, random_);
            c.stages = {
                {stage_kind::bias}, {stage_kind::gelu}, {stage_kind::scale_rows}, {stage_kind::residual}};
            if (!large) c.split_k = 3, c.problem.k += 256, test::lay_out(c.problem, 8, 0);
            capture_case<only(operand_access::nt), f16>(large ? "f16-any-chain" : "f16-any-chain-split", c,
                                                        [](const auto& d) { return d.chain(); });
        }
    }

    void attentions() {
        const auto sizes = [&](fade::index queries, fade::index keys, fade::index head_dim) {
            return test::attention_case{.problem = {.heads = 2,
                                                    .kv_heads = 1,
                                                    .seq_q = queries + fade::index(random_() % 30),
                                                    .seq_k = keys + fade::index(random_() % 30),
                                                    .head_dim = head_dim},
                                        .seed = random_()};
        };
        const auto capture = [&](const char* name, const test::attention_case& c, int splits = 0) {
            capture_attention<f16>(capture_target(std::string(target_arch::traits.name)), at_ / name, c,
                                   splits);
        };
        auto causal = sizes(40, 100, 64), ruled = sizes(20, 90, 128), copied = sizes(0, 0, 63),
             wide = sizes(20, 50, 256);  // fewer queries are decoded
        causal.problem.causal = wide.problem.causal = causal_kind::bottom_right;
        ruled.problem.window_left = 40, ruled.problem.window_right = 5, ruled.problem.softcap = 3,
        ruled.problem.dropout = 0.25, ruled.problem.seed = random_(), ruled.alibi = ruled.sink = true;
        copied.problem.batch = 2, copied.lengths_q = {33, 18}, copied.lengths_k = {70, 21},
        copied.problem.seq_q = 33, copied.problem.seq_k = 70;
        capture("attention-causal", causal), capture("attention-rules", ruled),
            capture("attention-copied", copied), capture("attention-wide", wide);
        // Tiles enough for scores ahead, by the plain kernel; some maximum grows too far for the first tile's
        // to stay.
        auto ahead = sizes(40, 520, 64), moved = sizes(20, 330, 128), moved_64 = sizes(40, 520, 64);
        moved.problem.scale = moved_64.problem.scale = 1;
        capture("attention-ahead", ahead, 1), capture("attention-moved", moved, 1),
            capture("attention-moved-64", moved_64, 1);
        auto decoded = sizes(1, 500, 64), shared = sizes(3, 300, 64);
        decoded.problem.batch = shared.problem.batch = 2, decoded.problem.heads = shared.problem.heads = 4,
        decoded.problem.seq_q = 1, decoded.problem.page_size = 16;
        shared.problem.head_dim_v = 40, shared.problem.causal = causal_kind::bottom_right,
        shared.bias = shared.sink = shared.scales = true;
        shared.lengths_q = {int(shared.problem.seq_q), 2},
        shared.lengths_k = {int(shared.problem.seq_k), 20};  // some shares of the second are empty
        capture("attention-decode-pages", decoded, 3), capture("attention-decode-rules", shared, 4);
        auto grouped = sizes(0, 200, 64);
        grouped.problem.heads = 14, grouped.problem.kv_heads = 2,
        grouped.problem.seq_q = 5 + fade::index(random_() % 12),
        grouped.problem.causal = causal_kind::bottom_right, grouped.problem.page_size = 16;
        grouped.problem.dropout = 0.25, grouped.problem.seed = random_(), grouped.alibi = grouped.sink = true;
        capture("attention-decode-groups", grouped, 2);
        auto torn = sizes(3, 200, 64), counted = sizes(40, 150, 64);  // pages are missing; caches part filled
        torn.problem.batch = counted.problem.batch = 2, torn.problem.page_size = 16, torn.torn = true;
        counted.counted = true, counted.lengths_k = {33, int(counted.problem.seq_k)};
        capture("attention-decode-torn", torn, 2), capture("attention-counted", counted);
        torn.problem.seq_q = 100, torn.problem.causal = causal_kind::bottom_right;
        capture("attention-torn", torn);
        auto spans = sizes(10, 60, 264);  // dimensions pass through shared memory in spans
        spans.problem.causal = causal_kind::bottom_right, spans.problem.head_dim_v = 300, spans.alibi = true;
        capture("attention-decode-spans", spans, 2);
        auto narrow = sizes(40, 520, 128);  // scores ahead
        narrow.scales = true;
        const auto capture_narrow = [&](const char* name, const test::attention_case& c, int splits = 0) {
            capture_attention<e4m3, f16>(capture_target(std::string(target_arch::traits.name)), at_ / name, c,
                                         splits);
        };
        copied.scales = true;
        capture_narrow("attention-f8", narrow), capture_narrow("attention-f8-copied", copied),
            capture_narrow("attention-f8-moved", moved, 1);
    }

    void appends() {
        const capture_target target{std::string(target_arch::traits.name)};
        const auto sizes = [&](fade::index head_dim, fade::index rotary_dim) {
            const fade::index fresh = 7 + fade::index(random_() % 8);
            return test::append_case{.problem = {.batch = 2,
                                                 .heads = 3,
                                                 .kv_heads = 2,
                                                 .new_positions = fresh,
                                                 .capacity = 30,
                                                 .head_dim = head_dim,
                                                 .rotary_dim = rotary_dim},
                                     .held = {int(random_() % 15), int(random_() % 15)},
                                     .seed = random_()};
        };
        auto packed = sizes(64, 48), paged = sizes(37, 36), beyond = sizes(32, 32);
        packed.fresh = {int(packed.problem.new_positions), 3},
        packed.lie = test::arrangement::fused;  // queries turn where they lie
        paged.problem.style = rotary_style::interleaved, paged.problem.page_size = 4, paged.unmapped = true,
        paged.lie = test::arrangement::gaps;
        beyond.held = {-2, 27};  // tokens without a place
        capture_append<f16>(target, at_ / "append-half", packed),
            capture_append<float, bf16>(target, at_ / "append-interleaved-pages", paged),
            capture_append<f16>(target, at_ / "append-beyond", beyond);
    }
    void quantisations() {
        const capture_target target{std::string(target_arch::traits.name)};
        const auto sizes = [&](fade::index head_dim) {
            return test::quantize_case{.problem = {.batch = 2,
                                                   .positions = 33 + fade::index(random_() % 20),
                                                   .heads = 3,
                                                   .head_dim = head_dim},
                                       .specials = true,
                                       .seed = random_()};
        };
        auto whole = sizes(40), heads = sizes(33);
        heads.problem.per_head = true, heads.x = test::lying::gaps, heads.out = test::lying::heads_first,
        heads.spread = 4;
        capture_quantize<e4m3, f16>(target, at_ / "quantize", whole),
            capture_quantize<e5m2, float>(target, at_ / "quantize-heads", heads);
    }

    fs::path at_;
    std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** words) {
    return capture_into_folder(count, words,
                               [](fs::path at, std::uint64_t seed) { folder_of_cases(at, seed).run(); });
}
