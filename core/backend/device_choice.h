// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fuselab {

// The devices that a use case takes, each named by its id ("cpu:0") or by its backend's ("cpu").
struct DeviceChoice {
  std::vector<std::string> only = {};    // empty: every usable one
  std::vector<std::string> except = {};  // left out, even where `only` names them
  // Best first. These come before the others, and one of them is taken where devices are equal within noise. A name that is known
  // and not usable here is passed over.
  std::vector<std::string> prefer = {};
};

// Returns whether the name is the device's or its backend's.
bool names_device(std::string_view name, std::string_view device_id, std::string_view backend);
// Returns the position in `prefer` of the first name that means the device; its size where none does.
std::size_t preference_rank(const std::vector<std::string>& prefer, std::string_view device_id, std::string_view backend);

}  // namespace fuselab
