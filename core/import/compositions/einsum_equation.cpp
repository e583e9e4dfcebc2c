// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/einsum_equation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "core/base/plain_text.h"

namespace fuselab::onnx {
namespace {

constexpr std::size_t kLongest = 1024;  // of an equation: more than all letters of all operands

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

Error malformed(const std::string& text, const std::string& why) {
  return invalid_argument("its equation '" + plain_line(text) + "' " + why);
}

// One operand or the result; "..." as kEllipsis.
std::optional<AxisNames> parse_term(const std::string& term) {
  AxisNames names;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (is_letter(term[i])) {
      names.push_back(term[i]);
    } else if (term.compare(i, 3, "...") == 0 && std::find(names.begin(), names.end(), kEllipsis) == names.end()) {
      names.push_back(kEllipsis);
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return names;
}

// "..." as so many axes; nothing when there is none.
AxisNames with_ellipsis(const AxisNames& names, std::size_t axes) {
  AxisNames written;
  for (const int name : names) {
    if (name != kEllipsis) {
      written.push_back(name);
      continue;
    }
    for (std::size_t i = axes; i-- > 0;) written.push_back(kEllipsis + static_cast<int>(i));
  }
  return written;
}

AxisNames implicit_result(const std::vector<AxisNames>& operands, std::size_t ellipsis) {
  std::map<int, int> counts;
  for (const AxisNames& operand : operands) {
    for (const int name : operand) ++counts[name];
  }
  AxisNames result = with_ellipsis({kEllipsis}, ellipsis);
  for (const auto& [name, count] : counts) {
    if (name < kEllipsis && count == 1) result.push_back(name);
  }
  return result;
}

}  // namespace

Result<EinsumEquation> parse_einsum(const std::string& text, const std::vector<std::size_t>& ranks) {
  if (text.size() > kLongest) return invalid_argument("its equation has " + std::to_string(text.size()) + " characters");
  std::string dense;
  std::copy_if(text.begin(), text.end(), std::back_inserter(dense), [](char c) { return c != ' '; });
  const std::size_t arrow = dense.find("->");
  const std::string left = dense.substr(0, arrow);
  EinsumEquation equation;
  std::size_t ellipsis = 0;
  for (std::size_t start = 0; start <= left.size();) {
    const std::size_t comma = std::min(left.find(',', start), left.size());
    const auto names = parse_term(left.substr(start, comma - start));
    const std::size_t i = equation.operands.size();
    if (!names) return malformed(text, "is not made of letters and '...'");
    if (i >= ranks.size()) return malformed(text, "has more operands than the node");
    const bool open = std::find(names->begin(), names->end(), kEllipsis) != names->end();
    const std::size_t named = names->size() - (open ? 1 : 0);
    if (open ? ranks[i] < named : ranks[i] != named) return malformed(text, "does not fit operand " + std::to_string(i));
    ellipsis = std::max(ellipsis, ranks[i] - named);
    equation.operands.push_back(with_ellipsis(*names, ranks[i] - named));
    start = comma + 1;
  }
  if (equation.operands.size() != ranks.size()) return malformed(text, "has fewer operands than the node");
  if (arrow == std::string::npos) {
    equation.result = implicit_result(equation.operands, ellipsis);
    return equation;
  }
  const auto names = parse_term(dense.substr(arrow + 2));
  if (!names) return malformed(text, "has a result that is not made of letters and '...'");
  equation.result = with_ellipsis(*names, ellipsis);
  for (const int name : equation.result) {
    if (std::count(equation.result.begin(), equation.result.end(), name) > 1)
      return malformed(text, "names an axis of its result twice");
    const bool made = std::any_of(equation.operands.begin(), equation.operands.end(), [name](const AxisNames& operand) {
      return std::find(operand.begin(), operand.end(), name) != operand.end();
    });
    if (!made) return malformed(text, "has an axis in its result that no operand has");
  }
  return equation;
}

}  // namespace fuselab::onnx
