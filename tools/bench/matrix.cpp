#include "matrix.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

namespace fade::bench {
namespace {

constexpr std::byte untouched{0xff};

matrix stored(std::string name, const element* type, index batch, index rows, index columns, index row) {
    return {.name = std::move(name), .type = type, .batch = batch, .rows = rows, .columns = columns, .row = row};
}

matrix operand_of(const stage& s, const gemm_request& r, const gemm_problem& p) {
    const std::string name(s.name);
    if (s.operand == stage_operand::column) return stored(name, r.out, 1, 1, p.n, p.n);
    if (s.operand == stage_operand::row) return stored(name, r.out, 1, 1, p.m, p.m);
    return stored(name, r.out, p.batch, p.m, p.n, p.n);
}

index changed(const std::byte* first, const std::byte* last) {
    return index(std::count_if(first, last, [](std::byte b) { return b != untouched; }));
}

}  // namespace

tools::big_size matrix::span() const {
    using tools::big_size;
    if (empty()) return {0};
    const big_size all = big_size{std::uint64_t(batch)} * big_size{std::uint64_t(rows)} * big_size{std::uint64_t(row)};
    return all.value == big_size::most ? all : big_size{all.value - std::uint64_t(row - columns)};
}

std::vector<matrix> matrices_of(const gemm_request& r, const gemm_problem& p) {
    const bool at = a_transposed(p.layout), bt = b_transposed(p.layout);
    std::vector<matrix> out = {stored("a", r.in, p.batch, at ? p.k : p.m, at ? p.m : p.k, p.lda),
                               stored("b", r.in, p.batch, bt ? p.n : p.k, bt ? p.k : p.n, p.ldb)};
    out[0].scale = out[1].scale = std::pow(std::max(1.0, double(p.k)), -0.25);
    if (p.beta != 0) out.push_back(stored("c", r.out, p.batch, p.m, p.n, p.ldc));
    out.push_back(stored("d", r.out, p.batch, p.m, p.n, p.ldc));
    out.back().written = true;
    for (const stage* s : r.epilogue) {
        const bool known = std::ranges::count(out, s->name, &matrix::name) > 0;
        if (s->operand != stage_operand::none && !known) out.push_back(operand_of(*s, r, p));
    }
    return out;
}

void check_memory(const gemm_request& r, std::uint64_t workspace_bytes) {
    tools::big_size need{workspace_bytes};
    for (const gemm_problem& p : r.problems())
        for (const matrix& m : matrices_of(r, p)) need = need + m.span() * tools::big_size{std::uint64_t(m.type->bytes)};
    const std::uint64_t there = tools::available_memory() / 10 * 9;
    if (need.value > there)
        throw tools::refusal("The matrices of this problem need " +
                             (need.value == need.most ? "more memory than can be addressed" : tools::in_words(need.value)) +
                             ", but only " + tools::in_words(there) + " of memory are free.");
}

buffer::buffer(matrix shape) : shape_(std::move(shape)) {
    const std::size_t bytes = (shape_.bytes() + 2 * guard + guard - 1) / guard * guard;
    held_.reset(static_cast<std::byte*>(std::aligned_alloc(guard, bytes)));
    if (!held_) throw std::bad_alloc();
    poison();
}

void buffer::poison() const { std::memset(held_.get(), int(untouched), guard + shape_.bytes() + guard); }

void buffer::release::operator()(std::byte* p) const { std::free(p); }

index buffer::bytes_changed_outside() const {
    const std::byte *first = data(), *last = first + shape_.bytes();
    index out = changed(first - guard, first) + changed(last, last + guard);
    if (shape_.row == shape_.columns) return out;
    for (index i = 0; i + 1 < shape_.batch * shape_.rows; ++i) {
        const std::byte* row = first + i * shape_.row * shape_.type->bytes;
        out += changed(row + shape_.columns * shape_.type->bytes, row + shape_.row * shape_.type->bytes);
    }
    return out;
}

}  // namespace fade::bench
