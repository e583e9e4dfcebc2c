// SPDX-License-Identifier: Apache-2.0
#include "core/fields/complaint.h"

#include <cmath>
#include <limits>

#include "core/base/plain_text.h"

namespace fuselab::fields {

Complaint about_field(std::string_view name, const Complaint& complaint) {
  return complaint.empty() ? complaint : "'" + std::string(name) + "'" + complaint;
}

Complaint about_list_of(const Complaint& complaint) {
  const bool told = complaint.empty() || complaint.starts_with(':') || complaint.starts_with(" holds");
  return told ? complaint : " holds what" + complaint;
}

std::string shown_word(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  return plain_line(word.substr(0, kLongest));
}

std::string_view word_of_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return {};
}

bool take_infinity(std::string_view word, double& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (word != "inf" && word != "-inf") return false;
  value = word == "inf" ? kInfinity : -kInfinity;
  return true;
}

}  // namespace fuselab::fields
