// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>

namespace fuselab::gui {

enum class Glyph {
  kDevices,
  kModels,
  kTuning,
  kCompare,
  kResults,
  kDiff,
  kHistory,
  kExport,
  kProfile,
  kRun,
  kPause,
  kStop,
  kProgram
};

// Returns an icon that is drawn, not loaded: sharp at every scale and in the text colour of the palette at the time of painting.
QIcon icon(Glyph glyph);

}  // namespace fuselab::gui
