#include "matrix.hpp"
#include "../common/refusal.hpp"
#include "hash.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

namespace fade::bench {
namespace {

constexpr std::byte untouched{0xff};

index changed(const std::byte* first, const std::byte* last) {
    return index(std::count_if(first, last, [](std::byte b) { return b != untouched; }));
}

}  // namespace

tools::big_size matrix::span() const {
    using tools::big_size;
    if (empty()) return {0};
    const big_size all =
        big_size{std::uint64_t(batch)} * big_size{std::uint64_t(rows)} * big_size{std::uint64_t(row)};
    return all.value == big_size::max ? all : big_size{all.value - std::uint64_t(row - columns)};
}

matrix packed(std::string name, const element* type, index batch, index rows, index columns) {
    return {.name = std::move(name),
            .type = type,
            .batch = batch,
            .rows = rows,
            .columns = columns,
            .row = columns};
}

void check_memory(const std::vector<matrix>& all, std::uint64_t workspace_bytes) {
    tools::big_size need{workspace_bytes};
    for (const matrix& m : all) need = need + m.span() * tools::big_size{std::uint64_t(m.type->bytes)};
    const std::uint64_t there = tools::available_memory() / 10 * 9;
    if (need.value > there)
        throw tools::refusal(
            "The matrices of this problem need " +
            (need.value == need.max ? "more memory than can be addressed" : tools::in_words(need.value)) +
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

const buffer* buffer_set::find(std::string_view name) const {
    const auto found = std::ranges::find_if(all_, [&](const buffer& b) { return b.shape().name == name; });
    return found == all_.end() ? nullptr : &*found;
}

std::byte* buffer_set::address(std::string_view name) const {
    const buffer* found = find(name);
    return found ? found->data() : nullptr;
}

std::vector<memory_piece> buffer_set::memory() const {
    std::vector<memory_piece> out;
    for (const buffer& b : all_)
        out.push_back({b.data(), b.shape().bytes(), b.shape().written, b.shape().addresses});
    return out;
}

std::uint64_t buffer_set::bytes() const {
    std::uint64_t out = 0;
    for (const buffer& b : all_) out += b.shape().bytes();
    return out;
}

std::uint64_t checksum(const buffer& of) {
    const matrix& m = of.shape();
    std::uint64_t state = 0;
    if (m.empty()) return hash_of(nullptr, 0);
    const auto row_bytes = std::size_t(m.columns) * m.type->bytes, step = std::size_t(m.row) * m.type->bytes;
    for (index i = 0; i < m.batch * m.rows; ++i) state = hash_of(of.data() + i * step, row_bytes, state);
    return state;
}

double difference(const buffer& from, const std::vector<std::byte>& before) {
    const matrix& m = from.shape();
    std::vector<double> now(m.columns), then(m.columns);
    double error = 0, norm = 0;
    for (index i = 0; i < m.batch * m.rows && m.columns > 0; ++i) {
        m.type->decode(from.data(), i * m.row, 1, m.columns, now.data());
        m.type->decode(before.data(), i * m.row, 1, m.columns, then.data());
        for (index j = 0; j < m.columns; ++j)
            error += (now[j] - then[j]) * (now[j] - then[j]), norm += then[j] * then[j];
    }
    return norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
}

}  // namespace fade::bench
