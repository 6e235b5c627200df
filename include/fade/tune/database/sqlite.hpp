// SQLite as FADE uses it: one file, statements that end themselves, failures as fade::error.
#pragma once
#include <cstdint>
#include <fade/core/error.hpp>
#include <memory>
#include <sqlite3.h>
#include <string>

namespace FADE_NAMESPACE::tune {

/// One file that is open.
class sqlite_file {
public:
    /// Throws fade::error where the file cannot be opened; creates it only where flags say so.
    sqlite_file(const std::string& path, int flags) : path_(path) {
        sqlite3* opened = nullptr;
        const int code = sqlite3_open_v2(path.c_str(), &opened, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
        db_.reset(opened);
        if (code != SQLITE_OK) fail();
        sqlite3_busy_timeout(opened, 20000);
    }

    void run(const char* sql) {
        if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    std::int64_t number(const char* sql) const;
    /// Another number after each change by another process. The statement is prepared once: a call waits
    /// for this.
    std::int64_t data_version() const {
        if (!version_) {
            sqlite3_stmt* made = nullptr;
            if (sqlite3_prepare_v2(db_.get(), "PRAGMA data_version", -1, &made, nullptr) != SQLITE_OK) fail();
            version_.reset(made);
        }
        std::int64_t out = 0;
        int code = 0;
        // To its end, which gives up the lock and lets the next call begin anew.
        while ((code = sqlite3_step(version_.get())) == SQLITE_ROW)
            out = sqlite3_column_int64(version_.get(), 0);
        if (code != SQLITE_DONE) {
            version_.reset();
            fail();
        }
        return out;
    }

    [[noreturn]] void fail() const {
        throw error("tuning database", "'" + path_ + "'",
                    "SQLite says: " + std::string(db_ ? sqlite3_errmsg(db_.get()) : "out of memory"));
    }
    sqlite3* get() const { return db_.get(); }

private:
    struct closed {
        void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
    };
    struct finished {
        void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
    };
    std::string path_;
    std::unique_ptr<sqlite3, closed> db_;
    mutable std::unique_ptr<sqlite3_stmt, finished> version_;  // which ends before the file does
};

/// One statement. Columns and parameters count from 0.
class sqlite_statement {
public:
    sqlite_statement(const sqlite_file& file, const char* sql) : file_(file) {
        sqlite3_stmt* made = nullptr;
        if (sqlite3_prepare_v2(file.get(), sql, -1, &made, nullptr) != SQLITE_OK) file.fail();
        statement_.reset(made);
    }
    void bind(int at, const std::string& value) {
        sqlite3_bind_text(statement_.get(), at + 1, value.c_str(), int(value.size()), SQLITE_TRANSIENT);
    }
    void bind(int at, std::int64_t value) { sqlite3_bind_int64(statement_.get(), at + 1, value); }
    void bind(int at, double value) { sqlite3_bind_double(statement_.get(), at + 1, value); }
    /// The first parameters.
    template <class... Values>
    void bind_all(const Values&... values) {
        int at = 0;
        (bind(at++, values), ...);
    }

    /// Is there one more row?
    bool step() {
        const int code = sqlite3_step(statement_.get());
        if (code != SQLITE_ROW && code != SQLITE_DONE) file_.fail();
        return code == SQLITE_ROW;
    }
    std::string text(int column) const {
        const auto* found = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
        return found ? found : "";
    }
    std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
    double real(int column) const { return sqlite3_column_double(statement_.get(), column); }

private:
    struct finished {
        void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
    };
    const sqlite_file& file_;
    std::unique_ptr<sqlite3_stmt, finished> statement_;
};

inline std::int64_t sqlite_file::number(const char* sql) const {
    sqlite_statement statement(*this, sql);
    return statement.step() ? statement.integer(0) : 0;
}

}  // namespace FADE_NAMESPACE::tune
