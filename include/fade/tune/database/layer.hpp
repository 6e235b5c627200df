// One file of a tuning database: made, recognised, read and written.
#pragma once
#include <fade/tune/database/policy_json.hpp>
#include <fade/tune/database/row.hpp>
#include <fade/tune/database/sqlite.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace FADE_NAMESPACE::tune {

/// A file of rows. Others may write it at the same time: SQLite's write-ahead log keeps writers apart, and a
/// row that put() returned from outlives kill -9 and a power cut.
class database_layer {
public:
    /// Throws fade::error for what is no tuning database or one of a newer form, which stays as it is.
    static database_layer writable(const std::string& path) {
        database_layer out(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        out.file_.run("BEGIN IMMEDIATE");
        const bool made = out.recognise(true);
        if (made) out.make();
        out.file_.run("COMMIT");
        out.file_.run("PRAGMA journal_mode=WAL");
        out.file_.run("PRAGMA synchronous=FULL");
        return out;
    }
    static database_layer readable(const std::string& path) {
        database_layer out(path, SQLITE_OPEN_READONLY);
        out.recognise(false);
        return out;
    }
    /// A file that nobody writes, in a folder that may be read-only.
    static database_layer unchanging(const std::string& path) {
        database_layer out(path, "file:" + escaped(path) + "?immutable=1",
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
        out.recognise(false);
        return out;
    }

    /// The last row to arrive for a key stays.
    void put(const gemm_tuning_row& r) {
        sqlite_statement s(file_, "INSERT OR REPLACE INTO gemm VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        int at = 0;
        const auto bind = [&](const auto&... values) { (s.bind(at++, values), ...); };
        using number = std::int64_t;
        bind(r.problem.kind, number(r.problem.m), number(r.problem.n), number(r.problem.k),
             number(r.problem.batch), r.machine.arch, r.machine.traits, r.build.fingerprint, r.build.compiler,
             r.build.version, policy_json(r.policy), number(r.split_k), r.nanoseconds, r.noise, r.date,
             r.evidence);
        s.step();
    }

    /// All of them, or none.
    template <class Rows>
    void put_all(const Rows& rows) {
        file_.run("BEGIN IMMEDIATE");
        try {
            for (const gemm_tuning_row& r : rows) put(r);
            file_.run("COMMIT");
        } catch (const error&) {
            sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
            throw;
        }
    }

    /// Removes rows of other builds; how many there were.
    std::int64_t prune(const build& kept) {
        sqlite_statement s(file_, "DELETE FROM gemm WHERE (fingerprint, compiler, version) <> (?, ?, ?)");
        s.bind(0, kept.fingerprint), s.bind(1, kept.compiler), s.bind(2, kept.version);
        s.step();
        return file_.number("SELECT changes()");
    }

    /// Removes a row; false where it is gone, or another process has put another in its place.
    bool remove(const gemm_tuning_row& r) {
        sqlite_statement s(
            file_, "DELETE FROM gemm WHERE (kind, m, n, k, batch, arch, traits, fingerprint, compiler, "
                   "version, policy, split_k, nanoseconds, date) = (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        int at = 0;
        const auto bind = [&](const auto&... values) { (s.bind(at++, values), ...); };
        using number = std::int64_t;
        bind(r.problem.kind, number(r.problem.m), number(r.problem.n), number(r.problem.k),
             number(r.problem.batch), r.machine.arch, r.machine.traits, r.build.fingerprint, r.build.compiler,
             r.build.version, policy_json(r.policy), number(r.split_k), r.nanoseconds, r.date);
        s.step();
        return file_.number("SELECT changes()") == 1;
    }

    /// Calls f(row) for each row. Throws fade::error for a file that is damaged.
    template <class F>
    void each_row(const F& f) const {
        sqlite_statement s(file_, "SELECT * FROM gemm");
        while (s.step()) {
            const auto policy = read_policy(s.text(10));
            if (!policy)
                throw error("policy", "'" + s.text(10) + "'", "no policy of this version of FADE reads so");
            f(gemm_tuning_row{.problem = {s.text(0), s.integer(1), s.integer(2), s.integer(3), s.integer(4)},
                              .machine = {s.text(5), s.text(6)},
                              .build = {s.text(7), s.text(8), s.text(9)},
                              .policy = *policy,
                              .split_k = int(s.integer(11)),
                              .nanoseconds = s.real(12),
                              .noise = s.real(13),
                              .date = s.integer(14),
                              .evidence = s.text(15)});
        }
    }

    /// Another number after each change by another process.
    std::int64_t data_version() { return file_.number("PRAGMA data_version"); }

private:
    static constexpr int id = 0x46414445, form = 1;  // "FADE"

    database_layer(const std::string& path, int flags) : database_layer(path, path, flags) {}
    database_layer(const std::string& path, const std::string& opened, int flags)
        : path_(path), file_(opened, flags) {
        if (is_cut())
            throw error("tuning database", "'" + path_ + "'",
                        "it is cut short or no database, and stays as it is; name another file");
    }

    /// SQLite reads zeros where the last page is cut, and takes a file of one byte for an empty one. A log
    /// beside the file may still complete it. Asks for sizes alone: to close a file would lose SQLite's
    /// locks.
    bool is_cut() {
        const auto size_of = [](const std::string& path) -> std::uintmax_t {
            std::error_code none;
            const auto size = std::filesystem::file_size(path, none);
            return none ? 0 : size;
        };
        if (size_of(path_ + "-wal") != 0 || size_of(path_ + "-journal") != 0) return false;
        return size_of(path_) % std::uintmax_t(file_.number("PRAGMA page_size")) != 0;
    }

    static std::string escaped(const std::string& path) {
        std::string out;
        for (char c : path) {
            if (c == '%' || c == '?' || c == '#') {
                char hex[4];
                std::snprintf(hex, sizeof hex, "%%%02X", unsigned(c));
                out += hex;
            } else
                out += c;
        }
        return out;
    }

    /// Is it still to be made? Throws for a file of somebody else.
    bool recognise(bool may_be_empty) {
        const auto found = file_.number("PRAGMA application_id"),
                   version = file_.number("PRAGMA user_version");
        if (found == id && version == form) return false;
        if (found == id)
            throw error("tuning database", "'" + path_ + "' of form " + std::to_string(version),
                        "this version of FADE knows form " + std::to_string(form) + "; use another file");
        if (may_be_empty && found == 0 && file_.number("SELECT count(*) FROM sqlite_master") == 0)
            return true;
        throw error("tuning database", "'" + path_ + "'",
                    "it is no tuning database of FADE, and stays as it is; name another file");
    }
    void make() {
        file_.run("CREATE TABLE gemm(kind TEXT, m INTEGER, n INTEGER, k INTEGER, batch INTEGER, arch TEXT, "
                  "traits TEXT, fingerprint TEXT, compiler TEXT, version TEXT, policy TEXT, split_k INTEGER, "
                  "nanoseconds REAL, noise REAL, date INTEGER, evidence TEXT, "
                  "PRIMARY KEY(kind, m, n, k, batch, arch, traits, fingerprint, compiler, version))");
        file_.run(("PRAGMA application_id=" + std::to_string(id)).c_str());
        file_.run(("PRAGMA user_version=" + std::to_string(form)).c_str());
    }

    std::string path_;
    sqlite_file file_;
};

}  // namespace FADE_NAMESPACE::tune
