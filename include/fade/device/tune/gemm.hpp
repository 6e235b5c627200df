// Which policy is the fastest for one product here, and whether a kept one still is.
#pragma once
#include <fade/device/gemm_call.hpp>
#include <fade/device/tune/host_rate.hpp>
#include <fade/device/tune/memory_sets.hpp>
#include <fade/device/tune/search.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// Even shares of D: the model's numbers of parts, and those around them.
inline std::vector<gemm_policy> host_shares(index m, index n, const gemm_policy& model) {
    std::vector<gemm_policy> out;
    const index rows = ceil_div<index>(m, model.block_tile.m),
                columns = ceil_div<index>(n, model.block_tile.n);
    for (index i : {rows, rows + 1, 2 * rows, 4 * rows, max_of<index>(rows / 2, 1)})
        for (index j : {columns, columns + 1, 2 * columns, 4 * columns, max_of<index>(columns / 2, 1)}) {
            gemm_policy c = model;
            c.block_tile.m = int(ceil_div<index>(m, i)), c.block_tile.n = int(ceil_div<index>(n, j));
            if (c != model && std::ranges::find(out, c) == out.end()) out.push_back(c);
        }
    return out;
}

/// How many times as long as the model's choice shares take at most: by what the model thinks of both.
inline double slower_than_model(const gemm_problem& p, const gemm_policy& shares, const gemm_policy& model,
                                int threads) {
    const auto cost = [&](const gemm_policy& t) {
        return double(tune::host_cost(p, {t.block_tile.m, t.block_tile.n}, threads, true));
    };
    return std::max(1.0, cost(shares) / cost(model));
}

/// A product as tuning sees it. What it refers to must outlive it.
template <class In, class Out, class Epilogue>
class product_to_tune {
    using operation = gemm_operation<In, Out, host_device, Epilogue, all_accesses>;

public:
    product_to_tune(host_device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                    const Epilogue& epilogue)
        : device_(device), problem_(problem), operands_(operands), epilogue_(epilogue) {
        require_real(problem.beta == 0, "beta", problem.beta, "calls are repeated, so C must not be needed");
    }
    report said() const { return asking(operands_).said(); }

    tuned_call call() {
        return {.source = source,
                .run =
                    [this] {
                        operation one = asking(next_operands());
                        run_operation(device_, one, {});
                    },
                .model = tune::policy_json(tuned_gemm{model()}),
                .device = device_.name()};
    }
    std::vector<candidate> candidates() const {
        std::vector<candidate> out;
        const gemm_policy best = model();
        for (const gemm_policy& p : host_shares(problem_.m, problem_.n, best))
            if (tune::fit_host<In>(problem_, p, true).obstacle.empty())  // else a call would not take it
                out.push_back({tune::policy_json(tuned_gemm{p}),
                               slower_than_model(problem_, p, best, device_.compute_units())});
        return out;
    }
    double multiplications() const {
        const double m = double(problem_.m), n = double(problem_.n), k = double(problem_.k);
        constexpr double moves = 8;  // an element that is read or written costs as much as so many
        return (m * n * k + moves * (m * k + k * n + m * n)) * double(problem_.batch);
    }
    int rotate(std::size_t bytes, const deadline& end) {
        const gemm_problem p = kernel::checked(problem_);
        const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
        const auto [a, b, c, d] = operands_;
        sets_.make(
            {{kernel::range_of("a", a.get(), ta ? p.k : p.m, ta ? p.m : p.k, p.lda, p.batch, p.stride_a)},
             {kernel::range_of("b", b.get(), tb ? p.n : p.k, tb ? p.k : p.n, p.ldb, p.batch, p.stride_b)},
             {kernel::range_of("d", d.get(), p.m, p.n, p.ldd, p.batch, p.stride_d), false}},
            bytes, end);
        return sets_.count();
    }
    one_policy source;

private:
    operation asking(const gemm_operands<In, Out>& operands) const {
        return {device_, problem_, operands, epilogue_, {.tuned = &source}};
    }
    gemm_operands<In, Out> next_operands() {
        gemm_operands<In, Out> out = operands_;
        sets_.next();
        sets_.move(0, out.a), sets_.move(1, out.b), sets_.move(2, out.d);
        return out;
    }
    gemm_policy model() const { return operation(device_, problem_, operands_, epilogue_, {}).policy(); }

    host_device& device_;
    const gemm_problem& problem_;
    const gemm_operands<In, Out>& operands_;
    const Epilogue& epilogue_;
    memory_sets sets_;
};

/// What one of the classes `..._to_tune` describes, with memory for calls to take in turn: twice as much as
/// the last cache holds.
template <class Problem>
tuned_call rotated_call(Problem& problem, const deadline& end) {
    problem.source.policy.clear();
    tuned_call call = problem.call();
    call.sets = problem.rotate(2 * host_last_cache(), end);
    problem.source.policy = call.model;
    call.model_fits = problem.said().evidence == one_policy::evidence;
    return call;
}

/// Tunes what one of the classes `..._to_tune` describes.
template <class Problem>
tuning tune_within(host_device& device, Problem& problem, tuning_database& database,
                   std::chrono::duration<double> budget) {
    check_budget(budget);
    const deadline end(budget);
    tuned_call call = rotated_call(problem, end);
    call.candidates = problem.candidates();
    call.longest = longest_call(device, problem.multiplications());
    return search(call, end, database);
}

/// Times a row of what one of the classes `..._to_tune` describes again.
template <class Problem>
verification verify_row(Problem& problem, const tune::tuning_row& row) {
    problem.source.policy = row.policy;
    const std::string obstacle = row_obstacle(problem.source, row, problem.said());
    if (!obstacle.empty()) return {.obstacle = obstacle};
    tuned_call call = rotated_call(problem, deadline::never());
    return verify(call, row);
}

}  // namespace detail

/// Times policies of one product on the host for at most `budget`, and keeps the fastest in the database,
/// with a time in the build's own name. D is written. A policy is kept only where it beats the model's
/// choice twice; where none does, the model's choice is. Calls take copies of A, B and D in turn. Throws
/// fade::error for a device whose calls are not timed here (all but the host), and for what gemm() refuses.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
tuning tune_gemm(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                 tuning_database& database, std::chrono::duration<double> budget,
                 const Epilogue& epilogue = {}) {
    static_assert(std::is_same_v<Device, host_device>,
                  "tune_gemm times calls of fade::host_device: an emulated device has no speed");
    detail::product_to_tune<In, Out, Epilogue> product(device, problem, operands, epilogue);
    return detail::tune_within(device, product, database, budget);
}

/// Times the policy of a row and the model's choice, one after the other, on the host. D is written, unless
/// `obstacle` says why the row does not belong to this call: it is of another problem, machine or build, or
/// this program has no kernel of its policy. Throws fade::error for a beta that is not 0, and for what gemm()
/// refuses.
template <class In, class Out = In, class Device, class Epilogue = epilogue::none>
verification verify_gemm(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                         const tune::tuning_row& row, const Epilogue& epilogue = {}) {
    static_assert(std::is_same_v<Device, host_device>,
                  "verify_gemm times calls of fade::host_device: an emulated device has no speed");
    detail::product_to_tune<In, Out, Epilogue> product(device, problem, operands, epilogue);
    return detail::verify_row(product, row);
}

}  // namespace FADE_NAMESPACE
