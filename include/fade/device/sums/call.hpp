// One call of gemm with sums of D's rows or columns: the product's launches, then those of the sums.
#pragma once
#include <fade/core/words.hpp>
#include <fade/device/column_call.hpp>
#include <fade/device/gemm_call.hpp>
#include <fade/device/row_call.hpp>
#include <fade/epilogue/sums.hpp>
#include <fade/kernel/rows/columns.hpp>
#include <fade/kernel/rows/reduce.hpp>
#include <fade/kernel/rows/types.hpp>

namespace FADE_NAMESPACE {

/// Rows and columns of D, all products of a batch one below the other.
struct stacked_results {
    kernel::row_size size;
    index ld;

    /// Of a problem with its leading dimensions and strides in it.
    static stacked_results of(const gemm_problem& p, int joined, const char* sums) {
        const bool one_matrix = p.batch <= 1 || p.m == 0 || p.n == 0 || p.stride_d == wide_index(p.m) * p.ldd;
        require(one_matrix, "stride_d", p.stride_d,
                std::string(sums) +
                    " takes the rows of a batch as those of one matrix, so it must be m * ldd");
        return {{p.batch * p.m, p.n / joined}, p.ldd};
    }
};

/// What has one launch or two of its own behind those of a product.
template <class Out, class Sum, class Device>
auto sum_operation(const Device& device, const stacked_results& d, const Out* from, const Sum& sum) {
    using kernel::reduction;
    static_assert(kernel::is_row_float<Out> && kernel::is_row_float<typename Sum::type>,
                  "row_sums and column_sums add up a D of f32, f16 or bf16, and store sums of those types: "
                  "let D or the sums be of one of them");
    if constexpr (Sum::of_rows) {
        using rows = kernel::reduce_rows<Out, typename Sum::type, reduction::sum>;
        return row_operation<rows, Device>(device, Sum::name, d.size, rows{{from, d.ld}, sum.to, nullptr});
    } else {
        using columns = kernel::reduce_columns<Out, typename Sum::type, reduction::sum>;
        return column_operation<columns, Device>(device, Sum::name, d.size,
                                                 columns{{from, d.ld}, sum.to, nullptr, 1.0f});
    }
}

/// Product: the operation whose D is added up, which may be one of these itself.
template <class Product, class Out, class Sum, class Device>
class summed_operation {
    using sum_type = decltype(sum_operation(std::declval<const Device&>(), stacked_results{},
                                            std::declval<const Out*>(), std::declval<Sum>()));

public:
    template <class In, class Front>
    summed_operation(const Device& device, const gemm_problem& problem,
                     const gemm_operands<In, Out>& operands, const epilogue::summed<Front, Sum>& asked,
                     const gemm_options& options)
        : product_(device, problem, operands, asked.front, options),
          results_(stacked_results::of(kernel::checked(problem, product_.columns_joined()),
                                       product_.columns_joined(), Sum::name)),
          sum_(sum_operation(device, results_, operands.d.get(), checked(asked.sum))),
          bytes_(bytes_of(asked.sum)), said_(product_.said()) {
        refuse_overlap(problem, operands);
        const report& sums = sum_.said();
        said_.requested += words(", ", Sum::name), said_.chosen += words(", then ", sums.chosen);
        said_.why += words("; sums of D are launches of their own: ", sums.why);
        said_.fallback = said_.fallback || sums.fallback;
    }

    const report& said() const { return said_; }
    const gemm_policy& policy() const { return product_.policy(); }
    operand_access access() const { return product_.access(); }
    static constexpr int columns_joined() { return Product::columns_joined(); }

    /// Sums begin when the product has ended, so both may have the same memory.
    std::size_t workspace_bytes() const { return max_of(product_.workspace_bytes(), bytes_of_sums()); }
    std::string what_needs() const {
        return bytes_of_sums() > product_.workspace_bytes() ? std::string(Sum::name) + " needs"
                                                            : product_.what_needs();
    }
    void place(void* memory) {
        product_.place(memory);
        if constexpr (needs_workspace<sum_type>) sum_.place(memory);
    }
    void before_launches(Device& device) { product_.before_launches(device); }
    template <class F>
    void each_launch(F f) const {
        product_.each_launch(f), sum_.each_launch(f);
    }
    /// Are sums stored in those bytes?
    bool writes_to(const byte_range& bytes) const {
        if constexpr (requires { product_.writes_to(bytes); })
            return bytes_.overlaps(bytes) || product_.writes_to(bytes);
        else
            return bytes_.overlaps(bytes);
    }

private:
    index values() const { return Sum::of_rows ? results_.size.rows : results_.size.columns; }
    const Sum& checked(const Sum& sum) const {
        if (values() > 0)
            epilogue::check_values(Sum::name, sum.to, sum.count, values(),
                                   words("one value is written for each of the ", values(),
                                         Sum::of_rows ? " rows" : " columns", " of D"));
        return sum;
    }
    byte_range bytes_of(const Sum& sum) const {
        return bytes_from(sum.to, wide_index(values()) * int(sizeof(*sum.to)));
    }
    std::size_t bytes_of_sums() const {
        if constexpr (needs_workspace<sum_type>)
            return sum_.workspace_bytes();
        else
            return 0;
    }
    template <class In>
    void refuse_overlap(const gemm_problem& asked, const gemm_operands<In, Out>& o) const {
        const gemm_problem p = kernel::checked(asked, columns_joined());
        const auto refuse = [&](const char* other, const byte_range& bytes) {
            if (bytes_.overlaps(bytes))
                throw error(Sum::name, words("overlapping ", other),
                            "sums may lie neither in an operand nor in the result");
        };
        const auto range = [&](const char* name, const auto* at, index rows, index columns, index ld,
                               index stride) {
            refuse(name, kernel::range_of(name, at, rows, columns, ld, p.batch, stride));
        };
        const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
        range("d", o.d.get(), p.m, results_.size.columns, p.ldd, p.stride_d);
        range("a", o.a.get(), ta ? p.k : p.m, ta ? p.m : p.k, p.lda, p.stride_a);
        range("b", o.b.get(), tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, p.stride_b);
        if (p.beta != 0) range("c", o.c.get(), p.m, p.n, p.ldc, p.stride_c);
        if constexpr (requires { product_.writes_to(bytes_); })
            if (product_.writes_to(bytes_))
                throw error(Sum::name, "overlapping other sums", "each sum needs memory of its own");
    }

    Product product_;
    stacked_results results_;
    sum_type sum_;
    byte_range bytes_;
    report said_;
};

/// The operation of an epilogue, with its sums or without.
template <class In, class Out, class Device, class Epilogue, gemm_kernels Kernels>
struct product_with_sums {
    using type = gemm_operation<In, Out, Device, Epilogue, Kernels>;
    static constexpr bool compiles = epilogue::require_stage<Epilogue>();
};
template <class In, class Out, class Device, class Front, class Sum, gemm_kernels Kernels>
struct product_with_sums<In, Out, Device, epilogue::summed<Front, Sum>, Kernels> {
    using inner = product_with_sums<In, Out, Device, Front, Kernels>;
    using type = summed_operation<typename inner::type, Out, Sum, Device>;
    static constexpr bool compiles = inner::compiles;
};

}  // namespace FADE_NAMESPACE
