// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/catalog_words.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>
#include <set>

#include "app/engine/subject/model_names.h"
#include "app/gui/look/figures.h"
#include "core/ops/op.h"

namespace fuselab::gui {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("fuselab::gui::CatalogWords", text);
}

QString found_in(const std::unordered_map<std::string, QString>& words, const std::string& key) {
  const auto found = words.find(key);
  return found == words.end() ? QString() : found->second;
}

QString name_of_model(const ModelPieceRecord& piece, const engine::ModelNames& names) {
  const QString name = text_of(names.shown(piece.model));
  return piece.binding.empty() ? name : QStringLiteral("%1 (%2)").arg(name, text_of(piece.binding));
}

}  // namespace

QString shape_text(const std::string& canonical_text) {
  const QString text = text_of(canonical_text);
  const qsizetype open = text.indexOf(QLatin1Char('(')), close = text.indexOf(QLatin1Char(')'), open);
  if (open < 0 || close < 0) return {};
  QStringList all, large;
  for (const QString& part : text.mid(open + 1, close - open - 1).split(QStringLiteral(", "), Qt::SkipEmptyParts)) {
    const qsizetype colon = part.indexOf(QLatin1String(": "));
    if (colon < 0) continue;
    QString type = part.mid(colon + 2);
    const bool parameter = type.startsWith(QLatin1String("param "));
    if (parameter) type = type.mid(6);
    all << type;
    if (!parameter || type.contains(QLatin1Char(','))) large << type;
  }
  QStringList& shown = large.isEmpty() ? all : large;
  shown.removeDuplicates();
  return shown.join(QStringLiteral(" · "));
}

bool is_one_operator(const std::string& canonical_text) {
  constexpr std::string_view kGiven = " = ";
  int running = 0;
  for (std::size_t at = canonical_text.find(kGiven); at != std::string::npos; at = canonical_text.find(kGiven, at)) {
    at += kGiven.size();
    const auto op = parse_op(std::string_view(canonical_text).substr(at, canonical_text.find('(', at) - at));
    if (!op || (*op != Op::kConstant && !is_view(*op))) ++running;
  }
  return running <= 1;
}

QString mode_text(const MetricIdentity& metric) {
  return text_of(name_of(metric.mode));
}

QString brief_metric_text(const MetricIdentity& metric) {
  Protocol usual;
  usual.mode = metric.mode;
  if (metric.detail == metric_of(usual).detail) return mode_text(metric);
  constexpr QLatin1String kSamples("samples=");
  const QString detail = text_of(metric.detail);
  return QStringLiteral("%1, %2").arg(mode_text(metric), detail.startsWith(kSamples) ? detail.mid(kSamples.size()) : detail);
}

QString metric_text(const MetricIdentity& metric) {
  QStringList parts;
  switch (metric.mode) {
    case CacheMode::kWarm: parts << tr("warm caches"); break;
    case CacheMode::kCold: parts << tr("caches emptied before each run"); break;
    case CacheMode::kRotating: parts << tr("buffers in rotation, beyond the caches"); break;
    case CacheMode::kFirstLaunch: parts << tr("the first launch in a process"); break;
  }
  parts << (metric.what == "plan" ? tr("all launches of the plan") : text_of(metric.what));
  if (metric.threads > 0) parts << counted_text(metric.threads, tr("thread"), tr("threads"));
  if (!metric.detail.empty()) parts << text_of(metric.detail);
  parts << tr("%1 inputs (seed %2)").arg(text_of(name_of(metric.inputs.pattern))).arg(metric.inputs.seed);
  parts << tr("protocol %1").arg(metric.protocol_version);
  return parts.join(QStringLiteral(", "));
}

QString environment_text(const EnvironmentIdentity& environment) {
  QStringList parts;
  for (const std::string& fact : {environment.cpu_model, environment.driver, environment.os_kernel}) {
    if (!fact.empty()) parts << text_of(fact);
  }
  if (!environment.clock_policy.empty()) parts << tr("clocks %1").arg(text_of(environment.clock_policy));
  if (!environment.tool_version.empty()) parts << tr("version %1").arg(text_of(environment.tool_version));
  return parts.join(QStringLiteral(", "));
}

CatalogWords::CatalogWords(const Catalog& catalog) {
  for (const PieceRecord& piece : catalog.pieces) {
    shapes_[piece.key] = shape_text(piece.canonical_text);
    ++uses_of_name_[piece.name];
    if (is_one_operator(piece.canonical_text)) one_operator_.insert(piece.key);
  }
  for (const auto& [key, environment] : catalog.environments) environments_[key] = environment_text(environment);
  add_models(catalog);
  add_metrics(catalog);
}

void CatalogWords::add_models(const Catalog& catalog) {
  const engine::ModelNames names(catalog);
  std::map<QString, std::set<std::string>> pieces;
  for (const ModelPieceRecord& use : catalog.model_pieces) pieces[name_of_model(use, names)].insert(use.piece_key);
  std::map<std::string, QStringList> users;
  for (const auto& [name, keys] : pieces) {
    models_.push_back({name, {keys.begin(), keys.end()}});
    for (const std::string& key : keys) users[key] << name;
  }
  for (const auto& [key, list] : users) models_of_[key] = list.join(QStringLiteral(", "));
}

void CatalogWords::add_metrics(const Catalog& catalog) {
  std::map<QString, int> of_name;
  for (const auto& [key, metric] : catalog.metrics) ++of_name[brief_metric_text(metric)];
  for (const auto& [key, metric] : catalog.metrics) {
    metrics_[key] = metric_text(metric);
    const QString name = brief_metric_text(metric);
    // Two that differ in what is seldom asked for: their inputs, their protocol's version.
    metric_names_.emplace_back(of_name[name] == 1 ? name : QStringLiteral("%1 · %2").arg(name, text_of(key).left(4)), key);
  }
  std::sort(metric_names_.begin(), metric_names_.end());
}

QString CatalogWords::models_of(const std::string& piece_key) const {
  return found_in(models_of_, piece_key);
}

QString CatalogWords::shape_of(const std::string& piece_key) const {
  return found_in(shapes_, piece_key);
}

QString CatalogWords::plan_of(const std::string& piece_key, PlanKind kind) const {
  return plan_text(kind, one_operator_.contains(piece_key));
}

QString CatalogWords::mode_of(const std::string& metric_key) const {
  const auto found =
      std::find_if(metric_names_.begin(), metric_names_.end(), [&](const auto& entry) { return entry.second == metric_key; });
  return found == metric_names_.end() ? QString() : found->first;
}

QString CatalogWords::metric_of(const std::string& metric_key) const {
  return found_in(metrics_, metric_key);
}

QString CatalogWords::environment_of(const std::string& environment_key) const {
  return found_in(environments_, environment_key);
}

QString CatalogWords::piece_label(const PieceRecord& piece) const {
  const auto uses = uses_of_name_.find(piece.name);
  const bool alone = uses == uses_of_name_.end() || uses->second <= 1;
  return alone ? text_of(piece.name) : QStringLiteral("%1 · %2").arg(text_of(piece.name), shape_of(piece.key));
}

}  // namespace fuselab::gui
