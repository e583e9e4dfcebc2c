// SPDX-License-Identifier: Apache-2.0
#include "core/select/piece_signature.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace fuselab {
namespace {

constexpr std::array<std::string_view, 5> kExtentAttributes = {"shape", "starts", "ends", "split", "value"};

bool ends_with_extent_attribute(std::string_view before) {
  for (const std::string_view name : kExtentAttributes) {
    if (!before.ends_with(name)) continue;
    const std::size_t start = before.size() - name.size();
    if (start == 0 || std::isalnum(static_cast<unsigned char>(before[start - 1])) == 0) return true;
  }
  return false;
}

// "8,1,224,224" → "_,1,_,_"; of a weight "64,3,7,7" → "_,_,7,7".
std::string without_extents(std::string_view extents, bool weight, bool one_leads_all) {
  std::string kept;
  int position = 0;
  for (std::size_t start = 0; start <= extents.size(); ++position) {
    const std::size_t end = std::min(extents.find(',', start), extents.size());
    const std::string_view extent = extents.substr(start, end - start);
    const bool is_batch = position == 0 && one_leads_all && !weight;
    const bool stays = (extent == "1" && !is_batch) || extent.empty() || (weight && position >= 2);
    kept += stays ? std::string(extent) : "_";
    if (end == extents.size()) break;
    kept += ',';
    start = end + 1;
  }
  return kept;
}

// The word before a type's bracket follows ": " or ": param ".
bool is_weight(std::string_view before) {
  const std::size_t space = before.find_last_of(' ');
  return space != std::string_view::npos && before.substr(0, space).ends_with("param");
}

// Returns whether every activation of two or more axes begins with 1, which then is a batch of one and broadcasts nothing.
bool does_one_lead_all(std::string_view text) {
  const std::string_view header = text.substr(0, text.find(')'));
  for (std::size_t at = header.find('['); at != std::string_view::npos; at = header.find('[', at + 1)) {
    const std::string_view inside = header.substr(at + 1, header.find(']', at) - at - 1);
    const bool one_axis = inside.find(',') == std::string_view::npos;
    if (!one_axis && !is_weight(header.substr(0, at)) && !inside.starts_with("1,")) return false;
  }
  return true;
}

}  // namespace

std::string piece_signature(std::string_view text) {
  const bool one_leads_all = does_one_lead_all(text);
  std::string signature;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    signature += c;
    if (quoted || c != '[' || at == 0) continue;
    const std::size_t close = std::min(text.find(']', at), text.size());
    const std::string_view before = text.substr(0, at);
    const std::string_view inside = text.substr(at + 1, close - at - 1);
    const bool attribute = before.back() == '=';
    if (!attribute) {
      signature += without_extents(inside, is_weight(before), one_leads_all);
    } else if (!ends_with_extent_attribute(before.substr(0, before.size() - 1))) {
      signature += inside;
    }
    at = close - 1;  // the bracket itself comes next
  }
  return signature;
}

}  // namespace fuselab
