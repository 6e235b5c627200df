// The gradient of a convolution's bias beside that of its filter: dy summed over all pixels, by launches of
// its own behind those of the filter's.
#pragma once
#include <fade/device/column_call.hpp>
#include <fade/device/conv/copies.hpp>
#include <fade/device/conv/plan.hpp>
#include <fade/kernel/rows/types.hpp>
#include <fade/tune/conv/bias_gradient_entry.hpp>
#include <optional>

namespace FADE_NAMESPACE {

/// Of pixels with their channels last these are columns; planes are summed by a workgroup each.
template <class In, class Out, class Device>
class conv_bias_gradient {
    static constexpr bool has_kernels = kernel::is_row_float<In> && kernel::is_row_float<Out>;
    using sums = kernel::reduce_columns<In, Out, kernel::reduction::sum>;

public:
    /// `db` null: nobody wants it. All is checked but dy, which the filter's gradient reads, too.
    conv_bias_gradient(const Device& device, const conv_problem& problem, const conv_memory<In, Out>& memory,
                       Out* db)
        : problem_(problem), dy_(memory.a), db_(db) {
        if (!db || problem.filters == 0) return;
        check(memory);
        if constexpr (has_kernels) {
            if (problem.layout == conv_layout::channels_last)
                columns_.emplace(device, "db",
                                 kernel::row_size{dy_.shape.images * dy_.shape.pixels, filters()},
                                 sums{{dy_.at}, db_, nullptr, 1.0f});
        }
    }

    bool wanted() const { return db_ && problem_.filters > 0; }
    std::size_t workspace_bytes() const { return columns_ ? columns_->workspace_bytes() : 0; }
    void place(void* memory) {
        if (columns_) columns_->place(memory);
    }
    void add_to(report& said) const {
        if (!wanted()) return;
        said.why += "; dy is read again for db, by ";
        said.why += columns_ ? columns_->said().chosen : "a workgroup a filter";
        if (!columns_ || !columns_->said().fallback) return;
        said.why += ", whose elements move alone", said.fallback = true;
    }

    template <class F>
    void each_launch(F& f) const {
        if constexpr (has_kernels) {
            if (columns_)
                columns_->each_launch(f);
            else if (wanted())
                f(tune::plane_totals_entry<In, Out>{}, grid_shape{problem_.filters, 1, 1},
                  kernel::plane_totals_arguments<In, Out>{
                      dy_.at, db_, {problem_.batch, problem_.filters, dy_.shape.pixels}});
        }
    }

private:
    index filters() const { return problem_.filters; }
    void check(const conv_memory<In, Out>& memory) const {
        if (!has_kernels)
            throw error("db", "given",
                        std::string("of ") + name(dtype_v<In>) + " to " + name(dtype_v<Out>) +
                            " no gradient of a bias is made: types are f32, f16 and bf16; leave db null");
        require(filters() * index(sizeof(In)) < index(1) << 31, "filters", filters(),
                "for db a pixel of dy must have fewer than 2^31 bytes");
        if (dy_.elements() > 0 && !dy_.at) throw error("dy", "null", "it is read");
        const byte_range range = kernel::range_of(db_, filters());
        const auto keep_apart = [&](const char* name, const void* at, const byte_range& other) {
            if (at && range.overlaps(other))
                throw error("db", std::string("overlapping ") + name, "it needs memory of its own");
        };
        keep_apart("dy", dy_.at, dy_.range()), keep_apart("x", memory.b.at, memory.b.range());
        keep_apart("dw", memory.d.at, memory.d.range());
        if (problem_.beta != 0) keep_apart("c", memory.c, kernel::range_of(memory.c, memory.d.elements()));
    }

    conv_problem problem_;
    kernel::named_memory<const In> dy_;
    Out* db_;
    std::optional<column_operation<sums, Device>> columns_;
};

/// Backward weights by any algorithm, and that gradient.
template <class Operation, class Bias>
class conv_with_bias_gradient {
public:
    conv_with_bias_gradient(Operation& weights, Bias& bias)
        : weights_(weights), bias_(bias), report_(weights.said()) {
        bias_.add_to(report_);
    }

    const report& said() const { return report_; }
    gemm_policy policy() const { return weights_.policy(); }
    conv_algorithm algorithm() const { return weights_.algorithm(); }
    std::size_t main_launch() const { return weights_.main_launch(); }

    /// The same memory serves both: what one leaves there has been read before the other begins.
    std::size_t workspace_bytes() const {
        return max_of(bias_.workspace_bytes(), weights_.workspace_bytes());
    }
    std::string what_needs() const {
        if (bias_.workspace_bytes() <= weights_.workspace_bytes()) return weights_.what_needs();
        return "sharing the pixels of dy for db needs";
    }
    void place(void* memory) { weights_.place(memory), bias_.place(memory); }
    template <class Device>
    void before_launches(Device& device) {
        if constexpr (requires { weights_.before_launches(device); }) weights_.before_launches(device);
    }

    template <class F>
    void each_launch(F f) const {
        weights_.each_launch(f);
        bias_.each_launch(f);
    }

private:
    Operation& weights_;
    Bias& bias_;
    report report_;
};

}  // namespace FADE_NAMESPACE
