// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/assert.h"

namespace fuselab {

// The reason for an expected failure. Absent hardware is not an error: it is an Availability or a Support.
enum class ErrorCode {
  kInvalidArgument,  // the caller's text, file, flag or value is wrong
  kNotFound,         // the named thing does not exist
  kUnavailable,      // needs hardware, a library or a lock that is not to be had now
  kUnsupported,      // understood, but this part cannot do it
  kCompileFailed,
  kLaunchFailed,
  kOutOfMemory,
  kTimeout,
  kCrashed,    // a worker process died
  kCorrupt,    // stored or received bytes do not hold together
  kUntrusted,  // bytes are complete, but no trusted signer vouches for them
  kIo,         // the operating system refused: disk full, read-only, permission
  kBusy,       // another process holds the lease or lock
  kCancelled,
  kNumerics,  // a result missed its tolerance
  kInternal,
};

std::string_view name_of(ErrorCode code);

// An expected failure: its code and one sentence that a user can act on.
struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // Returns the same error with `context` put before it: "model.onnx: node 'Add_3': shape mismatch".
  Error within(std::string_view context) const;
};

// A value or the Error that kept it from being made. No implicit bool; exceptions never cross our interfaces.
template <typename T>
class [[nodiscard]] Result {
 public:
  using Value = T;

  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor): `return value;`
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor): `return error;`

  bool ok() const { return state_.index() == 0; }

  T& value() & {
    FL_ASSERT(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    FL_ASSERT(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    FL_ASSERT(ok());
    return std::get<0>(std::move(state_));
  }
  const Error& error() const& {
    FL_ASSERT(!ok());
    return std::get<1>(state_);
  }
  Error&& error() && {
    FL_ASSERT(!ok());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

// Success, or an Error. `return Status();` is success.
template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor): `return error;`

  bool ok() const { return !error_.has_value(); }
  void value() const { FL_ASSERT(ok()); }
  const Error& error() const& {
    FL_ASSERT(!ok());
    return *error_;
  }
  Error&& error() && {
    FL_ASSERT(!ok());
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

inline Error invalid_argument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace fuselab

#define FL_CONCAT_INNER(a, b) a##b
#define FL_CONCAT(a, b) FL_CONCAT_INNER(a, b)

// FL_TRY(auto x, expression): binds the value, or returns the error from the enclosing function.
// Expands to several statements, so it must not be the sole body of a brace-less `if`.
#define FL_TRY(declaration, expression) FL_TRY_IMPL(FL_CONCAT(fl_result_, __LINE__), declaration, expression)
#define FL_TRY_IMPL(result, declaration, expression)  \
  auto result = (expression);                         \
  if (!result.ok()) return std::move(result).error(); \
  declaration = std::move(result).value()

// FL_TRY_VOID(expression): returns the error of a Status from the enclosing function.
#define FL_TRY_VOID(expression)                                                              \
  do {                                                                                       \
    if (auto fl_status = (expression); !fl_status.ok()) return std::move(fl_status).error(); \
  } while (false)
