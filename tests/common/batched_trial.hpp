// Runs products by tables of pointers and says what is wrong with them.
#pragma once
#include "common/gemm_check.hpp"
#include <fade/batched_gemm.hpp>
#include <memory>
#include <set>
#include <span>
#include <tuple>

namespace fade::test {

/// Each matrix of a batch in memory of its own, found by a table; those that repeat lie there once.
template <class T>
class scattered {
public:
    explicit scattered(const matrix<T>& from) {
        const placement& p = from.place();
        table_.resize(std::size_t(p.batch));
        for (index b = p.batch; b-- > 0;) {  // the last one first: no stride leads from one to the next
            if (p.stride != 0 || all_.empty())
                all_.push_back(
                    std::make_unique<matrix<T>>(placement{p.rows, p.columns, p.ld, 1, 0, p.shift}));
            table_[std::size_t(b)] = all_.back()->data();
        }
        take(from);
    }
    void take(const matrix<T>& from) {
        each(from, [](T& own, const T& other) { own = other; });
    }
    void bring(matrix<T>& to) const {
        each(to, [](T& own, T& other) { other = own; });
    }
    T** table() { return table_.data(); }
    index disturbed() const {
        index out = 0;
        for (const auto& one : all_) out += one->disturbed();
        return out;
    }
    std::vector<std::byte> bytes() const {
        std::vector<std::byte> out;
        for (const auto& one : all_) {
            const auto whole = std::as_bytes(std::span(one->bytes()));
            out.insert(out.end(), whole.begin(), whole.end());
        }
        return out;
    }

private:
    template <class Matrix, class F>
    void each(Matrix& other, F f) const {
        other.each([&](index b, index i, index j) {
            f(table_[std::size_t(b)][i * other.place().ld + j], other.at(b, i, j));
        });
    }
    std::vector<std::unique_ptr<matrix<T>>> all_;
    std::vector<T*> table_;
};

/// The case with its matrices scattered, held against the reference, and again with another number of
/// threads: the same bits. Reports go to `reached`.
template <class Arch, class In, class Out, gemm_kernels Kernels>
std::string batched_outcome(const gemm_case& of, std::set<std::string>& reached) {
    gemm_data<In, Out> data(of);
    const std::vector<bounded> reference = expected(data);
    data.poison_output();
    scattered<In> a(data.a), b(data.b);
    scattered<Out> c(data.c), d(data.d);
    const auto inputs = std::make_tuple(a.bytes(), b.bytes(), c.bytes());
    gemm_problem p = of.asked();
    p.stride_a = p.stride_b = p.stride_c = p.stride_d = -1;
    const auto run = [&](int threads) {
        auto device = device_of<Arch>(threads, of.compute_units);
        return batched_gemm<In, Out, Kernels>(
            device, p,
            {.a = a.table(), .b = b.table(), .c = of.in_place ? d.table() : c.table(), .d = d.table()},
            data.chain(), {.alignment = of.shift_a || of.shift_b ? int(sizeof(In)) : 16});
    };
    try {
        const report said = run(of.threads);
        reached.insert(said.chosen.substr(0, said.chosen.find(' ')));
        if (const auto wrong = unnamed_sizes(said, p.m, p.n, p.alpha == 0 ? 0 : p.k); !wrong.empty())
            return wrong;
    } catch (const error& e) {
        return std::string("refused: ") + e.what();
    }
    if (d.disturbed()) return "elements outside D were written";
    if (inputs != std::make_tuple(a.bytes(), b.bytes(), c.bytes())) return "an input was written";
    d.bring(data.d);
    if (const auto wrong = difference(data.d, reference); !wrong.empty()) return wrong;
    const auto first = d.bytes();
    data.poison_output(), d.take(data.d);
    run(of.threads % 3 + 1);
    return d.bytes() == first ? "" : "two runs give different bits";
}

}  // namespace fade::test
