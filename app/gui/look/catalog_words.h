// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/store/result_store.h"

namespace fuselab::gui {

// Returns the types that a piece reads, from its canonical text: "f32[1,128,768] · f32[768,3072]". Vectors of parameters (biases,
// scales) are left out where there is something larger, since they do not tell one shape from another.
QString shape_text(const std::string& canonical_text);
// Returns whether a piece is one operator that runs. Constants do not count, since they are copied into their readers, nor do
// views, which move nothing.
bool is_one_operator(const std::string& canonical_text);
// Returns "warm", "cold".
QString mode_text(const MetricIdentity& metric);
// Does the same, with the number of samples where it is not the usual one: "warm, 7", as in a search.
QString brief_metric_text(const MetricIdentity& metric);
// Returns everything that the figure's meaning depends on: "warm caches, the whole plan, samples=15, uniform inputs (seed 1)".
QString metric_text(const MetricIdentity& metric);
QString environment_text(const EnvironmentIdentity& environment);

// The meanings of the keys in stored rows, looked up in the small tables. Immutable; shared by models and pages.
class CatalogWords {
 public:
  explicit CatalogWords(const Catalog& catalog);

  struct Model {
    QString name;  // "bert-layer (batch=1,seq=128)"
    std::vector<std::string> piece_keys;
  };
  const std::vector<Model>& models() const { return models_; }  // sorted by name
  // Returns each metric with a unique name: its mode, with its samples where they are not the usual ones.
  const std::vector<std::pair<QString, std::string>>& metrics() const { return metric_names_; }

  QString models_of(const std::string& piece_key) const;  // joined; empty for an operator that was tuned by itself
  QString shape_of(const std::string& piece_key) const;
  // Returns "single" for a single operator, which is neither fused nor unfused; else the kind of the plan.
  QString plan_of(const std::string& piece_key, PlanKind kind) const;
  QString mode_of(const std::string& metric_key) const;  // the metric's name; empty when it is not known yet
  QString metric_of(const std::string& metric_key) const;
  QString environment_of(const std::string& environment_key) const;
  // Returns the name, with the shape where another piece has the same name.
  QString piece_label(const PieceRecord& piece) const;

 private:
  void add_models(const Catalog& catalog);
  void add_metrics(const Catalog& catalog);

  std::vector<Model> models_;
  std::vector<std::pair<QString, std::string>> metric_names_;
  std::unordered_map<std::string, QString> models_of_, shapes_, metrics_, environments_;
  std::unordered_map<std::string, int> uses_of_name_;
  std::unordered_set<std::string> one_operator_;  // piece keys
};
using WordsPtr = std::shared_ptr<const CatalogWords>;

}  // namespace fuselab::gui
