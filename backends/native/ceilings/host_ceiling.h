// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "backends/native/ceilings/arithmetic_ceilings.h"
#include "backends/native/ceilings/stream_form.h"
#include "core/base/result.h"
#include "core/measure/ceilings/paired_ceiling.h"

namespace fuselab::cpu {

// The ceiling kernels of one block on the host's processor, whichever backend drives it. Used by one thread.
class HostCeiling {
 public:
  // Allocates the arrays and runs each kernel once. Where the spec leaves threads or a form open, all threads and the first form.
  static Result<std::unique_ptr<HostCeiling>> create(CeilingSpec spec);

  // Runs each kernel for about `nanoseconds`, once at least, after a run that is not timed. Returns the rates.
  CeilingLook look(double nanoseconds);
  // Returns how long such a look takes.
  double expected_nanoseconds(double nanoseconds) const;
  const CeilingSpec& spec() const { return spec_; }

 private:
  explicit HostCeiling(CeilingSpec spec);
  void move(int passes);
  void calculate_rounds(std::size_t rounds);

  CeilingSpec spec_;
  ThreadPool pool_;
  StreamForm stream_;
  std::optional<StreamArrays> arrays_;
  ArithmeticForm arithmetic_;
  double stream_ns_ = 0;  // of one pass
};

}  // namespace fuselab::cpu
