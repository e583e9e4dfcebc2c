// SPDX-License-Identifier: Apache-2.0
#include "app/gui/look/usual_shape.h"

#include <algorithm>

#include "app/engine/subject/subject.h"
#include "core/workloads/workload.h"

namespace fuselab::gui {
namespace {

QString binding_text(const Bindings& shape) {
  QStringList parts;
  for (const auto& [symbol, extent] : shape) parts << QStringLiteral("%1=%2").arg(QString::fromStdString(symbol)).arg(extent);
  return parts.join(u',');
}

std::vector<Bindings> shapes_of(const std::string& subject) {
  const std::vector<engine::ModelDefaults> models = engine::default_shapes();
  const auto model = std::find_if(models.begin(), models.end(), [&](const auto& one) { return one.id == subject; });
  if (model != models.end()) return model->shapes;
  const auto workload = find_workload(subject);
  return workload.ok() ? std::vector<Bindings>{workload.value()->default_shape} : std::vector<Bindings>();
}

}  // namespace

QStringList usual_shapes(const QString& subject) {
  QStringList shapes;
  if (subject.isEmpty()) return shapes;
  for (const Bindings& shape : shapes_of(subject.toStdString())) shapes << binding_text(shape);
  shapes.removeAll(QString());
  return shapes;
}

int usual_extent(const engine::OpenExtent& open) {
  constexpr int kPicture = 224, kColours = 3, kPictureRank = 4, kSequence = 128;
  const QString name = QString::fromStdString(open.symbol).toLower();
  const auto is_one_of = [&](std::initializer_list<const char*> words) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return name == QLatin1String(word); });
  };
  if (name.contains(QLatin1String("batch")) || is_one_of({"n", "b", "bs"})) return 1;
  if (name.contains(QLatin1String("past"))) return kSequence;
  if (name.contains(QLatin1String("height")) || name.contains(QLatin1String("width")) || is_one_of({"h", "w"})) return kPicture;
  const bool placed = !open.places.empty();
  if (placed && open.places.front().axis == 0) return name.contains(QLatin1String("seq")) ? kSequence : 1;
  // Recurrent states lie as layers × batch × hidden.
  constexpr int kStateRank = 3;
  const QString input = placed ? QString::fromStdString(open.places.front().input).toLower() : QString();
  const bool is_state = input.contains(QLatin1String("state")) && !input.contains(QLatin1String("states"));
  if (is_state && open.places.front().rank == kStateRank && open.places.front().axis == 1) return 1;
  if (placed && open.places.front().rank == kPictureRank) return open.places.front().axis == 1 ? kColours : kPicture;
  return kSequence;
}

}  // namespace fuselab::gui
