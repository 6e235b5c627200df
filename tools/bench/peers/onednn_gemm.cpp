// oneDNN on the host.
#include "../../common/refusal.hpp"
#include "../gemm/call.hpp"
#include "../gemm/layout.hpp"
#include "../peer_maker.hpp"
#include <algorithm>
#include <dnnl.hpp>
#include <memory>

namespace fade::bench {
namespace {

using dims = dnnl::memory::dims;

dnnl::memory::data_type type_of(fade::dtype t) {
    using type = dnnl::memory::data_type;
    return t == fade::dtype::f32    ? type::f32
           : t == fade::dtype::bf16 ? type::bf16
           : t == fade::dtype::i8   ? type::s8
                                    : type::s32;
}

/// A matrix of rows x columns, or its transpose; the batch is a dimension only where there is one.
dnnl::memory::desc described(fade::dtype t, index batch, index rows, index columns, index row,
                             bool transposed) {
    dims sizes{batch, rows, columns};
    dims strides = transposed ? dims{columns * row, 1, row} : dims{rows * row, row, 1};
    if (batch == 1) sizes.erase(sizes.begin()), strides.erase(strides.begin());
    return {sizes, type_of(t), strides};
}

dnnl::matmul::primitive_desc chosen(const dnnl::memory::desc& a, const dnnl::memory::desc& b,
                                    const dnnl::memory::desc& d, const dnnl::engine& engine) {
#if DNNL_VERSION_MAJOR >= 3
    return {engine, a, b, d};
#else
    return {dnnl::matmul::desc(a, b, d), engine};
#endif
}

struct operands {
    dnnl::memory a, b, d;
};

/// A primitive, and how the memory of its calls lies.
struct ready {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::memory::desc a, b, d;
    dnnl::matmul primitive;

    ready(const gemm_call& call, const element& e) {
        const gemm_problem& p = call.problem;
        a = described(e.type, p.batch, p.m, p.k, p.lda, turned_a(p.layout));
        b = described(e.type, p.batch, p.k, p.n, p.ldb, turned_b(p.layout));
        d = described(call.out, p.batch, p.m, p.n, p.ldc, false);
        primitive = dnnl::matmul(chosen(a, b, d, engine));
    }

    operands at(const gemm_call& call) const {
        return {{a, engine, const_cast<void*>(call.a)},
                {b, engine, const_cast<void*>(call.b)},
                {d, engine, call.d}};
    }
    void start(const operands& on) {
        primitive.execute(stream, {{DNNL_ARG_SRC, on.a}, {DNNL_ARG_WEIGHTS, on.b}, {DNNL_ARG_DST, on.d}});
    }
};

}  // namespace

extern "C" void fade_bench_gemm_onednn(measured& out, const std::vector<gemm_call>& calls, const element& e) {
    const gemm_problem& p = calls[0].problem;
    if (std::min({p.m, p.n, p.k, p.batch}) == 0)
        throw tools::refusal("--vs is onednn, which is not measured on a problem without work.");
    if (p.alpha != 1) throw tools::refusal("--vs is onednn, which is measured with alpha = 1.");
    try {
        const auto it = std::make_shared<ready>(calls[0], e);
        std::vector<operands> sets;
        for (const gemm_call& call : calls) sets.push_back(it->at(call));
        const auto turn = std::make_shared<in_turn<operands>>(std::move(sets));
        out = {[it, turn] { it->start(turn->next()); }, [it] { it->stream.wait(); }};
    } catch (const dnnl::error& failure) {
        throw tools::refusal(std::string("--vs is onednn, which refuses this problem: ") + failure.what() +
                             ".");
    }
}

}  // namespace fade::bench
