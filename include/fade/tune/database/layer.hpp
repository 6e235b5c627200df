// One file of a tuning database: made, recognised, read and written.
#pragma once
#include <charconv>
#include <cstdio>
#include <fade/tune/database/file_mark.hpp>
#include <fade/tune/database/row.hpp>
#include <fade/tune/database/sqlite.hpp>
#include <fade/tune/policy_json.hpp>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace FADE_NAMESPACE::tune {

/// A file of rows. Others may write it at the same time: SQLite's write-ahead log keeps writers apart, and a
/// row that put() returned from outlives kill -9 and a power cut.
class database_layer {
public:
    /// Throws fade::error for what is no tuning database or one of a newer form, which stays as it is.
    static database_layer writable(const std::string& path) {
        refuse_foreign_log(path);
        database_layer out(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        out.file_.run("BEGIN IMMEDIATE");
        if (out.recognise(true)) out.make();
        if (out.is_old()) out.renew();
        out.file_.run("COMMIT");
        out.file_.run("PRAGMA journal_mode=WAL");
        out.file_.run("PRAGMA synchronous=FULL");
        return out;
    }
    static database_layer readable(const std::string& path) {
        refuse_foreign_log(path);
        database_layer out(path, SQLITE_OPEN_READONLY);
        out.recognise(false);
        return out;
    }
    /// A file that nobody writes, in a folder that may be read-only.
    static database_layer unchanging(const std::string& path) {
        database_layer out(path, unchanging_name(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
        out.recognise(false);
        return out;
    }

    /// The last row to arrive for a key stays.
    void put(const tuning_row& r) {
        sqlite_statement s(file_, "INSERT OR REPLACE INTO tuned VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
        s.bind_all(r.problem.kind, words_of(r.problem.sizes), r.machine.arch, r.machine.traits,
                   r.build.fingerprint, r.build.compiler, r.build.version, r.policy, r.nanoseconds, r.noise,
                   r.date, r.evidence);
        s.step();
    }

    /// All of them, or none.
    template <class Rows>
    void put_all(const Rows& rows) {
        file_.run("BEGIN IMMEDIATE");
        try {
            for (const tuning_row& r : rows) put(r);
            file_.run("COMMIT");
        } catch (const error&) {
            sqlite3_exec(file_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
            throw;
        }
    }

    /// Removes rows of other builds; how many there were.
    std::int64_t prune(const build& kept) {
        sqlite_statement s(file_, "DELETE FROM tuned WHERE (fingerprint, compiler, version) <> (?, ?, ?)");
        s.bind(0, kept.fingerprint), s.bind(1, kept.compiler), s.bind(2, kept.version);
        s.step();
        return file_.number("SELECT changes()");
    }

    /// Removes a row; false where it is gone, or another process has put another in its place.
    bool remove(const tuning_row& r) {
        sqlite_statement s(file_, "DELETE FROM tuned WHERE (kind, sizes, arch, traits, fingerprint, "
                                  "compiler, version, policy, nanoseconds, date) = (?,?,?,?,?,?,?,?,?,?)");
        s.bind_all(r.problem.kind, words_of(r.problem.sizes), r.machine.arch, r.machine.traits,
                   r.build.fingerprint, r.build.compiler, r.build.version, r.policy, r.nanoseconds, r.date);
        s.step();
        return file_.number("SELECT changes()") == 1;
    }

    /// Calls f(row) for each row. Throws fade::error for a file that is damaged.
    template <class F>
    void each_row(const F& f) const {
        sqlite_statement s(file_, is_old() ? select_old : "SELECT * FROM tuned");
        while (s.step())
            f(tuning_row{.problem = {s.text(0), sizes_of(s.text(1))},
                         .machine = {s.text(2), s.text(3)},
                         .build = {s.text(4), s.text(5), s.text(6)},
                         .policy = checked_policy(s.text(7)),
                         .nanoseconds = s.real(8),
                         .noise = s.real(9),
                         .date = s.integer(10),
                         .evidence = s.text(11)});
    }

    /// Another number after each change by another process.
    std::int64_t data_version() const { return file_.data_version(); }
    /// When it was last written.
    file_times last_written() const { return file_times(path_); }

private:
    static constexpr int id = 0x46414445, form = 2, old_form = 1;  // "FADE"
    /// Rows of form 1, which knew products of matrices alone.
    static constexpr const char* select_old =
        "SELECT kind, '[' || m || ',' || n || ',' || k || ',' || batch || ']', arch, traits, fingerprint, "
        "compiler, version, substr(policy, 1, length(policy) - 1) || ',\"split_k\":' || split_k || '}', "
        "nanoseconds, noise, date, evidence FROM gemm";

    /// Another process may have brought the file to the new form meanwhile.
    bool is_old() const { return file_.number("PRAGMA user_version") == old_form; }

    static std::string words_of(const std::vector<index>& sizes) {
        std::string out;
        for (const index size : sizes) out += (out.empty() ? "[" : ",") + std::to_string(size);
        return out.empty() ? "[]" : out + "]";
    }
    /// Throws for what words_of did not write.
    static std::vector<index> sizes_of(const std::string& words) {
        std::vector<index> out;
        for (std::size_t at = 1; at < words.size();) {
            index size = -1;
            const auto end = std::from_chars(words.data() + at, words.data() + words.size(), size).ptr;
            if (size < 0) break;
            out.push_back(size), at = std::size_t(end - words.data()) + 1;
        }
        if (words_of(out) != words) throw error("sizes", "'" + words + "'", "no row of FADE has such ones");
        return out;
    }
    static std::string checked_policy(std::string text) {
        if (!looks_like_policy(text))
            throw error("policy", "'" + text + "'", "no policy of FADE is spelt so");
        return text;
    }

    database_layer(const std::string& path, int flags) : database_layer(path, path, flags) {}
    database_layer(const std::string& path, const std::string& opened, int flags)
        : path_(path), file_(opened, flags) {
        if (is_cut())
            throw error("tuning database", "'" + path_ + "'",
                        "it is cut short or no database, and stays as it is; name another file");
    }

    static std::uintmax_t size_of(const std::string& path) {
        std::error_code none;
        const auto size = std::filesystem::file_size(path, none);
        return none ? 0 : size;
    }

    /// SQLite would bring the log of somebody else's database into it, or remove one without a database.
    /// FADE's own file has its mark before it has a log, so the file alone says whose the log is.
    static void refuse_foreign_log(const std::string& path) {
        if (size_of(path + "-wal") == 0) return;
        if (file_mark(path) == id) return;
        throw error("tuning database", "'" + path + "'",
                    "beside it lies a log, '" + path +
                        "-wal', of a database that is not FADE's; both stay as "
                        "they are; name another file");
    }
    /// For SQLite: without locks and logs.
    static std::string unchanging_name(const std::string& path) {
        return "file:" + escaped(path) + "?immutable=1";
    }

    /// SQLite reads zeros where the last page is cut, and takes a file of one byte for an empty one. A log
    /// beside the file may still complete it. Asks for sizes alone: to close a file would lose SQLite's
    /// locks.
    bool is_cut() const {
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
    bool recognise(bool may_be_empty) const {
        const auto found = file_.number("PRAGMA application_id"),
                   version = file_.number("PRAGMA user_version");
        if (found == id && (version == form || version == old_form)) return false;
        if (found == id)
            throw error("tuning database", "'" + path_ + "' of form " + std::to_string(version),
                        "this version of FADE knows forms 1 and 2; use another file");
        if (may_be_empty && found == 0 && file_.number("SELECT count(*) FROM sqlite_master") == 0)
            return true;
        throw error("tuning database", "'" + path_ + "'",
                    "it is no tuning database of FADE, and stays as it is; name another file");
    }
    void make() {
        make_table();
        file_.run(("PRAGMA application_id=" + std::to_string(id)).c_str());
    }
    /// Rows of form 1 become rows of form 2: all of them, in the transaction that asked.
    void renew() {
        make_table();
        file_.run((std::string("INSERT INTO tuned ") + select_old).c_str());
        file_.run("DROP TABLE gemm");
    }
    void make_table() {
        file_.run("CREATE TABLE tuned(kind TEXT, sizes TEXT, arch TEXT, traits TEXT, fingerprint TEXT, "
                  "compiler TEXT, version TEXT, policy TEXT, nanoseconds REAL, noise REAL, date INTEGER, "
                  "evidence TEXT, "
                  "PRIMARY KEY(kind, sizes, arch, traits, fingerprint, compiler, version))");
        file_.run(("PRAGMA user_version=" + std::to_string(form)).c_str());
    }

    std::string path_;
    sqlite_file file_;
};

}  // namespace FADE_NAMESPACE::tune
