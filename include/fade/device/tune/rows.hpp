// Which kernel of a row operator is the fastest here, and whether a kept one still is.
#pragma once
#include <fade/device/row_call.hpp>
#include <fade/device/tune/gemm.hpp>
#include <type_traits>

namespace FADE_NAMESPACE {

namespace detail {

/// A row operator as tuning sees it. What it refers to must outlive it.
template <class Operator, class Device>
class rows_to_tune {
    using operation = row_operation<Operator, Device>;
    static constexpr bool on_host = std::is_same_v<Device, host_device>;

public:
    rows_to_tune(Device& device, const char* name, const kernel::row_size& size, const Operator& op)
        : device_(device), name_(name), size_(size), op_(op), sets_(memory_space_of(device)) {}

    report said() const { return asking(op_, &source).said(); }
    tuned_call call() {
        return {.source = source,
                .run = [this] { run(); },
                .model = tune::policy_json(tuned_rows{asking(op_, nullptr).policy()}),
                .device = device_.name()};
    }
    /// The kernels whose registers hold a row, and the streamed one. The host has one.
    std::vector<candidate> candidates() const {
        std::vector<candidate> out;
        if constexpr (!on_host) {
            const row_policy model = asking(op_, nullptr).policy();
            one_policy row;
            with_arch_of(device_, [&](auto arch) {
                for (int kind = 0; kind <= int(tune::row_kind::streamed); ++kind) {
                    const row_policy p = tune::row_policy_for<Operator>(
                        tune::row_kind(kind), asking(op_, nullptr).reads_runs(), decltype(arch)::traits);
                    row.policy = tune::policy_json(tuned_rows{p});
                    if (p != model && asking(op_, &row).said().evidence == one_policy::evidence)
                        out.push_back({row.policy, slowest_kernel});
                }
            });
        }
        return out;
    }
    /// Of a device that compiles kernels: the table's, then waves and runs around those of the program.
    std::vector<std::string> policies_to_compile() const {
        std::vector<std::string> out;
        if constexpr (compiles_for<
                          tune::row_entry<Operator, tune::chosen_row_policy<tune::row_kind::wave, true>>,
                          Device>())
            with_arch_of(device_, [&](auto arch) {
                constexpr auto traits = decltype(arch)::traits;
                const bool whole = asking(op_, nullptr).reads_runs();
                std::vector<row_policy> all = device_.candidates.rows;
                const std::size_t max = all.size() + device_.candidates.max;
                for (int kind = 0; kind < int(tune::row_kind::streamed); ++kind)
                    for (const auto& [waves, runs] : {std::pair{2, 2}, {4, 2}, {2, 4}, {2, 1}, {1, 2}}) {
                        row_policy p = tune::row_policy_for<Operator>(tune::row_kind(kind), whole, traits);
                        p.waves = p.waves * waves / 2, p.runs = p.runs * runs / 2;
                        const bool fits = tune::fit_compiled_rows<Operator>(size_.columns, whole, p, traits)
                                              .obstacle.empty();
                        if (fits && all.size() < max && std::ranges::find(all, p) == all.end())
                            all.push_back(p);
                    }
                for (const row_policy& p : all) out.push_back(tune::policy_json(tuned_rows{p}));
            });
        return out;
    }
    double multiplications() const {
        constexpr double passes = 64;  // an element costs as much as so many multiplications
        return passes * double(Operator::operands) * double(size_.rows) * double(size_.columns);
    }
    /// Copies of the tensors that have a row for each row.
    int rotate(std::size_t bytes, const deadline& end) {
        std::vector<memory_piece> pieces;
        each_moved(op_, [&](const auto& t) {
            using element = std::remove_pointer_t<decltype(t.data)>;
            const byte_range range = kernel::range_of_rows(t, size_);
            if constexpr (std::is_const_v<element>)
                pieces.push_back({range});
            else
                pieces.push_back(written_piece<element>(range));
        });
        if (size_.rows > 0 && size_.columns > 0) sets_.make(std::move(pieces), bytes, end);
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

    operation asking(const Operator& op, const tuned_policies* tuned) const {
        return {device_, name_, size_, op, tuned};
    }
    template <class F>
    static void each_moved(const Operator& op, const F& f) {
        op.each_tensor([&](const char*, const auto& t, bool = false) {
            if (t.data && t.stride != 0) f(t);
        });
    }
    operation next_operation() {
        Operator mine = op_;
        sets_.next();
        std::size_t piece = 0;
        each_moved(mine, [&](const auto& t) {
            auto& moved =
                const_cast<std::remove_cvref_t<decltype(t)>&>(t);  // of `mine`, which is no constant
            element_pointer at(moved.data);
            sets_.move(piece++, at);
            moved.data = at.get();
        });
        return asking(mine, &source);
    }
    void run() {
        calls_.run(device_, source.policy, sets_.count(), at_once,
                   [&] { return ready_call(device_, next_operation()); });
    }

    Device& device_;
    const char* name_;
    kernel::row_size size_;
    const Operator& op_;
    memory_sets sets_;
    chosen_calls calls_;
};

}  // namespace detail

/// Times the kernels of a row operator on the host or a GPU for at most `budget`, and keeps the fastest in
/// the database. The host has one kernel, which is timed and not kept. What the operator writes is written.
/// What is kept won over the model's choice twice, or is that. Throws fade::error for what run_rows()
/// refuses.
template <class Operator, class Device>
tuning tune_rows(Device& device, const char* name, const kernel::row_size& size, const Operator& op,
                 tuning_database& database, std::chrono::duration<double> budget) {
    static_assert(detail::has_speed<Device>,
                  "tune_rows times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::rows_to_tune<Operator, Device> rows(device, name, size, op);
    return detail::tune_within(device, rows, database, budget);
}

/// Times a row of the database and the model's choice, one after the other, on the host or a GPU. What the
/// operator writes is written, unless `obstacle` says why the row does not belong to this call. Throws
/// fade::error for what run_rows() refuses.
template <class Operator, class Device>
verification verify_rows(Device& device, const char* name, const kernel::row_size& size, const Operator& op,
                         const tune::tuning_row& row) {
    static_assert(detail::has_speed<Device>,
                  "verify_rows times calls of fade::host_device and GPUs: an emulated device has no speed");
    detail::rows_to_tune<Operator, Device> rows(device, name, size, op);
    return detail::verify_row(device, rows, row);
}

}  // namespace FADE_NAMESPACE
