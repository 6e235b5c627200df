// SQLite, looked for when it is wanted: the library loads where it is not there.
#pragma once
#include <string>

namespace fade::c {

/// Finds SQLite, once for the process; why not, or nothing where it is there.
std::string load_sqlite();

}  // namespace fade::c
