// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <string>
#include <vector>

namespace fuselab::gui {

// Splits the subjects of a job on one line as a shell would: blanks separate, quotes and backslashes keep blanks. A graph text,
// "graph(x: f32[8]) { y = Relu(x); return y }", is one subject without either. A quote that is not closed reaches to the end.
std::vector<std::string> split_subjects(const QString& text);
// Returns a line that split_subjects() splits into the same subjects; quotes only where they are needed.
QString joined_subjects(const std::vector<std::string>& subjects);

}  // namespace fuselab::gui
