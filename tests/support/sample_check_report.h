// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/gate/check_report.h"

namespace fuselab::test {

// A run that ended with a case of every state, on two devices; figures are made up and always the same.
CheckReport sample_check_report();

// Texts that strangers can put into names, reasons and environments: what ends a line, a cell, an element, a command or a string,
// what moves a cursor, what is no UTF-8, and what a document may not hold at all.
std::vector<std::string> hostile_texts();

// The sample with `text` in the place of each text that comes from models, files or the system.
CheckReport check_report_saying(const std::string& text);

}  // namespace fuselab::test
