// Finds: the modes that users of MIOpen know.
#include "common/processor_time.hpp"
#include "told.hpp"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fade/device/tune/background.hpp>
#include <fade/gemm.hpp>
#include <fade/tune.hpp>
#include <thread>

using namespace fade;
using namespace fade::test;

namespace {

/// Variables of the environment, as they were at the end.
struct environment {
    environment(const char* mode, const char* enforce) {
        ::setenv("FADE_FIND_MODE", mode, 1), ::setenv("FADE_FIND_ENFORCE", enforce, 1);
    }
    ~environment() { ::unsetenv("FADE_FIND_MODE"), ::unsetenv("FADE_FIND_ENFORCE"); }
};

/// A product, a user's file and a system's, which may have rows of it.
struct searched {
    host_device device{1};
    gemm_problem problem{.m = 64, .n = 48, .k = 32};
    std::vector<float> a, b, d;
    scratch_file user, system;
    detail::one_policy asked;

    searched() : a(64 * 32, 1.0f), b(32 * 48, 1.0f), d(64 * 48) { plan(&asked); }
    gemm_operands<float> operands() { return {.a = a.data(), .b = b.data(), .d = d.data()}; }
    gemm_plan plan(const tuned_policies* from) {
        return plan_gemm<float>(device, problem, operands(), {}, {.tuned = from});
    }
    tuning_database open() { return tuning_database({user.path(), {system.path()}}); }
    void put(const scratch_file& file, double nanoseconds) {
        tuning_database({file.path(), {}})
            .put({.problem = asked.asked_problem,
                  .machine = asked.asked_machine,
                  .policy = tune::policy_json(tuned_gemm{plan(nullptr).policy}),
                  .nanoseconds = nanoseconds,
                  .evidence = "made up"});
    }
    void make(const scratch_file& file) { tuning_database({file.path(), {}}); }
    found_policy find(tuning_database& db, find_mode mode, find_enforce enforce = find_enforce::none) {
        return find_gemm<float>(
            device, problem, operands(), db,
            {.mode = mode, .enforce = enforce, .budget = std::chrono::duration<double>(0.5)});
    }
};

bool has_searched(const found_policy& f) { return !f.search.times.empty(); }

constexpr double forever = 1e15;

}  // namespace

TEST_CASE("words and numbers of the environment are those of MIOpen") {
    const auto read = [](const char* mode, const char* enforce) {
        const environment e(mode, enforce);
        return find_options_of_environment();
    };
    using enum find_mode;
    CHECK(read("", "").mode == dynamic_hybrid);
    CHECK(read("", "").enforce == find_enforce::none);
    const std::pair<const char*, find_mode> modes[] = {{"1", normal},       {"2", fast},
                                                       {"3", hybrid},       {"5", dynamic_hybrid},
                                                       {"6", trust_verify}, {"7", trust_verify_full}};
    for (const auto& [number, mode] : modes) {
        CHECK(read(number, "").mode == mode);
        CHECK(read(name(mode), "").mode == mode);
    }
    CHECK(read("normal", "").mode == normal);
    CHECK(read("Trust_Verify_Full", "").mode == trust_verify_full);
    const char* enforced[] = {"NONE", "DB_UPDATE", "SEARCH", "SEARCH_DB_UPDATE", "DB_CLEAN"};
    for (int i = 1; i <= 5; ++i) {
        CHECK(int(read("", enforced[i - 1]).enforce) == i);
        CHECK(int(read("", std::to_string(i).c_str()).enforce) == i);
    }
    for (const char* word : {"0", "4", "8", "fastest", " 1", "1 "})
        CHECK_THROWS_WITH_AS(read(word, ""), doctest::Contains("there are NORMAL (1), FAST (2)"), error);
    for (const char* word : {"0", "6", "CLEAN"})
        CHECK_THROWS_WITH_AS(read("", word), doctest::Contains("there are NONE (1), DB_UPDATE (2)"), error);
    CHECK(find_options_of_environment({.mode = fast}).mode == fast);
}

TEST_CASE("a row that is there is taken without a search, but in NORMAL") {
    using enum find_mode;
    for (const find_mode mode : {fast, hybrid, dynamic_hybrid, trust_verify, trust_verify_full}) {
        searched s;
        s.make(s.system), s.put(s.user, 1);
        tuning_database db = s.open();
        const found_policy found = s.find(db, mode);
        CHECK(found.source == find_source::hit);
        CHECK_FALSE(has_searched(found));
        CHECK(says(s.plan(&db).report.why, "which decides"));
    }
    searched s;
    s.make(s.system), s.put(s.user, 1);
    tuning_database db = s.open();
    CHECK(has_searched(s.find(db, normal)));
}

TEST_CASE("without a row all but FAST search, and FAST where a search is enforced") {
    using enum find_mode;
    for (const find_mode mode : {normal, hybrid, dynamic_hybrid, trust_verify}) {
        searched s;
        s.make(s.system);
        tuning_database db = s.open();
        const found_policy found = s.find(db, mode);
        CHECK(has_searched(found));
        CHECK(found.source == (found.search.kept ? find_source::tuned : find_source::model));
    }
    searched s;
    s.make(s.system);
    tuning_database db = s.open();
    CHECK_FALSE(has_searched(s.find(db, fast)));
    CHECK(s.find(db, fast).why == "there is no row, and FAST does not search");
    CHECK(has_searched(s.find(db, fast, find_enforce::search)));
}

TEST_CASE("TRUST_VERIFY times a row of the system's, and keeps one that holds") {
    using enum find_mode;
    {
        searched s;
        s.put(s.system, forever), s.make(s.user);
        tuning_database db = s.open();
        const found_policy found = s.find(db, trust_verify);
        CHECK(found.source == find_source::hit);
        CHECK_FALSE(has_searched(found));
        CHECK(db.row_of(s.asked.asked_problem, s.asked.asked_machine)->of_user);
    }
    {
        searched s;
        s.put(s.system, 1e-3), s.make(s.user);
        tuning_database db = s.open();
        const found_policy found = s.find(db, trust_verify);
        CHECK(has_searched(found));
        CHECK(says(found.why, "the system's row is slower here than it says"));
        CHECK(db.row_of(s.asked.asked_problem, s.asked.asked_machine)->of_user == found.search.kept);
    }
    searched s;
    s.put(s.system, 1e-3), s.make(s.user);
    tuning_database db = s.open();
    CHECK(s.find(db, hybrid).source == find_source::hit);
}

TEST_CASE("what is enforced about the database makes the mode NORMAL, and says so") {
    using enum find_enforce;
    for (const find_enforce enforce : {db_update, search_db_update}) {
        searched s;
        s.make(s.system), s.put(s.user, forever);
        tuning_database db = s.open();
        const found_policy found = s.find(db, find_mode::fast, enforce);
        CHECK(has_searched(found));
        CHECK(says(found.why, std::string("mode NORMAL instead of FAST, since ") + name(enforce)));
        // The row that was there is of the model's policy: it is replaced, or it is gone.
        const auto row = db.row_of(s.asked.asked_problem, s.asked.asked_machine);
        CHECK(row.has_value() == found.search.kept);
        if (row) CHECK(row->row.nanoseconds < forever);
    }
    searched s;
    s.put(s.system, 1), s.put(s.user, 1);
    tuning_database db = s.open();
    const found_policy cleaned = s.find(db, find_mode::hybrid, db_clean);
    CHECK_FALSE(has_searched(cleaned));
    CHECK(says(cleaned.why, "the row is removed"));
    CHECK_FALSE(db.row_of(s.asked.asked_problem, s.asked.asked_machine)->of_user);
    CHECK(says(s.find(db, find_mode::normal, db_clean).why, "the row is the system's, and stays"));
    CHECK(db.row_of(s.asked.asked_problem, s.asked.asked_machine).has_value());
    searched other;
    other.make(other.system);
    tuning_database empty = other.open();
    CHECK(other.find(empty, find_mode::normal, db_clean).why == "there was no row to remove");
}

TEST_CASE("a find that is told nothing asks the environment") {
    searched s;
    s.make(s.system);
    tuning_database db = s.open();
    const environment e("FAST", "");
    CHECK(find_gemm<float>(s.device, s.problem, s.operands(), db).why ==
          "there is no row, and FAST does not search");
    CHECK_THROWS_AS(
        find_gemm<float>(s.device, s.problem, s.operands(), db, {.budget = std::chrono::duration<double>(0)}),
        error);
}

namespace {
/// Until it holds, or minutes have passed.
template <class F>
bool comes_true(const F& holds) {
    for (int i = 0; i < 60000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return holds();
}
}  // namespace

TEST_CASE("a background tunes what it is given, beside calls that ask it") {
    searched s;
    tune::background tuner({s.user.path(), {}}, std::chrono::seconds(4));
    const auto call = [&] { return s.plan(&tuner).report.why; };
    CHECK(says(call(), "has no row of this problem"));
    CHECK(tuner.progress().done == 0);
    CHECK(tuner.gemm<float>(s.problem, 1));
    int heard = 0;
    while (tuner.progress().done == 0) {
        heard += says(call(), "are being tuned in the background");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(heard > 1);  // a call that waited for the search would be the last that hears of it
    const tune::background_progress now = tuner.progress();
    CHECK((now.done == 1 && now.left == 0 && now.kept == 1 && now.failure.empty() && !now.ended));
    CHECK(comes_true([&] { return says(call(), "has a row of this problem, which decides"); }));
    CHECK_FALSE(says(call(), "background"));
    // What cannot be is refused at once, and what the thread cannot do is told.
    gemm_problem wrong = s.problem;
    wrong.beta = 1;
    CHECK_THROWS_AS(tuner.gemm<float>(wrong, 1), error);
    CHECK_THROWS_AS(tuner.gemm<float>(s.problem, 0), error);
    CHECK(tuner.gemm<float>(s.problem, 1, 5000));
    CHECK(comes_true([&] { return tuner.progress().done == 2; }));
    CHECK(says(tuner.progress().failure, "split_k"));
}

TEST_CASE("a background works for its budget in all, and ends with what it times") {
    const scratch_file file;
    const gemm_problem large{.m = 400, .n = 400, .k = 400};
    constexpr double budget = 0.3, most = 1.05 * budget + 0.05;
    double least = 100;
    for (int i = 0; i < 60 && least > most; ++i) {  // a busy machine may be late, but not always
        tune::background tuner({file.path(), {}}, std::chrono::duration<double>(budget));
        int given = 0;
        while (given < 100 && tuner.gemm<float>(large, 1)) {
            ++given;
            comes_true([&] { return tuner.progress().left == 0; });
        }
        const tune::background_progress end = tuner.progress();
        CHECK(given < 100);
        CHECK(end.ended);
        CHECK(end.done == given);
        least = std::min(least, end.seconds);
    }
    CHECK(least <= most);
    double begin = 0;
    {
        tune::background tuner({file.path(), {}}, std::chrono::hours(1));
        for (int i = 0; i < 3; ++i) CHECK(tuner.gemm<float>({.m = 1500, .n = 1500, .k = 700}, 1));
        comes_true([&] { return tuner.progress().left > 0; });
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        CHECK(tuner.progress().left > 0);
        begin = processor_seconds();
    }
    CHECK(processor_seconds() - begin < 2);
    CHECK_THROWS_AS(tune::background({file.path(), {}}, std::chrono::seconds(0)), error);
    CHECK_THROWS_AS(tune::background({"/no/folder/file", {}}, std::chrono::seconds(1)), error);
}
