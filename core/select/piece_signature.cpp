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
  for (std::string_view const name : kExtentAttributes) {
    if (!before.ends_with(name)) continue;
    std::size_t const start = before.size() - name.size();
    if (start == 0 || std::isalnum(static_cast<unsigned char>(before[start - 1])) == 0) return true;
  }
  return false;
}

// "1,3,224,224" → "1,_,_,_"; of a weight "64,3,7,7" → "_,_,7,7".
std::string without_extents(std::string_view extents, bool weight) {
  std::string kept;
  int position = 0;
  for (std::size_t start = 0; start <= extents.size(); ++position) {
    std::size_t const end = std::min(extents.find(',', start), extents.size());
    std::string_view const extent = extents.substr(start, end - start);
    bool const stays = extent == "1" || extent.empty() || (weight && position >= 2);
    kept += stays ? std::string(extent) : "_";
    if (end == extents.size()) break;
    kept += ',';
    start = end + 1;
  }
  return kept;
}

// The word before a type's bracket follows ": " or ": param ".
bool is_weight(std::string_view before) {
  std::size_t const space = before.find_last_of(' ');
  return space != std::string_view::npos && before.substr(0, space).ends_with("param");
}

}  // namespace

std::string piece_signature(std::string_view text) {
  std::string signature;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    char const c = text[at];
    if (c == '"') quoted = !quoted;
    signature += c;
    if (quoted || c != '[' || at == 0) continue;
    std::size_t const close = std::min(text.find(']', at), text.size());
    std::string_view const before = text.substr(0, at);
    std::string_view const inside = text.substr(at + 1, close - at - 1);
    bool const attribute = before.back() == '=';
    if (!attribute) {
      signature += without_extents(inside, is_weight(before));
    } else if (!ends_with_extent_attribute(before.substr(0, before.size() - 1))) {
      signature += inside;
    }
    at = close - 1;  // the bracket itself comes next
  }
  return signature;
}

}  // namespace fuselab
