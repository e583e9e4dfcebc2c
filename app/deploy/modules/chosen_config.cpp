// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/modules/chosen_config.h"

namespace fuselab::deploy {

Result<ChosenConfig> chosen_config(ResultQueries& queries, const std::string& device, const std::string& piece_key,
                                   const wire::DescribeReply& described) {
  constexpr std::int64_t kMostLooked = 16;
  TrialFilter filter;
  filter.piece_key = piece_key;
  filter.device_id = device;
  filter.kind = PlanKind::kFused;
  filter.only_timed = true;
  FL_TRY(const std::vector<TrialRow> rows, queries.page(filter, TrialOrder::kFastestFirst, 0, kMostLooked));
  for (const TrialRow& row : rows) {
    auto config = LaunchConfig::parse(row.config);
    if (config.ok() && described.space.check(config.value()).ok()) return ChosenConfig{std::move(config).value(), row.median_ns};
  }
  return ChosenConfig{described.default_config, std::nullopt};
}

}  // namespace fuselab::deploy
