// One call of gemm: checked, chosen, launched, reported.
#pragma once
#include <cstring>
#include <fade/core/error.hpp>
#include <fade/device/gemm_plan.hpp>
#include <fade/device/run_on.hpp>
#include <fade/kernel/gemm/check.hpp>
#include <fade/tune/gemm/entry.hpp>

namespace fade {

struct gemm_options {
    bool strict = false;   ///< refuse a fallback instead of reporting it
};

template <class In, class Out, class Device, class Epilogue>
class gemm_call {
public:
    gemm_call(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands, const Epilogue& epilogue, const gemm_options& options)
        : device_(device), problem_(kernel::checked(problem)), operands_(operands), epilogue_(epilogue), options_(options) {
        kernel::check_scalars<accumulator_t<In>>(problem_);
        kernel::check_operands(problem_, operands_);
        with_arch_of(device_, [&](auto arch) { choose<decltype(arch)>(); });
    }

    template <gemm_kernels Kernels>
    report run() {
        if (!empty()) dispatch<Kernels>([&](auto entry) { device_.template launch<decltype(entry)>(grid(), arguments()); });
        return plan_.report;
    }

    template <gemm_kernels Kernels>
    gemm_plan plan() {
        dispatch<Kernels>([&](auto entry) { plan_.launches.push_back(planned<decltype(entry)>()); });
        return plan_;
    }

private:
    bool empty() const { return problem_.m == 0 || problem_.n == 0 || problem_.batch == 0; }

    template <class Arch>
    void choose() {
        constexpr tune::gemm_row row = tune::gemm_rows<Arch, In>::row;
        auto choice = tune::select_gemm(row, problem_, operands_.a, operands_.b, sizeof(In), device_.compute_units());
        if constexpr (std::is_same_v<Arch, arch::host>) choice.reading = gemm_reading::strided, choice.fallback = false, choice.size = host_size(row);
        if constexpr (std::is_same_v<Arch, arch::host>) choice.why = "panels are packed from any strides; tiles chosen to give every core work";
        if (choice.fallback && options_.strict) throw error("strict", "set", "this problem needs a fallback: " + choice.why);
        size_ = choice.size;
        plan_.policy = tune::policy_for(row, size_, choice.reading), plan_.reading = choice.reading;
        plan_.report = {.requested = words(), .chosen = chosen(), .why = choice.why, .device = device_.name(), .arch = std::string(Arch::traits.name), .fallback = choice.fallback, .evidence = row.evidence};
    }

    tune::size_class host_size(const tune::gemm_row& row) const {
        const index tiles = ceil_div<index>(problem_.m, row.large.block_tile.m) * ceil_div<index>(problem_.n, row.large.block_tile.n) * problem_.batch;
        return tiles >= 2 * device_.compute_units() ? tune::size_class::large : tune::size_class::small;
    }

    std::string words() const {
        return "gemm " + std::string(fade::name(problem_.layout)) + " " + std::to_string(problem_.m) + " x " + std::to_string(problem_.n) + " x " + std::to_string(problem_.k) +
               (problem_.batch == 1 ? "" : ", batch " + std::to_string(problem_.batch)) + ", " + fade::name(dtype_v<In>) + " to " + fade::name(dtype_v<Out>) + ", epilogue " + name_of(epilogue_);
    }
    std::string chosen() const {
        const auto& t = plan_.policy.block_tile;
        return "gemm_" + std::string(fade::name(plan_.reading)) + "_" + tune::name(size_) + " " + std::to_string(t.m) + "x" + std::to_string(t.n) + "x" + std::to_string(t.k) + ", " + block::name(plan_.policy.pipeline);
    }

    int tile_rows() const { return int(ceil_div<index>(problem_.m, plan_.policy.block_tile.m)); }
    int tile_columns() const { return int(ceil_div<index>(problem_.n, plan_.policy.block_tile.n)); }

    grid_shape grid() const {
        const index tiles = index(tile_rows()) * tile_columns();
        kernel::require(tiles < (index(1) << 31), "m x n", tiles, "at most 2^31 - 1 tiles of D can be launched");
        return {int(tiles), 1, int(problem_.batch)};
    }

    kernel::gemm_arguments<In, Out, Epilogue> arguments() const {
        const auto& p = problem_;
        const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
        using acc = accumulator_t<In>;
        return {operands_.a, operands_.b, operands_.c, operands_.d, p.m, p.n, p.k,
                ta ? 1 : p.lda, ta ? p.lda : 1, tb ? p.ldb : 1, tb ? 1 : p.ldb, p.ldc, p.ldd,
                p.stride_a, p.stride_b, p.stride_c, p.stride_d, acc(p.alpha), acc(p.beta), tile_rows(), tile_columns(), epilogue_};
    }

    template <class Entry>
    planned_launch planned() {
        planned_launch out;
        const auto args = arguments();
        const grid_shape g = grid();
        out.kernarg.resize(sizeof args);
        std::memcpy(out.kernarg.data(), &args, sizeof args);
        out.grid[0] = g.x, out.grid[1] = g.y, out.grid[2] = g.z;
        with_arch_of(device_, [&](auto arch) { out.block[0] = Entry::template shape<decltype(arch)>().waves * decltype(arch)::traits.wave_size; });
        out.entry = entry_address<Entry>(device_);
        return out;
    }

    /// Calls f with the entry type that was chosen.
    template <gemm_kernels Kernels, class F>
    void dispatch(F f) {
        const bool found = try_reading<gemm_reading::nn, Kernels>(f) || try_reading<gemm_reading::nt, Kernels>(f) || try_reading<gemm_reading::tn, Kernels>(f) ||
                           try_reading<gemm_reading::tt, Kernels>(f) || try_reading<gemm_reading::strided, Kernels>(f);
        if (!found) throw error("Kernels", "without " + std::string(fade::name(plan_.reading)), "this problem needs that reading (" + plan_.report.why + "): add it to the call's template argument");
    }

    template <gemm_reading Reading, gemm_kernels Kernels, class F>
    bool try_reading(F f) {
        if constexpr (Kernels.has(Reading) && reads<Device>(Reading)) {
            if (plan_.reading != Reading) return false;
            if constexpr (has_large<Device>(Reading))
                if (size_ == tune::size_class::large) return f(tune::gemm_entry<In, Out, Reading, tune::size_class::large, Epilogue>{}), true;
            return f(tune::gemm_entry<In, Out, Reading, tune::size_class::small, Epilogue>{}), true;
        }
        return false;
    }

    /// The host packs from any strides, so it has one reading; GPUs read strided operands with small tiles only.
    template <class D>
    static constexpr bool is_host = std::is_same_v<D, host_device>;
    template <class D>
    static constexpr bool reads(gemm_reading r) { return !is_host<D> || r == gemm_reading::strided; }
    template <class D>
    static constexpr bool has_large(gemm_reading r) { return is_host<D> || r != gemm_reading::strided; }

    Device& device_;
    gemm_problem problem_;
    gemm_operands<In, Out> operands_;
    Epilogue epilogue_;
    gemm_options options_;
    gemm_plan plan_;
    tune::size_class size_ = tune::size_class::small;
};

}  // namespace fade
