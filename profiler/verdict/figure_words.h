// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// Figures as sentences of verdicts have them.
namespace fuselab::profile {

std::string percent(double share);              // 0.914 → "91 %"
std::string times(double ratio);                // 1.83 → "1.83×"
std::string rounded(double value, int digits);  // 2.345, 1 → "2.3"
std::string bytes_text(double bytes);           // "201 MB": decimal, as bandwidths are
std::string duration_text(double ns);           // "24.1 ms"

}  // namespace fuselab::profile
