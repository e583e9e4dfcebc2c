// SPDX-License-Identifier: Apache-2.0
#include "db/rows/enum_text.h"

#include <string>

namespace fuselab::db {
namespace {

Error unknown(std::string_view what, std::string_view name) {
  return {ErrorCode::kCorrupt, "unknown " + std::string(what) + " '" + std::string(name) + "'"};
}

}  // namespace

std::string_view name_of(Origin origin) {
  switch (origin) {
    case Origin::kMeasuredHere: return "measured-here";
    case Origin::kMerged: return "merged";
    case Origin::kImported: return "imported";
  }
  FL_ASSERT(false);
}

Result<Origin> parse_origin(std::string_view name) {
  for (const Origin origin : {Origin::kMeasuredHere, Origin::kMerged, Origin::kImported}) {
    if (name_of(origin) == name) return origin;
  }
  return unknown("origin", name);
}

Result<InputPattern> parse_input_pattern(std::string_view name) {
  for (const InputPattern pattern :
       {InputPattern::kUniform, InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal}) {
    if (fuselab::name_of(pattern) == name) return pattern;
  }
  return unknown("input pattern", name);
}

}  // namespace fuselab::db
