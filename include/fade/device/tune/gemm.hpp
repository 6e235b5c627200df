// Which policy is the fastest for one product here, and whether a kept one still is.
#pragma once
#include <fade/device/gemm_call.hpp>
#include <fade/device/tune/chosen_calls.hpp>
#include <fade/device/tune/compile_candidates.hpp>
#include <fade/device/tune/first_call.hpp>
#include <fade/device/tune/memory_sets.hpp>
#include <fade/device/tune/search.hpp>
#include <fade/tune/gemm/space.hpp>
#include <string>
#include <vector>

namespace FADE_NAMESPACE {

namespace detail {

/// Devices that work is queued on, and those whose calls take the time that they take.
template <class Device>
inline constexpr bool has_stream = requires(Device& device) { device.stream(); };
template <class Device>
inline constexpr bool has_speed = std::is_same_v<Device, host_device> || has_stream<Device>;

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
template <class In, class Out, class Epilogue, class Device = host_device,
          gemm_kernels Kernels = all_accesses>
class product_to_tune {
    using operation = gemm_operation<In, Out, Device, Epilogue, Kernels>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;

public:
    product_to_tune(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                    const Epilogue& epilogue, int split_k = 1)
        : device_(device), problem_(problem), operands_(operands), epilogue_(epilogue), split_k_(split_k),
          sets_(memory_space_of(device)) {
        require_real(problem.beta == 0, "beta", problem.beta, "calls are repeated, so C must not be needed");
    }
    report said() const { return asking(operands_).said(); }

    tuned_call call() {
        return {.source = source,
                .run = [this] { run(); },
                .model = tune::policy_json(model()),
                .device = device_.name()};
    }
    std::vector<candidate> candidates() const {
        std::vector<candidate> out;
        const tuned_gemm best = model();
        if constexpr (on_host) {
            for (const gemm_policy& p : host_shares(problem_.m, problem_.n, best.policy))
                if (tune::fit_host<In>(problem_, p, true).obstacle.empty())  // else a call would not take it
                    out.push_back({tune::policy_json(tuned_gemm{p}),
                                   slower_than_model(problem_, p, best.policy, device_.compute_units())});
        } else
            for (const tuned_gemm& one : kernels_of_program())
                if (one != best) out.push_back({tune::policy_json(one), slowest_kernel});
        return out;
    }
    /// Of a device that compiles kernels, in the order in which they should be tried.
    std::vector<std::string> policies_to_compile() const {
        std::vector<std::string> out;
        if constexpr (compiles_for<
                          tune::gemm_entry<In, Out, operand_access::nt, tune::size_class::large, Epilogue>,
                          Device>())
            with_multiplying_arch<In>(device_, [&](auto arch) {
                const int units = device_.compute_units();
                const gemm_problem p = kernel::checked(problem_);
                for (const gemm_policy& policy : tune::gemm_candidates<decltype(arch), In>(
                         p, units, model().policy, device_.candidates.products, device_.candidates.max)) {
                    const int parts = tune::splits_for(policy, p, split_k_, units);
                    out.push_back(tune::policy_json(tuned_gemm{policy, parts}));
                    if (parts > 1 && split_k_ == 0) out.push_back(tune::policy_json(tuned_gemm{policy}));
                }
            });
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
             written_piece<Out>(kernel::range_of("d", d.get(), p.m, p.n, p.ldd, p.batch, p.stride_d))},
            bytes, end);
        return sets_.count();
    }
    /// Other copies, of which no call that was chosen knows.
    void renew(std::size_t bytes, const deadline& end) { calls_ = {}, sets_.renew(bytes, end); }
    /// One call, to its end.
    void call_once() { run_once(device_, next_operation()); }
    memory_sets& memory() { return sets_; }
    one_policy source;
    int at_once = 1;  ///< calls of a GPU that are begun before they are waited for

private:
    static constexpr double slowest_kernel = 16;  // times the model's choice

    operation asking(const gemm_operands<In, Out>& operands) const { return asking(operands, &source); }
    operation asking(const gemm_operands<In, Out>& operands, const tuned_policies* tuned) const {
        return {device_, problem_, operands, epilogue_, {.split_k = split_k_, .tuned = tuned}};
    }
    operation next_operation() {
        gemm_operands<In, Out> out = operands_;
        sets_.next();
        sets_.move(0, out.a), sets_.move(1, out.b), sets_.move(2, out.d);
        return asking(out);
    }
    void run() {
        if constexpr (on_host) {
            operation one = next_operation();
            run_operation(device_, one, {});
        } else
            calls_.run(device_, source.policy, sets_.count(), at_once,
                       [&] { return ready_call(device_, next_operation()); });
    }
    tuned_gemm model() const { return decided(asking(operands_, nullptr)); }
    static tuned_gemm decided(const operation& one) {
        if constexpr (on_host)
            return {one.policy()};  // which shares no k
        else
            return {one.policy(), one.splits()};
    }
    /// What a GPU's program holds for the problem, with parts of k that leave no more than half of the
    /// workgroups waiting.
    std::vector<tuned_gemm> kernels_of_program() const {
        std::vector<tuned_gemm> out;
        const operation plain = asking(operands_, nullptr);
        one_policy row;
        with_multiplying_arch<In>(device_, [&](auto arch) {
            using enum tune::size_class;
            for (const auto size : {large, medium, small, skinny, skinny_columns, flat, clustered,
                                    flat_clustered, deep, quad, flat_quad, tiny, tall}) {
                const gemm_policy p =
                    tune::policy_for(tune::row_of<decltype(arch), In>(), size, plain.access());
                if (p.block_tile.m == 0) continue;
                const auto add = [&](const tuned_gemm& of) {
                    row.policy = tune::policy_json(of);
                    const operation asked = asking(operands_, &row);
                    const bool used = asked.said().evidence == one_policy::evidence;
                    if (used && std::ranges::find(out, decided(asked)) == out.end())
                        out.push_back(decided(asked));
                };
                for (const int parts : {1, 2, 3, 4, 6, 8, 12, 16}) {
                    const index shares = tune::tiles_of(p, problem_) * parts;
                    if (parts > 1 && (split_k_ != 0 || shares > 2 * device_.compute_units())) break;
                    add({p, parts});
                }
                gemm_policy tail = p;
                tail.schedule = gemm_schedule::stream_k;
                if (split_k_ == 0 && tune::kernel_of(tail) == p) add({tail});
            }
        });
        return out;
    }

    Device& device_;
    const gemm_problem& problem_;
    const gemm_operands<In, Out>& operands_;
    const Epilogue& epilogue_;
    int split_k_;
    memory_sets sets_;
    chosen_calls calls_;
};

/// Calls of a GPU are begun one behind another: as many as take a millisecond, beside which waiting for them
/// takes nothing. `longest` becomes the time of so many at most. One, where there is no time to see how long
/// it takes.
template <class Problem>
int calls_at_once(Problem& problem, const tuned_call& call, const deadline& end, double& longest) {
    constexpr double wanted = 1e6, max = 256, margin = 4;
    if constexpr (requires { problem.at_once; }) {
        call_times one;
        problem.at_once = 1;
        if (!time_call(call.run, end, longest, one) || !time_call(call.run, end, longest, one)) return 1;
        problem.at_once = int(std::clamp(wanted / one.median(), 1.0, max));
        longest = margin * one.median() * problem.at_once;
        return problem.at_once;
    }
    return 1;
}

/// Bytes that calls must pass through before one finds nothing of the call before in a cache: twice the last
/// one of the host, and as many as a GPU's holds at most.
template <class Device>
std::size_t bytes_of_caches() {
    constexpr std::size_t of_gpu = std::size_t(256) << 20;
    return has_stream<Device> ? of_gpu : 2 * host_last_cache();
}

/// What one of the classes `..._to_tune` describes, with memory for calls to take in turn.
template <class Device, class Problem>
tuned_call rotated_call(Device& device, Problem& problem, const deadline& end) {
    problem.source.policy.clear();
    tuned_call call = problem.call();
    call.sets = problem.rotate(bytes_of_caches<Device>(), end);
    call.longest = longest_call(device, problem.multiplications());
    if (call.sets > 1) call.renew = [&problem, end] { problem.renew(bytes_of_caches<Device>(), end); };
    if constexpr (has_stream<Device>) call.at_once = calls_at_once(problem, call, end, call.longest);
    problem.source.policy = call.model;
    call.model_fits = problem.said().evidence == one_policy::evidence;
    return call;
}

/// Tunes what one of the classes `..._to_tune` describes.
template <class Device, class Problem>
tuning tune_until(Device& device, Problem& problem, tuning_database& database, const deadline& end) {
    tuned_call call = rotated_call(device, problem, end);
    call.candidates = problem.candidates();
    add_compiled(device, problem, call, end);
    return search(call, end, database);
}
template <class Device, class Problem>
tuning tune_within(Device& device, Problem& problem, tuning_database& database,
                   std::chrono::duration<double> budget) {
    check_budget(budget);
    return tune_until(device, problem, database, deadline(budget));
}

/// Times a row of what one of the classes `..._to_tune` describes again.
template <class Device, class Problem>
verification verify_row(Device& device, Problem& problem, const tune::tuning_row& row) {
    problem.source.policy = row.policy;
    const std::string obstacle = row_obstacle(problem.source, row, problem.said());
    if (!obstacle.empty()) return {.obstacle = obstacle};
    tuned_call call = rotated_call(device, problem, deadline::never());
    return verify(call, row);
}

}  // namespace detail

/// Times policies of one product on the host or a GPU for at most `budget`, and keeps the fastest in the
/// database, with a time in the build's own name. Of a GPU policies are those that the program holds kernels
/// of, with parts of k, and on a fade::compiling device those that its table adds, compiled within the
/// budget; `Kernels` are the readings that calls are compiled with. D is written. A policy is kept only where
/// it beats the model's choice each time; where none does, the model's choice is. `split_k` is that of the
/// calls that will ask. Calls take copies of A, B and D in turn. Throws fade::error for what gemm() refuses.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
tuning tune_gemm(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                 tuning_database& database, std::chrono::duration<double> budget,
                 const Epilogue& epilogue = {}, int split_k = 1) {
    static_assert(detail::has_speed<Device>,
                  "tune_gemm times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::product_to_tune<In, Out, Epilogue, Device, Kernels> product(device, problem, operands, epilogue,
                                                                        split_k);
    return detail::tune_within(device, product, database, budget);
}

/// Times the policy of a row and the model's choice, one after the other, on the host or a GPU. D is written,
/// unless `obstacle` says why the row does not belong to this call: it is of another problem, machine or
/// build, or this program has no kernel of its policy. Throws fade::error for a beta that is not 0, and for
/// what gemm() refuses.
template <class In, class Out = In, gemm_kernels Kernels = all_accesses, class Device,
          class Epilogue = epilogue::none>
verification verify_gemm(Device& device, const gemm_problem& problem, const gemm_operands<In, Out>& operands,
                         const tune::tuning_row& row, const Epilogue& epilogue = {}, int split_k = 1) {
    static_assert(detail::has_speed<Device>,
                  "verify_gemm times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::product_to_tune<In, Out, Epilogue, Device, Kernels> product(device, problem, operands, epilogue,
                                                                        split_k);
    return detail::verify_row(device, product, row);
}

}  // namespace FADE_NAMESPACE
