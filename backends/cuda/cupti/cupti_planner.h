// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/abi/cupti_abi.h"
#include "backends/loading/vendor_library.h"
#include "core/base/result.h"
#include "core/profile/nvidia_counters.h"

namespace fuselab::cuda {

// Asks CUPTI how many launches a set of counters takes on a chip. It needs no GPU with CUPTI 13.0 and 13.1; later ones want a
// driver. Opens the library, which stays loaded. Used by one thread.
class CuptiPlanner {
 public:
  // Looks for libcupti.so.13, libcupti.so.12; $FUSELAB_LIB_CUPTI overrides.
  // Fails with kUnavailable and one line where there is none, or one that does not answer here.
  static Result<CuptiPlanner> open(const loading::Surroundings& surroundings);

  // Returns the chips that the library knows by name.
  Result<std::vector<std::string>> chips() const;

  // Packs all metrics of the vocabulary into passes of one launch each, in the order of nvidia_counters(): each goes into the first
  // pass that it fits. What takes several launches by itself, or has no counter, is refused with the reason.
  // Fails with kUnsupported where the library does not open the chip.
  Result<NvidiaPlan> plan(const std::string& chip) const;

  std::uint32_t version() const { return version_; }

 private:
  // Returns the launches that these counters take together; 0 where the chip lacks one of them.
  Result<std::size_t> passes_of(const std::string& chip, const std::vector<std::string>& names) const;

  Status put(NvidiaPlan& plan, const std::string& metric, const std::string& name) const;

  loading::OpenedLibrary opened_;
  abi::CuptiHostFunctions calls_{};
  std::uint32_t version_ = 0;
};

}  // namespace fuselab::cuda
