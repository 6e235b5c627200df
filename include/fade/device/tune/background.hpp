// Tuning beside a program's own work, where it asks for that: a thread that times what it is given.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <fade/device/tune/attention.hpp>
#include <fade/device/tune/conv.hpp>
#include <fade/device/tune/gemm.hpp>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// What a background has done.
struct background_progress {
    int done = 0;           ///< problems that were tuned, or failed
    int left = 0;           ///< problems that wait, or are being tuned
    int kept = 0;           ///< of those done, how many have a row now
    double seconds = 0;     ///< that the thread has worked
    bool ended = false;     ///< is the budget spent?
    std::string failure{};  ///< why the last one that failed did; empty where none did
};

/// A source of tuned policies with a thread that adds to it. Nothing is timed before a problem is given. The
/// thread has devices, tensors and a connection of its own: calls that ask never wait for it, but share the
/// processor. It works for the budget in all, keeps each row as soon as it is found, and calls see it within
/// a second. Destroying it waits for the call that is being timed. Several threads may use one object at
/// once.
class background : public tuned_policies {
    using duration = std::chrono::duration<double>;
    using deadline = fade::detail::deadline;
    using job = std::function<bool(tuning_database&, const deadline&)>;  // was a row kept?

public:
    /// Throws fade::error for files that tuning_database refuses or cannot write, and for a budget that is
    /// not above 0.
    background(const tuning_files& files, duration budget) : files_(files), rows_(files), budget_(budget) {
        fade::detail::check_budget(budget);
        if (!rows_.refused_writes().empty())
            throw error("tuning database", "not writable", rows_.refused_writes());
    }
    ~background() override {
        {
            const std::lock_guard lock(mutex_);  // else the thread may miss it
            stops_ = true;
        }
        wake_.notify_all();
        if (thread_.joinable()) thread_.join();
    }
    background(const background&) = delete;
    background& operator=(const background&) = delete;

    /// Gives it a product of f32, f16 or bf16, for calls on a host_device with so many threads. False, with
    /// nothing done, where the budget is spent. What an epilogue reads must outlive this object. Throws
    /// fade::error for what tune_gemm refuses.
    template <class In, class Epilogue = epilogue::none>
    bool gemm(const gemm_problem& problem, int threads, int split_k = 1, const Epilogue& epilogue = {}) {
        const gemm_problem p = kernel::checked(problem);
        require_real(p.beta == 0, "beta", p.beta, "calls are repeated, so C must not be needed");
        return add(threads, [=](host_device& device, tuning_database& rows, const deadline& end) {
            const bool ta = a_transposed(p.layout), tb = b_transposed(p.layout);
            const auto elements = [&](index count, index ld, index stride) {
                return stride * (p.batch - 1) + count * ld;
            };
            const auto a = drawn<In>(elements(ta ? p.k : p.m, p.lda, p.stride_a)),
                       b = drawn<In>(elements(tb ? p.n : p.k, p.ldb, p.stride_b));
            std::vector<In> d(std::size_t(elements(p.m, p.ldd, p.stride_d)));
            const gemm_operands<In> operands{.a = a.data(), .b = b.data(), .d = d.data()};
            fade::detail::product_to_tune<In, In, Epilogue> product(device, p, operands, epilogue, split_k);
            return fade::detail::tune_until(device, product, rows, end).kept;
        });
    }
    /// The same of an attention. Throws fade::error for what tune_attention refuses.
    template <class In>
    bool attention(const attention_problem& problem, int threads) {
        const attention_problem p = kernel::checked(problem);
        return add(threads, [=](host_device& device, tuning_database& rows, const deadline& end) {
            const index queries = p.batch * p.seq_q * p.heads, keys = p.batch * p.seq_k * p.kv_heads;
            const auto q = drawn<In>(queries * p.head_dim), k = drawn<In>(keys * p.head_dim),
                       v = drawn<In>(keys * p.head_dim_v);
            std::vector<In> o(std::size_t(queries * p.head_dim_v));
            const attention_operands<In> operands{.q = q.data(), .k = k.data(), .v = v.data(), .o = o.data()};
            const no_rule plain;
            fade::detail::attention_to_tune<In, In, no_rule> attended(device, p, operands, plain);
            return fade::detail::tune_until(device, attended, rows, end).kept;
        });
    }
    /// The same of a forward convolution. Throws fade::error for what tune_conv refuses.
    template <class In, conv_algorithms Algorithms = conv_algorithms{}, class Epilogue = epilogue::none>
    bool conv_forward(const conv_problem& problem, int threads, const Epilogue& epilogue = {}) {
        const conv_problem p = kernel::checked(problem);
        require_real(p.beta == 0, "beta", p.beta, "calls are repeated, so C must not be needed");
        return add(threads, [=](host_device& device, tuning_database& rows, const deadline& end) {
            const auto x = drawn<In>(kernel::input_shape(p).elements()),
                       w = drawn<In>(kernel::filter_shape(p).elements());
            std::vector<In> y(std::size_t(kernel::output_shape(p).elements()));
            const conv_operands<In> operands{.x = x.data(), .w = w.data(), .y = y.data()};
            constexpr conv_kernels kernels{conv_pass::forward, Algorithms};
            fade::detail::conv_to_tune<kernels, In, In, conv_operands<In>, Epilogue> convolution(
                device, p, operands, epilogue);
            return fade::detail::tune_until(device, convolution, rows, end).kept;
        });
    }

    /// What was done, and what is left.
    background_progress progress() const {
        const std::lock_guard lock(mutex_);
        background_progress out = progress_;
        out.left += int(queue_.size());
        return out;
    }
    /// As the database answers; `why` says beside it what the thread has left to do.
    tuned_policy find(const tuning_problem& problem, const tuning_machine& machine) const override {
        tuned_policy out = rows_.find(problem, machine);
        const background_progress now = progress();
        if (now.left > 0) out.why += " (" + std::to_string(now.left) + " are being tuned in the background)";
        return out;
    }

private:
    template <class In>
    static std::vector<In> drawn(index count) {
        static_assert(std::is_same_v<In, float> || std::is_same_v<In, f16> || std::is_same_v<In, bf16>,
                      "a background draws operands of f32, f16 and bf16");
        std::minstd_rand draw{std::random_device{}()};
        std::uniform_real_distribution<float> any(-1, 1);
        std::vector<In> out(static_cast<std::size_t>(count));
        for (In& x : out)
            if constexpr (std::is_same_v<In, float>)
                x = any(draw);
            else if constexpr (std::is_same_v<In, f16>)
                x = to_f16(any(draw));
            else
                x = to_bf16(any(draw));
        return out;
    }

    template <class Tune>
    bool add(int threads, Tune tune) {
        require(threads >= 1, "threads", threads, "a device needs at least 1");
        const std::lock_guard lock(mutex_);
        if (progress_.ended) return false;
        queue_.push_back([threads, tune](tuning_database& rows, const deadline& end) {
            host_device device(threads);
            return tune(device, rows, end);
        });
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        wake_.notify_all();
        return true;
    }

    /// The next job and its share of the budget; none where the thread is to end.
    std::pair<job, duration> next() {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stops_ || !queue_.empty(); });
        if (stops_) return {};
        const duration left = budget_ - duration(progress_.seconds);
        std::pair<job, duration> out{
            std::move(queue_.front()),
            left / double(queue_.size() + 1)};  // those that come later have a share, too
        queue_.pop_front();
        progress_.left = 1;
        return out;
    }
    void ended(const char* failure, bool kept, double seconds) {
        const std::lock_guard lock(mutex_);
        progress_.left = 0, ++progress_.done, progress_.kept += kept, progress_.seconds += seconds;
        if (failure) progress_.failure = failure;
        if (progress_.seconds < budget_.count() * spent) return;
        progress_.ended = true;
        queue_.clear();
    }
    void work() {
        std::optional<tuning_database> rows;
        for (auto [one, share] = next(); one; std::tie(one, share) = next()) {
            const auto begin = deadline::clock::now();
            bool kept = false;
            std::string failure;
            try {
                if (!rows) rows.emplace(files_);
                kept = one(*rows, deadline(share, stops_));
            } catch (const std::exception& e) {
                failure = e.what();
            }
            ended(failure.empty() ? nullptr : failure.c_str(), kept,
                  fade::detail::nanoseconds_since(begin) * 1e-9);
            if (progress().ended) return;
        }
    }

    static constexpr double spent = 0.98;  // of the budget: what is left is too short for any call
    tuning_files files_;
    tuning_database rows_;
    duration budget_;
    std::atomic<bool> stops_ = false;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<job> queue_;
    background_progress progress_;
    std::thread thread_;
};

}  // namespace FADE_NAMESPACE::tune
