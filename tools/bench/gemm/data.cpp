#include "data.hpp"
#include "../inputs.hpp"
#include "layout.hpp"
#include <algorithm>
#include <cmath>

namespace fade::bench {
namespace {

/// The call for a request; `address(name)` says where a matrix lies.
template <class Address>
gemm_call call_with(const gemm_request& r, const gemm_problem& p, const Address& address) {
    gemm_call call{.problem = p, .out = r.out->type, .split_k = r.split_k, .strict = r.strict};
    call.a = address("a"), call.b = address("b"), call.d = address("d");
    if (p.beta != 0) call.c = address("c");
    for (const stage* s : r.epilogue) {
        const bool reads = s->operand != stage_operand::none, whole = s->operand == stage_operand::output;
        call.epilogue.push_back(
            {s, reads ? address(s->name) : nullptr, whole ? p.n : 0, whole ? p.m * p.n : 0});
    }
    return call;
}

matrix operand_of(const stage& s, const gemm_request& r, const gemm_problem& p) {
    const std::string name(s.name);
    if (s.operand == stage_operand::column) return packed(name, r.out, 1, 1, p.n);
    if (s.operand == stage_operand::row) return packed(name, r.out, 1, 1, p.m);
    return packed(name, r.out, p.batch, p.m, p.n);
}

matrix with_rows_of(index row, matrix m) {
    m.row = row;
    return m;
}

}  // namespace

std::vector<matrix> matrices_of(const gemm_request& r, const gemm_problem& p) {
    const bool at = turned_a(p.layout), bt = turned_b(p.layout);
    std::vector<matrix> out = {
        with_rows_of(p.lda, packed("a", r.in, p.batch, at ? p.k : p.m, at ? p.m : p.k)),
        with_rows_of(p.ldb, packed("b", r.in, p.batch, bt ? p.n : p.k, bt ? p.k : p.n))};
    out[0].scale = out[1].scale = std::pow(std::max(1.0, double(p.k)), -0.25);
    if (p.beta != 0) out.push_back(with_rows_of(p.ldc, packed("c", r.out, p.batch, p.m, p.n)));
    out.push_back(with_rows_of(p.ldc, packed("d", r.out, p.batch, p.m, p.n)));
    out.back().written = true;
    for (const stage* s : r.epilogue) {
        const bool known = std::ranges::count(out, s->name, &matrix::name) > 0;
        if (s->operand != stage_operand::none && !known) out.push_back(operand_of(*s, r, p));
    }
    return out;
}

gemm_data::gemm_data(const gemm_request& r, const gemm_problem& p, index group) {
    for (matrix& m : matrices_of(r, p)) {
        const buffer& b = buffers_.add(std::move(m));
        if (!b.shape().written) fill(b, r.seed, group);
    }
    call_ = call_with(r, p, [&](std::string_view name) { return buffers_.address(name); });
}

gemm_call call_without_memory(const gemm_request& r, const gemm_problem& p) {
    std::uintptr_t next = 0;
    const auto address = [&](std::string_view) {
        return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 58);  // beyond any machine's memory
    };
    return call_with(r, p, address);
}

}  // namespace fade::bench
