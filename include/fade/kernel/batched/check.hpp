// What products by tables of pointers refuse before anything is written.
#pragma once
#include <algorithm>
#include <cstdint>
#include <fade/kernel/batched/problem.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE::kernel {

/// Sizes that can be; leading dimensions made explicit, and strides 0: pointers say where matrices lie.
inline gemm_problem checked_batched(gemm_problem p, int joined = 1) {
    const auto unset = [](const char* name, index stride) {
        require(stride == -1, name, stride,
                "pointers say where the matrices of a batch lie, so that no stride is taken: leave it out");
    };
    unset("stride_a", p.stride_a), unset("stride_b", p.stride_b);
    unset("stride_c", p.stride_c), unset("stride_d", p.stride_d);
    p = checked(p, joined);
    p.stride_a = p.stride_b = p.stride_c = p.stride_d = 0;
    return p;
}

/// What all pointers of A and B are said to be multiples of.
template <class In>
void check_alignment(int alignment) {
    require(alignment >= int(alignof(In)) && (alignment & (alignment - 1)) == 0, "alignment", alignment,
            "it must be a power of two, and " + std::to_string(alignof(In)) + " bytes at least");
}

/// Tables that exist where they are read.
template <class In, class Out>
void check_batched_tables(const gemm_problem& p, const batched_gemm_operands<In, Out>& o) {
    if (p.m == 0 || p.n == 0 || p.batch == 0) return;
    const auto needed = [](const char* name, const void* table, const char* why) {
        if (!table) throw error(name, "null", why);
    };
    const bool reads = p.k > 0 && p.alpha != 0;
    needed("d", o.d.get(), "the table says where each product of the batch goes");
    if (reads) needed("a", o.a.get(), "with m, n and k above 0 the table is read");
    if (reads) needed("b", o.b.get(), "with m, n and k above 0 the table is read");
    if (p.beta != 0) needed("c", o.c.get(), "with beta other than 0 the table is read");
}

/// What the pointers of a table lead to: matrices of so many rows, and how many bytes these have and are
/// apart.
struct pointed_matrices {
    const char* name;
    index rows, row_bytes, pitch;
    std::vector<byte_range> all{};

    std::string name_of(std::size_t number) const {
        return std::string(name) + "[" + std::to_string(number) + "]";
    }
};

/// Refuses the first pointer that is null, or no multiple of `alignment` bytes.
template <class T>
pointed_matrices pointed(const char* name, const std::vector<T*>& table, index rows, index columns, index ld,
                         int alignment) {
    pointed_matrices out{name, rows, columns * index(sizeof(T)), ld * index(sizeof(T))};
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (!table[i]) throw error(out.name_of(i), "null", "it leads to a matrix of the batch");
        const auto address = reinterpret_cast<std::uintptr_t>(table[i]);
        if (address % std::uintptr_t(alignment))
            throw error(out.name_of(i), std::to_string(address),
                        "it must be a multiple of " + std::to_string(alignment) +
                            " bytes: of options.alignment in A and B, of an element in C and D");
        out.all.push_back(range_of(name, table[i], rows, columns, ld, 1, 0));
    }
    return out;
}

/// Has an element of one matrix a byte with one of the other? Of rows that are as far apart in both it is
/// told exactly, so that blocks of one larger matrix lie apart; else by first and last byte.
inline bool touch(const pointed_matrices& a, std::size_t i, const pointed_matrices& b, std::size_t j) {
    if (!a.all[i].overlaps(b.all[j])) return false;
    if (a.pitch != b.pitch || a.pitch == 0) return true;
    const index from = b.all[j].begin - a.all[i].begin, pitch = a.pitch;
    for (index r = (from - a.row_bytes) / pitch - 1; r * pitch < from + b.row_bytes; ++r)
        if (r * pitch > from - a.row_bytes && r > -b.rows && r < a.rows) return true;
    return false;
}

/// Matrices D by their addresses. All span the same number of bytes, so they end in the order in which they
/// begin.
class apart_matrices {
public:
    explicit apart_matrices(const pointed_matrices& d) : d_(d) {
        for (std::size_t i = 0; i < d.all.size(); ++i) order_.push_back(i);
        std::sort(order_.begin(), order_.end(),
                  [&](std::size_t i, std::size_t j) { return d_.all[i].begin < d_.all[j].begin; });
        for (auto at = order_.begin(); at != order_.end(); ++at)
            for (auto next = at + 1; next != order_.end() && d_.all[*at].overlaps(d_.all[*next]); ++next)
                if (touch(d_, *at, d_, *next))
                    refuse(std::max(*at, *next), d_.name_of(std::min(*at, *next)),
                           "each product of a batch needs a D of its own");
    }
    /// Refuses a D that overlaps one of these; `own`: D number i may be number i of them.
    void check(const pointed_matrices& of, bool own, const char* rule) const {
        for (std::size_t i = 0; i < of.all.size(); ++i) {
            const byte_range& one = of.all[i];
            auto at = std::partition_point(order_.begin(), order_.end(),
                                           [&](std::size_t d) { return d_.all[d].end <= one.begin; });
            for (; at != order_.end() && d_.all[*at].begin < one.end; ++at)
                if (!(own && *at == i && d_.all[i].begin == one.begin) && touch(d_, *at, of, i))
                    refuse(*at, of.name_of(i), rule);
        }
    }

private:
    [[noreturn]] void refuse(std::size_t d, const std::string& other, const char* rule) const {
        throw error(d_.name_of(d), "overlapping " + other, rule);
    }
    const pointed_matrices& d_;
    std::vector<std::size_t> order_;
};

/// The tables of a batch, brought to this CPU. What is not read is empty.
template <class In, class Out>
struct brought_tables {
    std::vector<const In*> a, b;
    std::vector<const Out*> c;
    std::vector<Out*> d;
};

/// Refuses null, unaligned and overlapping matrices.
template <class In, class Out>
void check_pointers(const gemm_problem& p, const brought_tables<In, Out>& tables, int alignment,
                    int joined = 1) {
    const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
    const auto a = pointed("a", tables.a, ta ? p.k : p.m, ta ? p.m : p.k, p.lda, alignment),
               b = pointed("b", tables.b, tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, alignment),
               c = pointed("c", tables.c, p.m, p.n, p.ldc, alignof(Out)),
               d = pointed("d", tables.d, p.m, p.n / joined, p.ldd, alignof(Out));
    const apart_matrices results(d);
    results.check(a, false, "a result may not lie in an operand");
    results.check(b, false, "a result may not lie in an operand");
    results.check(
        c, p.ldc == p.ldd,
        "a result may be the C of its own product, with the same leading dimension, or lie elsewhere");
}

}  // namespace FADE_NAMESPACE::kernel
