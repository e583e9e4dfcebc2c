// SPDX-License-Identifier: Apache-2.0
#include "core/platform/system/os_error.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace fuselab::platform {

Error os_error(std::string_view what, int number) {
  const ErrorCode code = number == ENOENT ? ErrorCode::kNotFound : number == ENOMEM ? ErrorCode::kOutOfMemory : ErrorCode::kIo;
  return {code, std::string(what) + ": " + std::generic_category().message(number)};
}

Error last_os_error(std::string_view what) {
  return os_error(what, errno);
}

Error creation_error(std::string_view what, int number) {
  Error error = os_error(what, number);
  if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kIo;
  return error;
}

}  // namespace fuselab::platform
