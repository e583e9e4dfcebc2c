// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/abi.h"

#include "core/kernel/dim_formula_parser.h"

namespace fuselab {
namespace {

struct RoleName {
  BufferRole role;
  std::string_view name;
};

constexpr RoleName kRoleNames[] = {
    {BufferRole::kIn, "in"},
    {BufferRole::kOut, "out"},
    {BufferRole::kInOut, "inout"},
    {BufferRole::kScratch, "scratch"},
    {BufferRole::kProviderOwned, "provider-owned"},
};

}  // namespace

std::string_view name_of(BufferRole role) {
  for (const RoleName& known : kRoleNames) {
    if (known.role == role) return known.name;
  }
  FL_ASSERT(false);
}

Result<BufferRole> parse_buffer_role(std::string_view name) {
  for (const RoleName& known : kRoleNames) {
    if (known.name == name) return known.role;
  }
  return invalid_argument("unknown buffer role '" + std::string(name) + "'; known: in, out, inout, scratch, provider-owned");
}

Result<std::int64_t> DimFormula::evaluate(const std::map<std::string, std::int64_t>& dims) const {
  auto result = detail::DimFormulaParser(text, dims).parse();
  if (!result.ok()) return std::move(result).error().within("formula '" + text.substr(0, 200) + "'");
  return result;
}

}  // namespace fuselab
