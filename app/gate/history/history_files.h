// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/gate/check_report.h"
#include "core/gate/judged_history.h"

namespace fuselab::engine {

// Returns the runs in all these files, in their order. Errors, such as kNotFound or kCorrupt, name the file.
Result<std::vector<CheckReport>> read_check_files(const std::vector<std::string>& files);

struct HistoryChoice {
  std::vector<std::string> cases, devices;  // empty: all
};

// Returns each case's series with its changes. Fails with kNotFound where no run has a case of that name or device.
Result<std::vector<JudgedHistory>> judged_histories(const std::vector<CheckReport>& reports, const HistoryChoice& choice);

}  // namespace fuselab::engine
