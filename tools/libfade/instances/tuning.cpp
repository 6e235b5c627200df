// Opens databases of tuned policies: what of libfade knows SQLite, beside finds. Compiled where its header
// is.
#include "../tuning.hpp"
#include "../error.hpp"
#include "sqlite.hpp"
#include <fade/tune/database/database.hpp>

namespace fade::c {
namespace {

fade_tuning open_tuning(const std::string& user, const std::vector<std::string>& system) {
    if (const std::string why = load_sqlite(); !why.empty())
        throw unsupported("tuning", "asked for",
                          "a database wants SQLite (libsqlite3.so.0), which the loader did not find: " + why);
    auto database = std::make_unique<tuning_database>(tuning_files{.user = user, .system = system});
    std::string refused = database->refused_writes();
    return {std::move(database), std::move(refused)};
}

const bool added = [] {
    opener_of_tuning() = open_tuning;
    return true;
}();

}  // namespace
}  // namespace fade::c
