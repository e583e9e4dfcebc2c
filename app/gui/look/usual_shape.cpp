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

}  // namespace fuselab::gui
