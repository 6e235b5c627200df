// The functions of SQLite that FADE calls, which ask those of the system's library. They are seen by libfade
// alone.
#include "sqlite.hpp"
#include <dlfcn.h>
#include <mutex>
#include <sqlite3.h>

namespace {

#define FADE_SQLITE_FUNCTIONS(f)                                                                             \
    f(bind_double) f(bind_int64) f(bind_text) f(busy_timeout) f(close_v2) f(column_double) f(column_int64)   \
        f(column_text) f(errmsg) f(exec) f(finalize) f(open_v2) f(prepare_v2) f(step)

struct functions {
#define FADE_SQLITE_MEMBER(name) decltype(&sqlite3_##name) name = nullptr;
    FADE_SQLITE_FUNCTIONS(FADE_SQLITE_MEMBER)
#undef FADE_SQLITE_MEMBER
};
functions by;

std::string find_all() {
    void* handle = nullptr;
    for (const char* name : {"libsqlite3.so.0", "libsqlite3.dylib"})
        if (!handle) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return dlerror();
    functions found;
#define FADE_SQLITE_FIND(name)                                                                               \
    found.name = reinterpret_cast<decltype(found.name)>(dlsym(handle, "sqlite3_" #name));                    \
    if (!found.name) return "it has no sqlite3_" #name;
    FADE_SQLITE_FUNCTIONS(FADE_SQLITE_FIND)
#undef FADE_SQLITE_FIND
    by = found;
    return {};
}

}  // namespace

std::string fade::c::load_sqlite() {
    static std::once_flag once;
    static std::string why;
    std::call_once(once, [] { why = find_all(); });
    return why;
}

extern "C" {
int sqlite3_bind_double(sqlite3_stmt* s, int at, double x) { return by.bind_double(s, at, x); }
int sqlite3_bind_int64(sqlite3_stmt* s, int at, sqlite3_int64 x) { return by.bind_int64(s, at, x); }
int sqlite3_bind_text(sqlite3_stmt* s, int at, const char* x, int bytes, void (*done)(void*)) {
    return by.bind_text(s, at, x, bytes, done);
}
int sqlite3_busy_timeout(sqlite3* db, int ms) { return by.busy_timeout(db, ms); }
int sqlite3_close_v2(sqlite3* db) { return by.close_v2(db); }
double sqlite3_column_double(sqlite3_stmt* s, int at) { return by.column_double(s, at); }
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt* s, int at) { return by.column_int64(s, at); }
const unsigned char* sqlite3_column_text(sqlite3_stmt* s, int at) { return by.column_text(s, at); }
const char* sqlite3_errmsg(sqlite3* db) { return by.errmsg(db); }
int sqlite3_exec(sqlite3* db, const char* sql, int (*row)(void*, int, char**, char**), void* to,
                 char** said) {
    return by.exec(db, sql, row, to, said);
}
int sqlite3_finalize(sqlite3_stmt* s) { return by.finalize(s); }
int sqlite3_open_v2(const char* path, sqlite3** db, int flags, const char* files) {
    return by.open_v2(path, db, flags, files);
}
int sqlite3_prepare_v2(sqlite3* db, const char* sql, int bytes, sqlite3_stmt** s, const char** rest) {
    return by.prepare_v2(db, sql, bytes, s, rest);
}
int sqlite3_step(sqlite3_stmt* s) { return by.step(s); }
}
