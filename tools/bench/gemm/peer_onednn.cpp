// oneDNN on the host.
#if FADE_PEER_ONEDNN
#include <dnnl.hpp>
#include <algorithm>
#include <memory>
#include "../../common/refusal.hpp"
#include "peer.hpp"

namespace fade::bench {
namespace {

using dims = dnnl::memory::dims;

dnnl::memory::data_type type_of(fade::dtype t) {
    using type = dnnl::memory::data_type;
    return t == fade::dtype::f32 ? type::f32 : t == fade::dtype::bf16 ? type::bf16 : t == fade::dtype::i8 ? type::s8 : type::s32;
}

/// A matrix of rows x columns, or its transpose; the batch is a dimension only where there is one.
dnnl::memory::desc described(fade::dtype t, index batch, index rows, index columns, index row, bool transposed) {
    dims sizes{batch, rows, columns};
    dims strides = transposed ? dims{columns * row, 1, row} : dims{rows * row, row, 1};
    if (batch == 1) sizes.erase(sizes.begin()), strides.erase(strides.begin());
    return {sizes, type_of(t), strides};
}

dnnl::matmul::primitive_desc chosen(const dnnl::memory::desc& a, const dnnl::memory::desc& b, const dnnl::memory::desc& d, const dnnl::engine& engine) {
#if DNNL_VERSION_MAJOR >= 3
    return {engine, a, b, d};
#else
    return {dnnl::matmul::desc(a, b, d), engine};
#endif
}

/// A primitive with its memory.
struct ready {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::matmul primitive;
    dnnl::memory a, b, d;

    ready(const gemm_call& call, const element& e) {
        const gemm_problem& p = call.problem;
        const auto at = described(e.type, p.batch, p.m, p.k, p.lda, a_transposed(p.layout));
        const auto bt = described(e.type, p.batch, p.k, p.n, p.ldb, b_transposed(p.layout));
        const auto dt = described(call.out, p.batch, p.m, p.n, p.ldc, false);
        primitive = dnnl::matmul(chosen(at, bt, dt, engine));
        a = {at, engine, const_cast<void*>(call.a)}, b = {bt, engine, const_cast<void*>(call.b)}, d = {dt, engine, call.d};
    }

    void start() { primitive.execute(stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, d}}); }
};

measured prepare(const gemm_call& call, const element& e) {
    const gemm_problem& p = call.problem;
    if (std::min({p.m, p.n, p.k, p.batch}) == 0) throw tools::refusal("--vs is onednn, which is not measured on a problem without work.");
    if (p.alpha != 1) throw tools::refusal("--vs is onednn, which is measured with alpha = 1.");
    try {
        const auto it = std::make_shared<ready>(call, e);
        return {[it] { it->start(); }, [it] { it->stream.wait(); }};
    } catch (const dnnl::error& failure) {
        throw tools::refusal(std::string("--vs is onednn, which refuses this problem: ") + failure.what() + ".");
    }
}

const add_peer<gemm_call> added({"onednn", "host", {fade::dtype::f32, fade::dtype::bf16, fade::dtype::i8}, prepare});

}  // namespace
}  // namespace fade::bench
#endif
