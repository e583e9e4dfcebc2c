// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace fuselab::gui {

// One finished trial of the piece on display.
struct ConvergencePoint {
  int trial = 0;
  double seconds = 0;
  double median_ns = 0;  // 0: not timed
  double best_ns = 0;    // so far; 0: none yet
  QString label;
  QString key;
  QString outcome = {};  // why it has no time: "dropped: too slow"
};

}  // namespace fuselab::gui
