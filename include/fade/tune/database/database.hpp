// Tuned policies that stay: a file of the user's over files of the system, looked up in memory.
#pragma once
#include <chrono>
#include <cmath>
#include <deque>
#include <fade/tune/database/layer.hpp>
#include <fade/tune/host_traits.hpp>
#include <functional>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE {

namespace detail {

/// As "%.*g" prints it. printf's own code is long, and in no cache when a program's first call asks.
inline std::string in_digits(double x, int digits) {
    int decimals = digits - 1;
    double scale = 1;
    for (int i = 0; i < decimals; ++i) scale *= 10;
    if (x >= 1e-3 && x < scale) {
        for (double bound = 10; x >= bound; bound *= 10) --decimals, scale /= 10;
        for (double bound = 1; x < bound; bound /= 10) ++decimals, scale *= 10;
        std::string out = std::to_string(std::int64_t(x * scale + 0.5));
        if (int(out.size()) <= decimals) out.insert(0, std::size_t(decimals + 1) - out.size(), '0');
        if (decimals == 0) return out;
        out.insert(out.size() - std::size_t(decimals), 1, '.');
        out.erase(out.find_last_not_of('0') + 1);
        if (out.back() == '.') out.pop_back();
        return out;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, x);
    return text;
}

}  // namespace detail

/// Files of a tuning database.
struct tuning_files {
    std::string user;                 ///< read, and written by put(); made where it is not there
    std::vector<std::string> system;  ///< read alone, and never while anybody writes them
};

/// A row, and where it is kept.
struct kept_row {
    tune::tuning_row row;
    bool of_user = false;  ///< in the user's file, not in one of the system's
};

/// Tuned policies for `gemm_options::tuned` and its like. Rows of the user's file win over the system's, and
/// those over later ones of the list. Several threads may use one object, and several processes one file.
class tuning_database : public tuned_policies {
public:
    /// Throws fade::error for a file that is no tuning database, which stays as it is. A user's file that
    /// cannot be written is read, and one that cannot be made is left out: refused_writes() says why.
    explicit tuning_database(const tuning_files& files, tune::build build = tune::this_build())
        : build_(std::move(build)) {
        open_user(files.user);
        for (const std::string& path : files.system)
            layers_.push_back(tune::database_layer::unchanging(path));
        host_traits_in_words();  // files that the first call would read
        const std::lock_guard lock(mutex_);
        reload();
        if (!rows_.empty())  // what the first call would load of this program
            static_cast<void>(search(rows_.front().row.problem, rows_.front().row.machine));
    }

    /// Why put() will refuse; empty where it will not.
    const std::string& refused_writes() const { return refused_; }

    /// Keeps a row: it is on the disk when this returns. Throws fade::error, with nothing kept, where the
    /// file cannot be written.
    void put(const tune::tuning_row& r) {
        const std::lock_guard lock(mutex_);
        if (!refused_.empty()) throw error("tuning database", "not writable", refused_);
        layers_.front().put(r);
        fresh_ = false;
    }

    /// Removes a row of the user's file; false where it is gone, or another one stands in its place. Throws
    /// fade::error where the file cannot be written.
    bool remove(const tune::tuning_row& r) {
        const std::lock_guard lock(mutex_);
        if (!refused_.empty()) throw error("tuning database", "not writable", refused_);
        fresh_ = false;
        return layers_.front().remove(r);
    }

    /// The row that decides this very problem, if there is one, and whether it is the user's.
    std::optional<kept_row> row_of(const tuning_problem& problem, const tuning_machine& machine) const {
        const std::lock_guard lock(mutex_);
        if (!is_fresh()) reload();
        const auto same = by_problem_.find(hash_of(problem));
        if (same == by_problem_.end()) return std::nullopt;
        for (const kept_row* r : same->second)
            if (r->row.problem == problem && is_used(r->row, machine)) return *r;
        return std::nullopt;
    }

    /// Calls f(row) for each row of every file, the user's first. Throws fade::error for a damaged file.
    template <class F>
    void each_row(const F& f) const {
        const std::lock_guard lock(mutex_);
        for (const tune::database_layer& layer : layers_) layer.each_row(f);
    }

    /// Looks in memory. Rows of other processes are seen within a second.
    tuned_policy find(const tuning_problem& problem, const tuning_machine& machine) const override {
        const std::lock_guard lock(mutex_);
        if (!is_fresh()) reload();
        if (!damage_.empty()) return {.match = tuned_match::unreadable, .why = damage_};
        for (const auto& [known, answer] : answers_[hash_of(problem)])
            if (known.first == problem && known.second == machine) return answer;
        if (++kept_answers_ > max_answers) answers_.clear(), kept_answers_ = 1;
        tuned_policy answer = search(problem, machine);
        answers_[hash_of(problem)].push_back({{problem, machine}, answer});
        return answer;
    }

private:
    using clock = std::chrono::steady_clock;
    using row = tune::tuning_row;

    void open_user(const std::string& path) {
        try {
            layers_.push_back(tune::database_layer::writable(path));
            has_user_ = true;
            return;
        } catch (const error& e) {
            refused_ = e.what();
        }
        try {
            layers_.push_back(tune::database_layer::readable(path));
            has_user_ = true;
        } catch (const error&) {
            if (is_there(path)) throw;
        }
    }
    static bool is_there(const std::string& path) {
        std::FILE* file = std::fopen(path.c_str(), "rb");
        if (file) std::fclose(file);
        return file != nullptr;
    }

    bool is_fresh() const {
        const auto now = clock::now();
        if (fresh_ && now - asked_ < std::chrono::seconds(1)) return true;
        asked_ = now;
        if (!fresh_ || !refused_.empty()) return fresh_;
        // Where the files have not changed, SQLite need not be asked, whose code is in no cache by then.
        const tune::file_times written = layers_.front().last_written();
        if (written.still(written_)) return true;
        try {
            if (layers_.front().data_version() != version_) return false;
            written_ = written;
            return true;
        } catch (const error&) {
            return false;  // reloading says what is wrong
        }
    }

    void reload() const {
        by_kind_.clear(), by_problem_.clear(), rows_.clear(), answers_.clear(), damage_.clear();
        kept_answers_ = 0;
        try {
            if (!layers_.empty())
                written_ = layers_.front().last_written(), version_ = layers_.front().data_version();
            for (const tune::database_layer& layer : layers_)
                layer.each_row([&](const row& r) { add({r, &layer == &layers_.front() && has_user_}); });
        } catch (const error& e) {
            damage_ = std::string("the tuning database was not used: ") + e.what();
        }
        fresh_ = true, asked_ = clock::now();
    }

    void add(kept_row r) const {
        rows_.push_back(std::move(r));
        const kept_row& kept = rows_.back();
        by_kind_[kept.row.problem.kind + "/" + kept.row.machine.arch].push_back(&kept.row);
        by_problem_[hash_of(kept.row.problem)].push_back(&kept);
    }

    static std::size_t hash_of(const tuning_problem& p) {
        std::size_t out = std::hash<std::string>()(p.kind);
        for (const index size : p.sizes) out = out * 1000003 + std::size_t(size);
        return out;
    }

    /// How far sizes are apart: the sum of the factors between them, each as a power of 2.
    static double distance(const tuning_problem& a, const tuning_problem& b) {
        if (a.sizes.size() != b.sizes.size()) return infinite;
        double out = 0;
        for (std::size_t i = 0; i < a.sizes.size(); ++i) {
            const index x = a.sizes[i], y = b.sizes[i];
            if (x != y) out += x < 1 || y < 1 ? infinite : std::abs(std::log2(double(x) / double(y)));
        }
        return out;
    }

    tuned_policy search(const tuning_problem& problem, const tuning_machine& machine) const {
        const row* stale = nullptr;
        if (const auto same = by_problem_.find(hash_of(problem)); same != by_problem_.end())
            for (const kept_row* kept : same->second) {
                const row* r = &kept->row;
                if (r->problem != problem || r->machine.arch != machine.arch) continue;
                if (is_used(*r, machine)) return of_row(*r, 0);
                stale = r;
            }
        const row* best = nearest(problem, machine);
        if (best && distance(problem, best->problem) <= max_distance)
            return of_row(*best, distance(problem, best->problem));
        if (stale) return {.match = tuned_match::stale, .why = stale_words(*stale, machine)};
        return {.match = tuned_match::miss, .why = "the tuning database has no row of this problem"};
    }
    bool is_used(const row& r, const tuning_machine& machine) const {
        return r.machine == machine && r.build == build_;
    }
    const row* nearest(const tuning_problem& problem, const tuning_machine& machine) const {
        const row* best = nullptr;
        const auto found = by_kind_.find(problem.kind + "/" + machine.arch);
        if (found == by_kind_.end()) return nullptr;
        for (const row* r : found->second)
            if (is_used(*r, machine) &&
                (!best || distance(problem, r->problem) < distance(problem, best->problem)))
                best = r;
        return best;
    }

    static tuned_policy of_row(const row& r, double far) {
        tuned_policy out{.match = tuned_match::exact,
                         .policy = r.policy,
                         .why = "the tuning database has a row of this problem",
                         .evidence = "tuned: " + r.evidence + ", " +
                                     detail::in_digits(r.nanoseconds / 1e3, 4) + " us a call, noise " +
                                     detail::in_digits(100 * r.noise, 2) + " %"};
        if (far == 0) return out;
        char apart[32];
        std::snprintf(apart, sizeof apart, "%.2f", far);
        std::string sizes;
        for (const index size : r.problem.sizes) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
        out.match = tuned_match::near;
        out.why = "the tuning database has a row of " + sizes + " at a distance of " + apart;
        return out;
    }

    std::string stale_words(const row& r, const tuning_machine& machine) const {
        std::string out = "the tuning database's row of this problem is stale: it is of ";
        if (r.machine.traits != machine.traits)
            return out + "a machine with " + r.machine.traits + ", and this one has " + machine.traits;
        if (r.build.fingerprint != build_.fingerprint) return out + "other sources of the kernels";
        if (r.build.compiler != build_.compiler) return out + "another compiler, " + r.build.compiler;
        return out + "FADE " + r.build.version;
    }

    static constexpr double max_distance = 1;  // a factor of 2 in one size
    static constexpr double infinite = 1e9;
    static constexpr int max_answers = 1 << 17;  // of programs whose sizes never come back

    using asked = std::pair<tuning_problem, tuning_machine>;
    tune::build build_;
    std::string refused_;
    mutable std::mutex mutex_;
    mutable std::vector<tune::database_layer> layers_;  // the user's first, where there is one
    bool has_user_ = false;
    mutable std::deque<kept_row> rows_;
    mutable std::unordered_map<std::string, std::vector<const row*>> by_kind_;
    mutable std::unordered_map<std::size_t, std::vector<const kept_row*>> by_problem_;
    mutable std::unordered_map<std::size_t, std::vector<std::pair<asked, tuned_policy>>> answers_;
    mutable int kept_answers_ = 0;
    mutable std::string damage_;
    mutable std::int64_t version_ = 0;
    mutable tune::file_times written_{};  // when version_ was that
    mutable bool fresh_ = false;
    mutable clock::time_point asked_{};
};

}  // namespace FADE_NAMESPACE
