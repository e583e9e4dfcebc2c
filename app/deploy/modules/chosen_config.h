// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/engine/kernels/workshop.h"
#include "core/kernel/launch_config.h"
#include "core/store/result_store.h"

namespace fuselab::deploy {

struct ChosenConfig {
  LaunchConfig config;
  std::optional<double> median_ns;  // of the stored figure that chose it; nothing: the default configuration
};

// Returns the configuration of a piece's fastest stored figure on the device that this version's space still has, else the default.
// `described`: what the generator says of the piece. Fails where the database cannot be read.
Result<ChosenConfig> chosen_config(ResultQueries& queries, const std::string& device, const std::string& piece_key,
                                   const wire::DescribeReply& described);

}  // namespace fuselab::deploy
