// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/gate/check_report.h"

namespace fuselab::reports {

// The first bytes of every page of the gate, by which Fuselab recognises a page that it wrote.
inline constexpr std::string_view kCheckPageStart =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Fuselab check\">";

// Returns one self-contained page (it has no scripts and no outside files, and its content policy forbids both): the outcome, the
// environment, all cases with the worst first, and for each measured case a drawing of its samples. Follows the reader's light or
// dark preference.
std::string check_html_of(const CheckReport& report);

}  // namespace fuselab::reports
