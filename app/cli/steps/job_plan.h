// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/job/engine.h"

namespace fuselab::cli {

// Returns what a job with a budget will do and how long that takes, for people, before it starts: subjects, devices, parts, time.
std::string job_plan_text(const engine::JobSpec& spec, const std::vector<DeviceInfo>& devices);

// Prints it on stderr; nothing where the devices are not known, since starting the job then says why.
void say_what_will_be_done(engine::Engine& engine, const engine::JobSpec& spec);

}  // namespace fuselab::cli
