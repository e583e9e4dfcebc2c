// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>

#include "core/base/result.h"

namespace fuselab::gui {

// Returns a message of the engine in the words of the window. The engine names options and verbs of the terminal program, such as
// "--db" and "`fuselab tune`": here their place have the names of controls, pages and menus. What it does not know stays.
QString window_words(const std::string& message);
inline QString window_words(const Error& error) {
  return window_words(error.message);
}

}  // namespace fuselab::gui
