// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace fuselab {

// States that a part can do what was asked, or why it cannot. The reason is shown to people and stored with the result.
struct Support {
  bool yes = true;
  std::string why_not;

  static Support no(std::string reason) { return {false, std::move(reason)}; }
};

// States that a stack can be used on this machine now, or why it cannot: "libcuda.so.1 not found".
struct Availability {
  bool usable = false;
  std::string reason;

  static Availability available() { return {true, {}}; }
  static Availability unavailable(std::string reason) { return {false, std::move(reason)}; }
};

}  // namespace fuselab
