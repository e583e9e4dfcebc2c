// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"

namespace fuselab::engine {

enum class Health { kGood, kDoubtful, kBad };

// One finding on something that measuring depends on: what was found and, unless it is good, what to do.
struct Finding {
  std::string subject;
  Health health = Health::kGood;
  std::string found;
  std::string advice;
};

// Examines the worker program, compiler, database, key, memory and how quiet the machine is. Takes about a second; changes nothing.
// A stop request ends it early, without the findings that were not made yet.
std::vector<Finding> examine(const Config& config, const std::stop_token& stop = {});

}  // namespace fuselab::engine
