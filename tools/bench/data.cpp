#include "data.hpp"
#include <algorithm>
#include "hash.hpp"
#include "inputs.hpp"

namespace fade::bench {
namespace {

/// The call for a request; `address(name)` says where a matrix lies.
template <class Address>
gemm_call call_with(const gemm_request& r, const gemm_problem& p, const Address& address) {
    gemm_call call{.problem = p, .split_k = r.split_k, .strict = r.strict};
    call.a = address("a"), call.b = address("b"), call.d = address("d");
    if (p.beta != 0) call.c = address("c");
    for (const stage* s : r.epilogue) {
        const bool reads = s->operand != stage_operand::none, whole = s->operand == stage_operand::output;
        call.epilogue.push_back({s, reads ? address(s->name) : nullptr, whole ? p.n : 0, whole ? p.m * p.n : 0});
    }
    return call;
}

}  // namespace

gemm_data::gemm_data(const gemm_request& r, const gemm_problem& p, index group) {
    for (matrix& m : matrices_of(r, p)) {
        buffers_.emplace_back(std::move(m));
        if (!buffers_.back().shape().written) fill(buffers_.back(), r.seed, group);
    }
    call_ = call_with(r, p, [&](std::string_view name) { return find(name)->data(); });
}

const buffer* gemm_data::find(std::string_view name) const {
    const auto found = std::ranges::find_if(buffers_, [&](const buffer& b) { return b.shape().name == name; });
    return found == buffers_.end() ? nullptr : &*found;
}

std::vector<memory_piece> gemm_data::memory() const {
    std::vector<memory_piece> out;
    for (const buffer& b : buffers_) out.push_back({b.data(), b.shape().bytes(), b.shape().written});
    return out;
}

gemm_call call_without_memory(const gemm_request& r, const gemm_problem& p) {
    std::uintptr_t next = 0;
    const auto address = [&](std::string_view) { return reinterpret_cast<std::byte*>(next += std::uintptr_t(1) << 40); };
    return call_with(r, p, address);
}

std::uint64_t checksum(const buffer& of) {
    const matrix& m = of.shape();
    std::uint64_t state = 0;
    if (m.empty()) return hash_of(nullptr, 0);
    const auto row_bytes = std::size_t(m.columns) * m.type->bytes, step = std::size_t(m.row) * m.type->bytes;
    for (index i = 0; i < m.batch * m.rows; ++i) state = hash_of(of.data() + i * step, row_bytes, state);
    return state;
}

}  // namespace fade::bench
