// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/measure/block_measurer.h"
#include "app/engine/tune/device_pieces.h"

namespace fuselab::engine {

// Decides how much fusing a piece gains on one device.
class GainDecider {
 public:
  GainDecider(JobContext& context, DevicePieces& pieces, BlockMeasurer& measurer)
      : context_(context), pieces_(pieces), measurer_(measurer) {}

  // Compares the piece's two plans in fresh processes, by the rule of the gate, where both are timed and that was not done yet; the
  // piece's gain rests on the result from then on. A plan that fails there is stored, too, and not tried again.
  Status decide(const Piece& piece);
  int undecided() const { return undecided_; }  // the machine was not fit to compare on; another job decides them

 private:
  JobContext& context_;
  DevicePieces& pieces_;
  BlockMeasurer& measurer_;
  int undecided_ = 0;
};

}  // namespace fuselab::engine
