// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/stack_model.h"

#include "app/gui/look/figures.h"

namespace fuselab::gui {
namespace {

TableCell here_cell(const engine::StackState& state) {
  using Kind = engine::StackState::Kind;
  const QString problem = text_of(state.problem);
  switch (state.kind) {
    case Kind::kAbsent: return {StackModel::tr("not installed"), {}, {}, Tone::kMuted};
    case Kind::kOtherVersion: return {StackModel::tr("version %1, which is not used").arg(problem), {}, {}, Tone::kWarning};
    case Kind::kAltered: return {StackModel::tr("altered"), problem, {}, Tone::kBad};
    case Kind::kInstalled: break;
  }
  return {StackModel::tr("installed, %1").arg(text_of(format_bytes(state.disk))), text_of(state.folder.string()), {}, Tone::kGood};
}

QString packages_of(const InstallableStack& stack) {
  QStringList names;
  for (const StackWheel& wheel : stack.wheels) names << text_of(wheel.package);
  return StackModel::tr("Package %1").arg(names.join(QStringLiteral(", ")));
}

}  // namespace

StackModel::StackModel(QObject* parent) : TableModelBase(parent) {
  set_columns({{tr("Backend"), {}, false, 110},
               {tr("Version"), tr("The one that Fuselab was tried with; another is not used"), false, 80},
               {tr("Publisher"), {}, false, 180},
               {tr("Licence"), {}, false, 220, 100},
               {tr("Download"), tr("Size of its packages"), true, 90},
               {tr("Here"), {}, false, 220, 120, false, true}});
}

void StackModel::show(std::vector<engine::StackState> states) {
  beginResetModel();
  states_ = std::move(states);
  endResetModel();
}

const engine::StackState* StackModel::state(int row) const {
  return row >= 0 && row < rows() ? &states_[static_cast<std::size_t>(row)] : nullptr;
}

TableCell StackModel::cell(int row, int column) const {
  const engine::StackState& state = states_[static_cast<std::size_t>(row)];
  const InstallableStack& stack = *state.stack;
  switch (column) {
    case 0: return {text_of(stack.id), packages_of(stack), {}, Tone::kNeutral, true};
    case 1: return {text_of(stack.version)};
    case 2: return {text_of(stack.publisher)};
    case 3:
      if (stack.licence_class == LicenceClass::kFree) return {text_of(stack.licence)};
      return {text_of(stack.licence), tr("Proprietary: you are asked to accept it"), {}, Tone::kWarning};
    case 4: return {text_of(format_bytes(stack.download())), {}, static_cast<double>(stack.download().count)};
    default: return here_cell(state);
  }
}

}  // namespace fuselab::gui
