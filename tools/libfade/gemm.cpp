// fade_gemm: products of operands of one type or of two, and the sums of their results behind them.
#include "call.hpp"
#include "instances/gemm_problem.hpp"
#include <fade/kernel/gemm/check.hpp>

namespace fade::c {
namespace {

constexpr bool is_float8_type(fade_dtype t) { return t >= FADE_F8E4M3; }
constexpr bool is_fnuz_type(fade_dtype t) { return t >= FADE_F8E4M3FNUZ; }

void check_pair(const fade_gemm_args& g) {
    require_dtype(g.in, "in"), require_dtype(g.in_b, "in_b");
    const bool held =
        is_float8_type(g.in) && is_float8_type(g.in_b) && is_fnuz_type(g.in) == is_fnuz_type(g.in_b);
    if (kernels_of(g, operation::gemm) == operation::gemm_of_pairs && !held)
        throw error(
            "in_b", name(dtype(g.in_b)),
            std::string("A has ") + name(dtype(g.in)) +
                ": the operands of a product have two types only where both are 8-bit floats of one kind, "
                "OCP's or FNUZ");
}

/// The matrices of a call, with leading dimensions and strides in the problem.
struct product_memory {
    gemm_problem p;
    index columns;  ///< of D

    explicit product_memory(const fade_gemm_args& g) : p(problem_of(g)) {
        int joined = 1;
        for (int i = 0; i < g.stage_count; ++i)
            if (g.stages[i].kind >= FADE_SWIGLU) joined = 2;
        p = kernel::checked(p, joined), columns = p.n / joined;
    }
    byte_range range(const char* name, const void* at, fade_dtype type, index rows, index width, index ld,
                     index stride) const {
        if (rows == 0 || width == 0 || p.batch == 0) return bytes_from(at, 0);
        const int bytes = bytes_of(dtype(type));
        return bytes_from(at,
                          wide_index(kernel::span_of(name, rows, width, ld, p.batch, stride, bytes)) * bytes);
    }
};

/// One of the sums of a product as the call that makes it.
struct asked_sum {
    const char* name;
    fade_reduce_args call;

    asked_sum(const fade_gemm_args& g, const product_memory& m, bool of_columns)
        : name(of_columns ? "column_sums" : "row_sums"), call(defaults<fade_reduce_args>) {
        call.in = g.out, call.out = g.sums, call.of_columns = of_columns;
        call.rows = m.p.batch * m.p.m, call.columns = m.columns, call.x_stride = m.p.ldd;
        call.x = g.d, call.values = of_columns ? g.column_sums : g.row_sums;
    }
    byte_range bytes() const {
        const index values = call.of_columns ? call.columns : call.rows;
        return bytes_from(call.values, wide_index(values) * bytes_of(dtype(call.out)));
    }
    void refuse(const char* other, const byte_range& memory) const {
        if (bytes().overlaps(memory))
            throw error(name, std::string("overlapping ") + other,
                        "sums may lie neither in an operand nor in the result");
    }
    /// Refuses what a product with sums cannot be.
    void check(const fade_gemm_args& g, const product_memory& m) const {
        const gemm_problem& p = m.p;
        if (p.batch > 1 && p.m > 0 && p.n > 0 && p.stride_d != wide_index(p.m) * p.ldd)
            throw error("stride_d", std::to_string(p.stride_d),
                        std::string(name) +
                            " takes the rows of a batch as those of one matrix, so it must be m * ldd");
        const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
        const fade_dtype in_b = g.in_b ? g.in_b : g.in;
        refuse("d", m.range("d", g.d, g.out, p.m, m.columns, p.ldd, p.stride_d));
        refuse("a", m.range("a", g.a, g.in, ta ? p.k : p.m, ta ? p.m : p.k, p.lda, p.stride_a));
        refuse("b", m.range("b", g.b, in_b, tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, p.stride_b));
        if (g.beta != 0) refuse("c", m.range("c", g.c, g.out, p.m, p.n, p.ldc, p.stride_c));
    }
};

/// A product and, behind it, the sums that are wanted: the same launches as of row_sums() and column_sums().
/// Sums are planned before anything runs, so that what they refuse is refused with nothing written.
outcome with_sums(fade_device& on, const fade_gemm_args& g, caller product, void* device, const manner& how) {
    const product_memory memory(g);
    std::vector<asked_sum> sums;
    if (g.row_sums) sums.emplace_back(g, memory, false);
    if (g.column_sums) sums.emplace_back(g, memory, true);
    if (sums.size() == 2 && sums[0].bytes().overlaps(sums[1].bytes()))
        throw error("column_sums", "overlapping other sums", "each sum needs memory of its own");
    const caller sum = found(on, operation::sum, g.out, g.sums);
    manner planned = how;
    planned.plans = true, planned.tuned = nullptr;
    std::vector<outcome> plans;
    for (const asked_sum& s : sums) {
        s.check(g, memory);
        plans.push_back(sum(device, &s.call, planned));
        if (const std::size_t bytes = plans.back().workspace_bytes;
            !how.plans && how.workspace && bytes > how.workspace_bytes)
            throw error("workspace_bytes", std::to_string(how.workspace_bytes),
                        std::string(s.name) + " needs " + std::to_string(bytes) + " bytes of device memory");
    }
    outcome out = product(device, &g, how);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        outcome one = how.plans ? std::move(plans[i]) : sum(device, &sums[i].call, how);
        out.report.requested += std::string(", ") + sums[i].name;
        out.report.chosen += ", then " + one.report.chosen;
        out.report.why += "; sums of D are launches of their own: " + one.report.why;
        out.report.fallback = out.report.fallback || one.report.fallback;
        out.workspace_bytes = std::max(out.workspace_bytes, one.workspace_bytes);
        for (planned_launch& l : one.launches) out.launches.push_back(std::move(l));
    }
    return out;
}

}  // namespace

template <>
void check_fields(const fade_gemm_args& g, operation) {
    require_one_of(g.layout, 4, "layout", "a fade_layout is one of FADE_NN, FADE_NT, FADE_TN and FADE_TT");
    require_dtype(g.sums, "sums"), check_pair(g);
    check_stages(g.stages, g.stage_count, 1);
}

template <>
outcome run(fade_device& on, const fade_gemm_args& g, caller product, void* device, const manner& how) {
    if (!g.row_sums && !g.column_sums) return product(device, &g, how);
    return with_sums(on, g, product, device, how);
}

template <>
void check_find(const fade_gemm_args& g) {
    if (g.row_sums || g.column_sums)
        throw error(g.row_sums ? "row_sums" : "column_sums", "given",
                    "a find times the product alone: let it be null, and ask the database in the call");
}

}  // namespace fade::c

FADE_C_CALL(fade_gemm, fade_gemm_args, gemm)
