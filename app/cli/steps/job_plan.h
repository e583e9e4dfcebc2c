// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/cli/shell/terminal.h"
#include "app/engine/job/engine.h"
#include "app/views/job_estimate.h"

namespace fuselab::cli {

// Returns what a job with a budget will do and how long that takes, for people, before it starts: subjects, devices, parts, time.
std::string job_plan_text(const engine::JobSpec& spec, const std::vector<DeviceInfo>& devices);

// Prints it on stderr; nothing where the devices are not known, since starting the job then says why.
void say_what_will_be_done(engine::Engine& engine, const engine::JobSpec& spec);

// Returns what a job would do and how long each of its phases takes: for people, and as a document.
std::string plan_text(const engine::JobEstimate& plan, const Terminal& terminal);
nlohmann::json plan_json(const engine::JobEstimate& plan);

}  // namespace fuselab::cli
