// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <SQLiteCpp/Exception.h>

#include <exception>
#include <filesystem>
#include <new>

#include "core/base/result.h"

namespace fuselab::db {

// The advice for a file that is not usable, in messages about the database that --db names.
inline constexpr const char* kChooseAnother = "choose another file with --db";

// Explains an SQLite error, with the file's name before it.
Error sql_error(const std::filesystem::path& path, const SQLite::Exception& exception);
// Returns true for an error caused by lack of space: the disk is full, or a quota or limit (a refused write) is reached.
bool is_want_of_space(const Error& error);

// Runs `body`, which returns a Result, and turns exceptions of SQLiteCpp into an Error. No exception passes it.
template <typename Body>
auto guarded(const std::filesystem::path& path, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const SQLite::Exception& exception) {
    return sql_error(path, exception);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, path.string() + ": out of memory"};
  } catch (const std::exception& exception) {
    return Error{ErrorCode::kInternal, path.string() + ": " + exception.what()};
  }
}

}  // namespace fuselab::db
