// A tuning database: what it finds, what it refuses, and that nothing is lost when files or processes fail.
#include "common/processor_time.hpp"
#include <csignal>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fade/tune.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

using namespace fade;
namespace fs = std::filesystem;

namespace {

/// A folder that is gone at the end.
struct scratch {
    fs::path path;
    scratch() {
        std::string name = (fs::temp_directory_path() / "fade-tune-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()));
        path = name;
    }
    ~scratch() { fs::remove_all(path); }
    std::string operator/(const char* name) const { return (path / name).string(); }
};

const tuning_machine machine{"gfx942", "304 compute units"};
const tune::build ours{"0123", "a compiler", "1.2.3"};

tune::tuning_row row_of(fade::index m, int swizzle_rows = 8) {
    const tuned_gemm kept{
        .policy = {.block_tile = {128, 64, 32}, .wave_tile = {64, 32}, .swizzle_rows = swizzle_rows},
        .split_k = 3};
    return {.problem = {.kind = "gemm nn", .sizes = {m, 512, 256, 1}},
            .machine = machine,
            .build = ours,
            .policy = tune::policy_json(kept),
            .nanoseconds = 1500,
            .noise = 0.01,
            .date = 1700000000,
            .evidence = "measured on a made-up machine"};
}

tuned_policy find(const tuning_database& db, fade::index m) { return db.find(row_of(m).problem, machine); }

std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The rows of a file, which must be whole.
fade::index rows_in(const std::string& path) {
    const tuning_database db({path, {}}, ours);
    fade::index rows = 0;
    db.each_row([&](const auto&) { ++rows; });
    tune::sqlite_file file(path, SQLITE_OPEN_READONLY);
    tune::sqlite_statement check(file, "PRAGMA integrity_check");
    REQUIRE(check.step());
    CHECK(check.text(0) == "ok");
    return rows;
}

}  // namespace

TEST_CASE("a policy is the same after it was text") {
    std::mt19937 random(std::random_device{}());
    const auto number = [&] { return int(random() % 1000) * (random() % 8 != 0); };
    const auto comes_back = [&](const auto& p) {
        using policy = std::remove_cvref_t<decltype(p)>;
        const std::string text = tune::policy_json(p);
        CAPTURE(text);
        REQUIRE(tune::read_policy<policy>(text));
        CHECK(*tune::read_policy<policy>(text) == p);
        CHECK(tune::looks_like_policy(text));
        CHECK_FALSE(tune::read_policy<policy>(text + " "));
        for (std::size_t i = 0; i < text.size(); ++i) {
            CHECK_FALSE(tune::read_policy<policy>(text.substr(0, i)));
            std::string other = text;
            other[i] = char(random());
            const auto read = tune::read_policy<policy>(other);
            if (read) CHECK(tune::policy_json(*read) == other);
        }
    };
    for (int i = 0; i < 50; ++i)
        comes_back(tuned_gemm{.policy = {.block_tile = {number(), number(), number()},
                                         .wave_tile = {number(), number()},
                                         .pipeline = block::pipeline_kind(random() % 6),
                                         .swizzle_rows = number(),
                                         .xcd_chunk = number(),
                                         .waves_per_simd = number(),
                                         .cluster = number(),
                                         .cluster_k = number(),
                                         .schedule = gemm_schedule(random() % 2)},
                              .split_k = number()});
    for (const char* text : {"{}", "", "{\"split_k\":1}", "{\"block_tile\":[1,1,1]}"})
        CHECK_FALSE(tune::read_policy<tuned_gemm>(text));
}

TEST_CASE("rows are found again: exact, near, stale or not at all") {
    const scratch at;
    {
        tuning_database({at / "db", {}}, ours).put(row_of(4096));
    }
    const tuning_database db({at / "db", {}}, ours);
    const tuned_policy exact = find(db, 4096);
    CHECK(exact.match == tuned_match::exact);
    CHECK(exact.policy == row_of(4096).policy);
    CHECK(exact.evidence == "tuned: measured on a made-up machine, 1.5 us a call, noise 1 %");
    CHECK(find(db, 8192).match == tuned_match::near);
    CHECK(find(db, 8192).why.find("4096 x 512 x 256 x 1 at a distance of 1.00") != std::string::npos);
    CHECK(find(db, 8193).match == tuned_match::miss);
    CHECK(find(db, 8193).policy == "");

    const auto stale = [&](const tuning_machine& m, const tune::build& b) {
        const tuned_policy found = tuning_database({at / "db", {}}, b).find(row_of(4096).problem, m);
        CHECK(found.match == tuned_match::stale);
        CHECK(found.policy == "");
        return found.why;
    };
    CHECK(stale({"gfx942", "38 compute units"}, ours).find("this one has 38 compute units") !=
          std::string::npos);
    CHECK(stale(machine, {"4567", "a compiler", "1.2.3"}).find("other sources") != std::string::npos);
    CHECK(stale(machine, {"0123", "another", "1.2.3"}).find("another compiler") != std::string::npos);
    CHECK(stale(machine, {"0123", "a compiler", "1.2.4"}).find("FADE 1.2.3") != std::string::npos);
    CHECK(db.find(row_of(4096).problem, {"gfx950", machine.traits}).match == tuned_match::miss);
}

TEST_CASE("the user's row wins over the system's, and a later one over an earlier, whatever the clock says") {
    const scratch at;
    {
        tuning_database({at / "system", {}}, ours).put(row_of(64, 2));
    }
    fs::permissions(at / "system", fs::perms::owner_read);
    const std::string before = bytes_of(at / "system");
    tuning_database db({at / "user", {at / "system"}}, ours);
    CHECK(find(db, 64).policy == row_of(64, 2).policy);
    db.put(row_of(64, 4));
    CHECK(find(db, 64).policy == row_of(64, 4).policy);
    auto older = row_of(64, 5);
    older.date = 1;
    db.put(older);
    CHECK(find(db, 64).policy == row_of(64, 5).policy);
    CHECK(bytes_of(at / "system") == before);
}

TEST_CASE("rows of another process are seen within a second") {
    const scratch at;
    const tuning_database db({at / "db", {}}, ours);
    CHECK(find(db, 64).match == tuned_match::miss);
    tuning_database({at / "db", {}}, ours).put(row_of(64));
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    CHECK(find(db, 64).match == tuned_match::exact);
}

TEST_CASE("a file of somebody else stays as it is") {
    const scratch at;
    write(at / "text", "These are the notes of somebody else, and no database at all.\n");
    {
        tune::sqlite_file other(at / "other", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        other.run("CREATE TABLE notes(x); INSERT INTO notes VALUES(1); PRAGMA application_id=7");
    }
    {
        tune::sqlite_file marked(at / "marked", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        marked.run("PRAGMA application_id=7");
    }
    {
        tuning_database({at / "newer", {}}, ours).put(row_of(64));
    }
    {
        tune::sqlite_file(at / "newer", SQLITE_OPEN_READWRITE).run("PRAGMA user_version=3");
    }
    for (const char* name : {"text", "other", "marked", "newer"}) {
        CAPTURE(name);
        const std::string before = bytes_of(at / name);
        CHECK_THROWS_AS(tuning_database({at / name, {}}, ours), error);
        CHECK_THROWS_AS(tuning_database({at / "user", {at / name}}, ours), error);
        CHECK(bytes_of(at / name) == before);
    }
}

namespace {
/// A file as FADE made them when it tuned products alone, with two rows.
void make_form_1(const std::string& path) {
    tune::sqlite_file file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    file.run("CREATE TABLE gemm(kind TEXT, m INTEGER, n INTEGER, k INTEGER, batch INTEGER, arch TEXT, "
             "traits TEXT, fingerprint TEXT, compiler TEXT, version TEXT, policy TEXT, split_k INTEGER, "
             "nanoseconds REAL, noise REAL, date INTEGER, evidence TEXT, "
             "PRIMARY KEY(kind, m, n, k, batch, arch, traits, fingerprint, compiler, version))");
    const std::string policy = tune::policy_json(tune::read_policy<tuned_gemm>(row_of(1).policy)->policy);
    for (const char* m : {"64", "4096"})
        file.run((std::string("INSERT INTO gemm VALUES('gemm nn', ") + m +
                  ", 512, 256, 1, 'gfx942', '304 compute units', '0123', 'a compiler', '1.2.3', '" + policy +
                  "', 3, 1500, 0.01, 1700000000, 'measured on a made-up machine')")
                     .c_str());
    file.run("PRAGMA application_id=0x46414445; PRAGMA user_version=1");
}

std::vector<tune::tuning_row> rows_of(const tuning_database& db) {
    std::vector<tune::tuning_row> out;
    db.each_row([&](const auto& r) { out.push_back(r); });
    return out;
}
}  // namespace

// SQLite brings page after page of a log into its file: the first says how many there are.
TEST_CASE("a file whose log was half brought into it when its program was killed") {
    const scratch at;
    {
        tuning_database db({at / "open", {}}, ours);
        for (fade::index m = 1; m <= 300; ++m) db.put(row_of(m));
        fs::copy(at / "open", at / "killed"), fs::copy(at / "open-wal", at / "killed-wal");
    }
    constexpr std::size_t page = 4096, head = 24;  // of a frame, the first behind 32 bytes
    std::string file = bytes_of(at / "killed"), first;
    const std::string log = bytes_of(at / "killed-wal");
    for (std::size_t frame = 32; frame + head + page <= log.size(); frame += head + page)
        if (log.compare(frame, 4, std::string("\0\0\0\1", 4)) == 0) first = log.substr(frame + head, page);
    REQUIRE(first.size() == page);
    write(at / "killed", file.replace(0, page, first));
    CHECK(rows_in(at / "killed") == 300);
    tuning_database db({at / "killed", {}}, ours);
    CHECK(db.refused_writes() == "");
    db.put(row_of(301));
    CHECK(find(db, 301).match == tuned_match::exact);
}

TEST_CASE("a log beside a file that is not FADE's stays as it is, and so does the file") {
    const scratch at;
    {
        tune::sqlite_file other(at / "open", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        other.run("PRAGMA journal_mode=WAL; CREATE TABLE notes(x); PRAGMA wal_checkpoint(TRUNCATE)");
        other.run("INSERT INTO notes VALUES(1)");
        // As a killed program leaves them.
        fs::copy(at / "open", at / "theirs"), fs::copy(at / "open-wal", at / "theirs-wal");
        fs::copy(at / "open-wal", at / "alone-wal");
        fs::copy(at / "open-wal", at / "empty-wal"), write(at / "empty", "");
    }
    for (const char* name : {"theirs", "alone", "empty"}) {
        CAPTURE(name);
        const std::string log = std::string(name) + "-wal";
        const std::string before = bytes_of(at / name), log_before = bytes_of(at / log.c_str());
        REQUIRE_FALSE(log_before.empty());
        CHECK_THROWS_WITH_AS(tune::database_layer::writable(at / name),
                             doctest::Contains("beside it lies a log"), error);
        CHECK_THROWS_AS(tune::database_layer::readable(at / name), error);
        try {
            const std::string why = tuning_database({at / name, {}}, ours).refused_writes();
            CHECK(why.find("beside it lies a log") != std::string::npos);
            CHECK(std::string(name) == "alone");
        } catch (const error&) {
            CHECK(std::string(name) != "alone");
        }
        CHECK(bytes_of(at / name) == before);
        CHECK(bytes_of(at / log.c_str()) == log_before);
        CHECK(fs::exists(at / name) == (std::string(name) != "alone"));
    }
}

TEST_CASE("FADE's own log is brought in") {
    const scratch at;
    {
        tuning_database db({at / "open", {}}, ours);
        db.put(row_of(64));
        fs::copy(at / "open", at / "killed"), fs::copy(at / "open-wal", at / "killed-wal");
    }
    REQUIRE(bytes_of(at / "killed-wal").size() > 0);
    CHECK(find(tuning_database({at / "killed", {}}, ours), 64).match == tuned_match::exact);
}

TEST_CASE("a file of form 1 is read as it is, and a user's becomes one of form 2 with all its rows") {
    const scratch at;
    make_form_1(at / "db");
    const std::string before = bytes_of(at / "db");
    const std::vector<tune::tuning_row> expected{row_of(64), row_of(4096)};
    CHECK(rows_of(tuning_database({at / "user", {at / "db"}}, ours)) == expected);
    CHECK(bytes_of(at / "db") == before);
    {
        tuning_database db({at / "db", {}}, ours);
        CHECK(find(db, 4096).match == tuned_match::exact);
        db.put(row_of(65));
        CHECK(rows_of(db).size() == 3);
    }
    const tuning_database renewed({at / "db", {}}, ours);
    CHECK(rows_of(renewed) == std::vector{row_of(64), row_of(4096), row_of(65)});
    tune::sqlite_file file(at / "db", SQLITE_OPEN_READONLY);
    CHECK(file.number("PRAGMA user_version") == 2);
    CHECK(file.number("SELECT count(*) FROM sqlite_master WHERE name = 'gemm'") == 0);
}

TEST_CASE("a program that read a file of form 1 reads on when another one renews it") {
    const scratch at;
    make_form_1(at / "db");
    const tune::database_layer reader = tune::database_layer::readable(at / "db");
    const auto rows = [&] {
        int out = 0;
        reader.each_row([&](const auto&) { ++out; });
        return out;
    };
    CHECK(rows() == 2);
    {
        tuning_database({at / "db", {}}, ours).put(row_of(65));
    }
    CHECK(rows() == 3);
}

TEST_CASE("rows of every operation lie in one file, and sizes of another number are far") {
    const scratch at;
    tuning_database db({at / "db", {}}, ours);
    auto row = row_of(1);
    row.problem = {"mine", {7, 9}}, row.policy = "{\"how\":\"so\"}";
    db.put(row);
    CHECK(db.find({"mine", {7, 9}}, machine).policy == row.policy);
    CHECK(db.find({"mine", {7, 12}}, machine).match == tuned_match::near);
    CHECK(db.find({"mine", {7}}, machine).match == tuned_match::miss);
    CHECK(db.find({"mine", {7, 0}}, machine).match == tuned_match::miss);
    CHECK(db.find({"mine", {}}, machine).match == tuned_match::miss);
    row.problem.sizes.clear();
    db.put(row);
    CHECK(db.find({"mine", {}}, machine).match == tuned_match::exact);
}

TEST_CASE("a truncated or spoiled file is an error or an answer that says so, and never a crash") {
    const scratch at;
    {
        tuning_database db({at / "whole", {}}, ours);
        for (fade::index m = 1; m <= 200; ++m) db.put(row_of(m));
    }
    const std::string whole = bytes_of(at / "whole");
    REQUIRE(whole.size() > 20000);
    std::random_device seed;
    const unsigned drawn = seed();
    CAPTURE(drawn);
    std::mt19937 random(drawn);
    int noticed = 0;
    for (int i = 0; i < 60; ++i) {
        std::string bytes = whole;
        if (i % 2)
            bytes.resize(1 + random() % (whole.size() - 1));
        else
            for (int hit = 0; hit < 400; ++hit) bytes[random() % bytes.size()] = char(random());
        write(at / "spoiled", bytes);
        try {
            const tuning_database db({at / "spoiled", {}}, ours);
            const tuned_policy found = find(db, 1 + fade::index(random() % 200));
            if (found.match == tuned_match::unreadable) {
                CHECK(found.why.find("the tuning database was not used") == 0);
                ++noticed;
            }
        } catch (const error&) {
            ++noticed;
        }
        for (const char* rest : {"spoiled", "spoiled-wal", "spoiled-shm"}) fs::remove(at.path / rest);
    }
    CHECK(noticed >= 50);
}

TEST_CASE("a file or a folder that cannot be written is read, and putting says why it cannot") {
    if (::geteuid() == 0) {  // whom permissions do not stop
        const scratch at;
        tuning_database db({at / "no/such/folder/db", {}}, ours);
        CHECK_FALSE(db.refused_writes().empty());
        CHECK_THROWS_AS(db.put(row_of(64)), error);
        CHECK(find(db, 64).match == tuned_match::miss);
        return;
    }
    const scratch at;
    fs::create_directory(at.path / "home");
    {
        tuning_database({at / "home/db", {}}, ours).put(row_of(64));
    }
    fs::permissions(at.path / "home/db", fs::perms::owner_read);
    tuning_database db({at / "home/db", {}}, ours);
    CHECK(find(db, 64).match == tuned_match::exact);
    CHECK_THROWS_AS(db.put(row_of(65)), error);
}

TEST_CASE("a full disk loses no row that was there") {
    const scratch at;
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{64 * 1024, 64 * 1024};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        tuning_database db({at / "db", {}}, ours);
        for (fade::index m = 1; m < 5000; ++m) try {
                db.put(row_of(m));
            } catch (const error&) {
                ::_exit(m > 1 && m < 250 ? int(m - 1) : 255);
            }
        ::_exit(254);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFEXITED(status));
    const int kept = WEXITSTATUS(status);
    REQUIRE(kept < 250);
    REQUIRE(kept > 0);
    CHECK(rows_in(at / "db") == kept);
}

// FADE_TUNE_KILLS says how many processes are killed: a few, or as many as somebody has time for.
TEST_CASE("rows that were put are there after kills while four processes write") {
    const scratch at;
    const char* asked = std::getenv("FADE_TUNE_KILLS");
    const int kills = asked ? std::atoi(asked) : 16;
    std::mt19937 random(std::random_device{}());
    fade::index acknowledged = 0;
    for (int round = 0; round < (kills + 3) / 4; ++round) {
        int reports[4][2];
        pid_t writers[4];
        for (int w = 0; w < 4; ++w) {
            REQUIRE(::pipe(reports[w]) == 0);
            writers[w] = ::fork();
            if (writers[w] != 0) {
                ::close(reports[w][1]);
                continue;
            }
            try {
                tuning_database db({at / "db", {}}, ours);
                for (fade::index i = 0;; ++i) {
                    const fade::index m = (round * 4 + w) * 100000 + i + 1;
                    db.put(row_of(m));
                    if (::write(reports[w][1], &m, sizeof m) != sizeof m) ::_exit(1);
                }
            } catch (...) {
                ::_exit(2);
            }
        }
        fade::index first = 0;
        for (pid_t writer : writers) {
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 60000));
            if (acknowledged == 0) {  // of the first, a row is waited for
                REQUIRE(::read(reports[0][0], &first, sizeof first) == sizeof first);
                ++acknowledged;
            }
            ::kill(writer, SIGKILL);
            int status = 0;
            ::waitpid(writer, &status, 0);
            CHECK(WIFSIGNALED(status));
        }
        const tuning_database db({at / "db", {}}, ours);
        if (first > 0) CHECK(find(db, first).match == tuned_match::exact);
        for (auto& report : reports) {
            for (fade::index m; ::read(report[0], &m, sizeof m) == sizeof m; ++acknowledged)
                CHECK(find(db, m).match == tuned_match::exact);
            ::close(report[0]);
        }
    }
    CHECK(acknowledged > 0);
    MESSAGE(kills, " kills, ", acknowledged, " rows acknowledged");
    CHECK(rows_in(at / "db") >= acknowledged);
}

TEST_CASE("100,000 rows are looked up in microseconds") {
    const scratch at;
    {
        const tuning_database db({at / "db", {}}, ours);
    }
    {
        tune::sqlite_file file(at / "db", SQLITE_OPEN_READWRITE);
        file.run("BEGIN");
        tune::sqlite_statement s(
            file, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) "
                  "INSERT INTO tuned SELECT 'gemm nn', '[' || x || ',512,256,1]', 'gfx942', "
                  "'304 compute units', '0123', 'a compiler', '1.2.3', ?, 1500, 0.01, 0, 'made up' FROM c");
        s.bind(0, row_of(1).policy);
        s.step();
        file.run("COMMIT");
    }
    const tuning_database db({at / "db", {}}, ours);
    // Once each of other rows, as first calls do, then one of them again and again.
    for (const int step : {37, 0}) {
        double best = 1e9;
        for (int attempt = 0; attempt < 20; ++attempt) {
            std::vector<tuning_problem> problems;
            for (int i = 0; i < 2000; ++i) problems.push_back(row_of(1 + attempt + i * step).problem);
            std::size_t found = 0;
            const double begin = test::processor_seconds();
            for (const auto& p : problems) found += db.find(p, machine).match == tuned_match::exact;
            const double took = 1e6 * (test::processor_seconds() - begin);
            REQUIRE(found == problems.size());
            best = std::min(best, took / double(problems.size()));
        }
        MESSAGE(best, " us a lookup, step ", step);
        CHECK(best < (step ? 50 : 2));
    }
}
