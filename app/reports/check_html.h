// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// How every page of the gate begins: by this, Fuselab knows a page of its own.
inline constexpr std::string_view kCheckPageStart =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Fuselab check\">";

// One self-contained page (no scripts, no outside files; it forbids itself both): the outcome, the environment, all cases with the
// worst first, and for each that was measured a drawing of its samples. Follows the reader's light or dark preference.
std::string check_html_of(const CheckReport& report);

}  // namespace fuselab::reports
