#include "peer.hpp"
#include "../../common/parallel.hpp"
#include "../gemm/data.hpp"
#include "../gemm/find.hpp"
#include "../gemm/peer.hpp"
#include "../operation.hpp"
#include "check.hpp"
#include "reference.hpp"
#include <algorithm>

namespace fade::bench {
namespace {

using kind = product_kind;
using tools::refusal;

/// The rows of the dense D that both compute: all, or of groups those of the largest.
struct shared_rows {
    index group = 0, first = 0, last = 0;
};

/// Where row i of the dense D lies in the other: products of a batch lie in another order there, and along k
/// that of the group is one of many.
index place_of_row(const product_request& r, index i, index group) {
    if (r.is_along_k()) return group * r.m + i;
    return r.op == kind::batched_gemm ? matrix_of_product(r, "d", i / r.m) * r.m + i % r.m : i;
}

shared_rows rows_of(const product_request& r, const product_data& data) {
    if (!has_groups_of_b(r.op) && !r.is_along_k()) return {0, 0, r.rows_of_d()};
    const std::vector<double> ends = numbers_of(*data.buffers().find("ends"));
    shared_rows out;
    for (std::size_t g = 0; g < ends.size(); ++g) {
        const index first = g ? index(ends[g - 1]) : 0, last = index(ends[g]);
        if (last - first > out.last - out.first) out = {index(g), first, last};
    }
    if (r.is_along_k()) out.first = 0, out.last = r.m;
    return out;
}

/// The dense product: of bf16 where the types are of 8 bits, and k shared as FADE would have it.
gemm_request dense_of(const product_request& r) {
    gemm_request out;
    static_cast<request&>(out) = r;
    if (r.op == kind::scaled_gemm) out.in = &element_of(fade::dtype::bf16);
    out.sizes = {{r.m, r.n, r.k}}, out.layout = gemm_layout::nt, out.batch = r.batch;
    out.split_k = 0;
    return out;
}

/// The matrices of a dense product with the numbers that those of the other stand for.
class dense_data {
public:
    dense_data(const gemm_request& g, const product_request& r, const product_data& from, index group)
        : call_(call_without_memory(g, g.problems()[0])) {
        for (matrix& m : matrices_of(g, g.problems()[0])) buffers_.add(std::move(m));
        fill_a(r, from, group), fill_b(r, from, group);
        call_.a = buffers_.address("a"), call_.b = buffers_.address("b"), call_.d = buffers_.address("d");
    }
    const gemm_call& call() const { return call_; }
    const buffer_set& buffers() const { return buffers_; }

private:
    void fill_a(const product_request& r, const product_data& from, index group) const {
        const buffer& a = *buffers_.find("a");
        tools::parallel_ranges(r.batch * r.m, 8, [&](index first, index last) {
            for (index i = first; i < last; ++i)
                a.shape().type->encode(row_of_a(r, from.buffers(), place_of_row(r, i, group)).data(),
                                       a.data() + i * r.k * a.shape().type->bytes, r.k);
        });
    }
    void fill_b(const product_request& r, const product_data& from, index group) const {
        const matrix& b = buffers_.find("b")->shape();
        for (index p = 0; p < r.batch; ++p) {
            if (r.op == kind::batched_gemm) group = matrix_of_product(r, "b", p);
            const column_reader columns = columns_of(r, from.buffers(), group);
            tools::parallel_ranges(r.n, 8, [&](index first, index last) {
                std::vector<double> held(std::size_t((last - first) * r.k));
                columns(first, last - first, held.data());
                b.type->encode(held.data(), buffers_.address("b") + b.at(p, first, 0) * b.type->bytes,
                               (last - first) * r.k);
            });
        }
    }

    buffer_set buffers_;
    gemm_call call_;
};

/// How far D is from what the dense result makes of it.
double apart(const product_request& r, const buffer& d, const buffer& dense, const shared_rows& rows) {
    const index columns = d.shape().columns, wide = dense.shape().columns;
    std::vector<double> ours(std::size_t(columns), 0), theirs(std::size_t(wide), 0);
    comparison found;
    for (index i = rows.first; i < rows.last; ++i) {
        d.shape().type->decode(d.data(), place_of_row(r, i, rows.group) * columns, 1, columns, ours.data());
        dense.shape().type->decode(dense.data(), i * wide, 1, wide, theirs.data());
        for (std::size_t j = 0; j < ours.size(); ++j)
            found.add(ours[j], r.gate ? gated(*r.gate, theirs[2 * j], theirs[2 * j + 1]) : theirs[j]);
    }
    return found.wrong_kind ? INFINITY : found.relative(0);
}

}  // namespace

const std::vector<peer>& dense_peers() {
    static const std::vector<peer> all = [] {
        std::vector<peer> out = {{"dense", "", {}}};
        out.insert(out.end(), gemm_peers().begin(), gemm_peers().end());
        return out;
    }();
    return all;
}

void check_dense_peer(const product_request& r, const device_choice& device, std::vector<matrix>& all) {
    if (r.op == kind::moe) throw refusal("--vs measures one product, and moe is several: leave it out.");
    const gemm_request g = dense_of(r);
    if (*r.peer != "dense") find_peer("products", dense_peers(), g, device);
    find_runner(g, device.kind, call_without_memory(g, g.problems()[0]));
    for (matrix& m : matrices_of(g, g.problems()[0])) all.push_back(std::move(m));
}

void measure_with_dense(answer& out, const product_request& r, const product_data& data, const measured& ours,
                        const on_part& done) {
    const gemm_request g = dense_of(r);
    const shared_rows rows = rows_of(r, data);
    const dense_data dense(g, r, data, rows.group);
    const auto session = find_runner(g, out.device.kind, dense.call())
                             .prepare(dense.call(), dense.buffers().memory(), out.device.number);
    const auto sets = sets_of_memory(g, out.device, dense.buffers().bytes());
    measured theirs{[&] { session->start(); }, [&] { session->wait(); }, r.clock};
    const auto other = [&] {
        const measured made =
            prepared("gemm", find_peer("products", dense_peers(), g, out.device), session->there(), *g.in);
        theirs.start = made.start, theirs.wait = made.wait;
    };
    if (*r.peer != "dense") other();
    theirs.start(), theirs.wait();
    session->fetch();
    const double off = apart(r, data.output(), *dense.buffers().find("d"), rows);
    // Operands of 8 bits are rounded to 16 once more, and so is what a gate reads.
    if (!(off <= 4 * error_bound(r)))
        throw refusal("--vs is " + *r.peer + ", whose result for this problem differs from FADE's.");
    session->rotate(sets);
    if (*r.peer != "dense") other();
    const two_timed times = interleaved(ours, theirs, r.samples, done);
    out.time = times.one;
    out.peer = {*r.peer, times.other, times.other.median / times.one.median, off};
}

}  // namespace fade::bench
