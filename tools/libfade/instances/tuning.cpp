// Databases of tuned policies: what of libfade knows SQLite, beside finds. Compiled where its header is.
#include "../tuning.hpp"
#include "../error.hpp"
#include "sqlite.hpp"
#include <fade/device/tune/background.hpp>
#include <fade/tune/database/database.hpp>

namespace fade::c {
namespace {

fade_tuning open_tuning(const std::string& user, const std::vector<std::string>& system, double budget) {
    if (const std::string why = load_sqlite(); !why.empty())
        throw unsupported("tuning", "asked for",
                          "a database wants SQLite (libsqlite3.so.0), which the loader did not find: " + why);
    const tuning_files files{.user = user, .system = system};
    fade_tuning out;
    if (budget > 0) {
        out.policies = std::make_unique<tune::background>(files, std::chrono::duration<double>(budget));
        out.is_background = true;
        return out;
    }
    auto database = std::make_unique<tuning_database>(files);
    out.refused_writes = database->refused_writes(), out.policies = std::move(database);
    return out;
}

std::vector<tune::tuning_row> rows(const tuned_policies& of) {
    std::vector<tune::tuning_row> out;
    static_cast<const tuning_database&>(of).each_row([&](const tune::tuning_row& r) { out.push_back(r); });
    return out;
}
/// What the row's build leaves open is this library's.
tune::tuning_row of_a_build(tune::tuning_row r) {
    const tune::build own = tune::this_build();
    if (r.build.fingerprint.empty()) r.build.fingerprint = own.fingerprint;
    if (r.build.compiler.empty()) r.build.compiler = own.compiler;
    if (r.build.version.empty()) r.build.version = own.version;
    return r;
}
void put(tuned_policies& to, const tune::tuning_row& r) {
    static_cast<tuning_database&>(to).put(of_a_build(r));
}
bool remove(tuned_policies& from, const tune::tuning_row& r) {
    return static_cast<tuning_database&>(from).remove(of_a_build(r));
}

fade_background_numbers progress(const tuned_policies& of, std::string& failure) {
    tune::background_progress p = static_cast<const tune::background&>(of).progress();
    failure = std::move(p.failure);
    return {.size = sizeof(fade_background_numbers),
            .done = p.done,
            .left = p.left,
            .kept = p.kept,
            .ended = p.ended,
            .seconds = p.seconds};
}

constexpr tuning_functions functions{open_tuning, rows, put, remove, progress};
const bool added = [] {
    functions_of_tuning() = &functions;
    return true;
}();

}  // namespace
}  // namespace fade::c
