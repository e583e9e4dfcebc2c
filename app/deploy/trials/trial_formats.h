// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "app/deploy/trials/trial_set.h"

namespace fuselab::deploy {

// Formats of other tools for what was tried of one kernel. Times in them are milliseconds, in csv nanoseconds.
enum class TrialFormat {
  kT4,           // results of the autotuning community: every configuration with all its runtimes
  kKernelTuner,  // Kernel Tuner's cache, which its simulation mode and its visualisations open
  kWisdom,       // Kernel Launcher's wisdom: the fastest configuration for this device and problem
  kCsv,          // one line for each configuration
};

// Returns the text. The same set gives the same text.
std::string trials_text(const TrialSet& set, TrialFormat format);

// Writes it atomically. Fails with kIo.
Status write_trials(const std::filesystem::path& file, const TrialSet& set, TrialFormat format);

}  // namespace fuselab::deploy
