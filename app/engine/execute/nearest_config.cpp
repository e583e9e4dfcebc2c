// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/nearest_config.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kLooked = 64;         // timed trials of one size
constexpr std::size_t kTuned = 3;            // configurations of one size that make it a tuned one
constexpr std::size_t kMostSizes = 8;        // nearest sizes that are looked at
constexpr double kFarthest = 4 * 0.6931471;  // of all extents together a factor of sixteen

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(std::log(a[i] / b[i]));
  return sum;
}

}  // namespace

// The extents of a type stand in brackets behind its name: "f32[8,768]". Those of attributes stand behind '='.
NearestConfigs::Known NearestConfigs::known(const std::string& key, const std::string& canonical_text) {
  Known piece{key, "", {}, ""};
  for (std::size_t at = 0; at < canonical_text.size(); ++at) {
    const char letter = canonical_text[at];
    piece.skeleton += letter;
    if (letter != '[' || at == 0 || std::isalnum(static_cast<unsigned char>(canonical_text[at - 1])) == 0) continue;
    const std::size_t end = canonical_text.find(']', at);
    if (end == std::string::npos) break;
    std::size_t name = at;
    while (name > 0 && std::isalnum(static_cast<unsigned char>(canonical_text[name - 1])) != 0) --name;
    const std::string type = canonical_text.substr(name, end + 1 - name);
    if (piece.types.find(type) == std::string::npos) piece.types += (piece.types.empty() ? "" : ", ") + type;
    for (const char* digits = canonical_text.c_str() + at + 1; *digits != ']';) {
      char* after = nullptr;
      const double extent = std::strtod(digits, &after);
      if (after == digits) break;
      piece.extents.push_back(std::max(extent, 1.0));
      piece.skeleton += '#';
      digits = *after == ',' ? after + 1 : after;
    }
    at = end - 1;
  }
  return piece;
}

Result<std::optional<NearestConfig>> NearestConfigs::find(const Graph& graph, const std::string& device_id,
                                                          const ParameterSpace& space) {
  if (!pieces_) {
    FL_TRY(const Catalog catalog, queries_.catalog());
    pieces_.emplace();
    for (const auto& [key, metric] : catalog.metrics) {
      if (metric.mode == CacheMode::kWarm) warm_.insert(key);
    }
    for (const PieceRecord& piece : catalog.pieces) pieces_->push_back(known(piece.key, piece.canonical_text));
  }
  const Known own = known("", canonical_text(graph));
  std::vector<std::pair<double, const Known*>> sizes;
  for (const Known& piece : *pieces_) {
    if (piece.skeleton != own.skeleton || piece.extents.size() != own.extents.size() || piece.extents == own.extents) continue;
    if (const double far = distance(piece.extents, own.extents); far <= kFarthest) sizes.emplace_back(far, &piece);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.resize(std::min(sizes.size(), kMostSizes));
  for (const auto& [far, piece] : sizes) {
    TrialFilter filter;
    filter.piece_key = piece->key;
    filter.device_id = device_id;
    filter.kind = PlanKind::kFused;
    filter.only_timed = true;
    FL_TRY(std::vector<TrialRow> rows, queries_.page(filter, TrialOrder::kFastestFirst, 0, kLooked));
    std::erase_if(rows, [this](const TrialRow& row) { return !warm_.contains(row.metric_key); });
    std::set<std::string> tried;
    for (const TrialRow& row : rows) tried.insert(row.config);
    if (tried.size() < kTuned) continue;
    auto config = LaunchConfig::parse(rows.front().config);
    if (!config.ok() || !space.check(config.value()).ok()) continue;
    return std::optional(
        NearestConfig{std::move(config).value(), "in the configuration of " + piece->types + ", the nearest size that was tuned"});
  }
  return std::optional<NearestConfig>();
}

}  // namespace fuselab::engine
