// Which algorithm and policy are the fastest for one convolution here, and whether kept ones still are.
#pragma once
#include <fade/device/conv/memory_of.hpp>
#include <fade/device/conv/select.hpp>
#include <fade/device/tune/gemm.hpp>

namespace FADE_NAMESPACE {

namespace detail {

/// A convolution as tuning sees it. What it refers to must outlive it.
template <conv_kernels Kernels, class In, class Out, class Operands, class Epilogue,
          class Device = host_device>
class conv_to_tune {
    static constexpr bool on_host = std::is_same_v<Device, host_device>;

public:
    conv_to_tune(Device& device, const conv_problem& problem, const Operands& operands,
                 const Epilogue& epilogue)
        : device_(device), problem_(kernel::checked(problem)), operands_(operands), epilogue_(epilogue),
          sets_(memory_space_of(device)) {
        require_real(problem.beta == 0, "beta", problem.beta, "calls are repeated, so C must not be needed");
        if constexpr (Kernels.pass == conv_pass::backward_weights)
            if (operands.db)
                throw error("db", "given", "the filter's gradient is timed alone: leave db null");
    }

    report said() const { return decided(&source).said; }
    tuned_call call() {
        return {.source = source,
                .run = [this] { run(); },
                .model = tune::policy_json(model()),
                .device = device_.name()};
    }
    std::vector<candidate> candidates() const {
        const tuned_conv best = model();
        std::vector<candidate> out;
        if (empty()) return out;
        if constexpr (on_host) {
            if (best.algorithm != conv_algorithm::implicit_gemm) add(out, implicit(), other_algorithm);
            add_shares(out, best.algorithm == conv_algorithm::implicit_gemm ? best : implicit());
        } else
            add_kernels(out, best);
        for (const conv_algorithm other :
             {conv_algorithm::direct, conv_algorithm::im2col, conv_algorithm::mec})
            if (other != best.algorithm && takes(other))
                add(out, tuned_conv{.algorithm = other}, other_algorithm);
        return out;
    }
    /// Of a device that compiles kernels: the table's own policies, whatever the model takes, then tiles of
    /// products where it takes implicit_gemm. They read as implicit_gemm does.
    std::vector<std::string> policies_to_compile() const {
        std::vector<std::string> out;
        if constexpr (compiles_kernels<Device>)
            if constexpr (Device::template compiles_entry<tune::conv_entry<
                              In, Out, tune::conv_kernel{Kernels.pass}, tune::size_class::small, Epilogue>>())
                with_multiplying_arch<In>(device_, [&](auto arch) {
                    if (empty()) return;
                    const auto& [space, attention, rows, max] = device_.candidates;
                    const bool taken = model().algorithm == conv_algorithm::implicit_gemm;
                    const tuned_conv best = decided(nullptr, conv_algorithm::implicit_gemm).row;
                    std::vector<gemm_policy> all = space.others;
                    for (gemm_policy p : tune::gemm_candidates<decltype(arch), In>(
                             product(), device_.compute_units(), best.policy, space, taken ? max : 0)) {
                        if (p.cluster_k != 1) continue;
                        const bool boxes = best.policy.pipeline == block::pipeline_kind::tma_ring;
                        if (boxes != (p.pipeline == block::pipeline_kind::tma_ring))
                            p.pipeline = best.policy.pipeline, p.cluster = 1;
                        if (std::ranges::find(all, p) == all.end()) all.push_back(p);
                    }
                    for (const gemm_policy& p : all)
                        out.push_back(tune::policy_json(tuned_conv{.policy = p, .split_k = best.split_k}));
                });
        return out;
    }
    double multiplications() const {
        const gemm_problem p = product();
        const auto memory = conv_memory_of(problem_, operands_);
        const double elements =
            double(memory.a.elements()) + double(memory.b.elements()) + double(memory.d.elements());
        return double(p.m) * double(p.n) * double(p.k) * double(p.batch) + moves * elements;
    }
    int rotate(std::size_t bytes, const deadline& end) {
        const auto memory = conv_memory_of(problem_, operands_);
        sets_.make({{memory.a.range()}, {memory.b.range()}, written_piece<Out>(memory.d.range())}, bytes,
                   end);
        return sets_.count();
    }
    /// Other copies, of which no call that was chosen knows.
    void renew(std::size_t bytes, const deadline& end) { calls_ = {}, sets_.renew(bytes, end); }
    /// One call, to its end.
    void call_once() {
        with(&source, next_operands(), [&](auto& operation) {
            run_once(device_, std::move(operation));
            return 0;
        });
    }
    memory_sets& memory() { return sets_; }
    one_policy source;
    int at_once = 1;  ///< calls of a GPU that are begun before they are waited for

private:
    static constexpr double other_algorithm = 16, moves = 8;

    template <class F>
    auto with(const tuned_policies* tuned, const Operands& operands, F f,
              conv_algorithm algorithm = conv_algorithm::automatic) const {
        return with_conv_operation<Kernels, In, Out, Device>(device_, problem_,
                                                             conv_memory_of(problem_, operands), epilogue_,
                                                             {.algorithm = algorithm, .tuned = tuned}, f);
    }
    void run() {
        if constexpr (on_host)
            with(&source, next_operands(), [&](auto& operation) {
                run_operation(device_, operation, {});
                return 0;
            });
        else
            calls_.run(device_, source.policy, sets_.count(), at_once, [&] {
                return with(&source, next_operands(),
                            [&](auto& operation) { return ready_call(device_, std::move(operation)); });
            });
    }
    Operands next_operands() {
        Operands out = operands_;
        sets_.next();
        if constexpr (Kernels.pass == conv_pass::forward)
            sets_.move(0, out.x), sets_.move(1, out.w), sets_.move(2, out.y);
        else if constexpr (Kernels.pass == conv_pass::backward_data)
            sets_.move(0, out.dy), sets_.move(1, out.w), sets_.move(2, out.dx);
        else
            sets_.move(0, out.dy), sets_.move(1, out.x), sets_.move(2, out.dw);
        return out;
    }
    bool empty() const { return conv_memory_of(problem_, operands_).d.elements() == 0; }
    gemm_problem product() const {
        return tune::product_of({Kernels.pass, kernel::sizes_of(problem_), nullptr, nullptr, sizeof(In)});
    }
    /// What a call would take, and what it would say.
    struct decision {
        tuned_conv row;
        report said;
    };
    tuned_conv model() const { return decided(nullptr).row; }
    decision decided(const tuned_policies* by, conv_algorithm algorithm = conv_algorithm::automatic) const {
        return with(
            by, operands_,
            [](auto& operation) {
                decision out{{.algorithm = operation.algorithm()}, operation.said()};
                if constexpr (requires { operation.splits(); })
                    out.row.policy = operation.policy(), out.row.split_k = operation.splits();
                return out;
            },
            algorithm);
    }
    /// The kernels of a GPU's program for implicit_gemm, with parts of k.
    void add_kernels(std::vector<candidate>& to, const tuned_conv& best) const {
        const auto policies = with(
            nullptr, operands_,
            [&](auto& operation) {
                if constexpr (requires { operation.policies_beside(device_); })
                    return operation.policies_beside(device_);
                else
                    return std::vector<gemm_policy>{};
            },
            conv_algorithm::implicit_gemm);
        std::vector<tuned_conv> seen{best};
        one_policy row;
        for (const gemm_policy& p : policies)
            for (const int parts : {1, 2, 3, 4, 6, 8, 12, 16}) {
                row.policy = tune::policy_json(tuned_conv{.policy = p, .split_k = parts});
                const auto& [one, said] = decided(&row);
                if (said.evidence != one_policy::evidence || std::ranges::find(seen, one) != seen.end())
                    continue;
                seen.push_back(one);
                add(to, one, other_algorithm);
            }
    }
    /// What implicit_gemm would take.
    tuned_conv implicit() const {
        return {.policy = tune::host_policy<In>(product(), device_.compute_units())};
    }
    bool takes(conv_algorithm algorithm) const {
        const tune::algorithm_request request{.pass = Kernels.pass,
                                              .sizes = kernel::sizes_of(problem_),
                                              .in_bytes = int(sizeof(In)),
                                              .out_bytes = int(sizeof(Out)),
                                              .floating = tune::direct_element<In>};
        return (algorithm != conv_algorithm::im2col || Kernels.algorithms.im2col) &&
               tune::obstacle_of(algorithm, request).empty() && runs(algorithm);
    }
    /// Would a row of it be used? mec looks at more than its sizes.
    bool runs(conv_algorithm algorithm) const {
        one_policy row;
        row.policy = tune::policy_json(tuned_conv{.algorithm = algorithm});
        return decided(&row).row.algorithm == algorithm;
    }
    static void add(std::vector<candidate>& to, const tuned_conv& one, double slower) {
        to.push_back({tune::policy_json(one), slower});
    }
    void add_shares(std::vector<candidate>& to, const tuned_conv& best) const {
        const gemm_problem p = product();
        for (gemm_policy& shares : host_shares(p.m, p.n, best.policy)) {
            if (!tune::fit_host<In>(p, shares, true).obstacle.empty()) continue;  // a call would not take it
            const double slower = slower_than_model(p, shares, best.policy, device_.compute_units());
            add(to, {.policy = shares, .split_k = best.split_k}, slower);
            if (best.split_k > 1) add(to, {.policy = shares}, slower * best.split_k);
        }
        if (best.split_k > 1) add(to, {.policy = best.policy}, best.split_k);
    }

    Device& device_;
    const conv_problem problem_;
    const Operands& operands_;
    const Epilogue& epilogue_;
    memory_sets sets_;
    chosen_calls calls_;
};

}  // namespace detail

/// Times algorithms and policies of one convolution on the host or a GPU for at most `budget`, and keeps the
/// fastest in the database. The pass is that of the operands. Algorithms: what is compiled beside
/// implicit_gemm, direct and mec; winograd and fft are never tuned, since their sums are less exact. The
/// result is written. What is kept won over the model's choice twice, or is that. Throws fade::error for a
/// beta that is not 0, and for what the convolution refuses.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Operands, class Epilogue = epilogue::none>
tuning tune_conv(Device& device, const conv_problem& problem, const Operands& operands,
                 tuning_database& database, std::chrono::duration<double> budget,
                 const Epilogue& epilogue = {}) {
    static_assert(detail::has_speed<Device>,
                  "tune_conv times calls of fade::host_device and GPUs: an emulated device has no speed");
    constexpr conv_kernels kernels{pass_of(Operands{}), Algorithms};
    detail::conv_to_tune<kernels, In, Out, Operands, Epilogue, Device> convolution(device, problem, operands,
                                                                                   epilogue);
    return detail::tune_within(device, convolution, database, budget);
}

/// Times a row and the model's choice, one after the other, on the host or a GPU. The result is written,
/// unless `obstacle` says why the row does not belong to this call. Throws fade::error as tune_conv does.
template <class In, class Out = In, conv_algorithms Algorithms = conv_algorithms{}, class Device,
          class Operands, class Epilogue = epilogue::none>
verification verify_conv(Device& device, const conv_problem& problem, const Operands& operands,
                         const tune::tuning_row& row, const Epilogue& epilogue = {}) {
    static_assert(detail::has_speed<Device>,
                  "verify_conv times calls of fade::host_device and GPUs: an emulated device has no speed");
    constexpr conv_kernels kernels{pass_of(Operands{}), Algorithms};
    detail::conv_to_tune<kernels, In, Out, Operands, Epilogue, Device> convolution(device, problem, operands,
                                                                                   epilogue);
    return detail::verify_row(device, convolution, row);
}

}  // namespace FADE_NAMESPACE
