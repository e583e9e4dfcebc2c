// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/engine/kernels/target_survey.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// The pieces of models on one target without a device: how far each comes, and what its compiler says.
class TargetSurveyModel : public TableModelBase {
  Q_OBJECT

 public:
  enum Columns {
    kPiece,
    kUses,
    kResult,
    kRegisters,
    kShared,
    kSpills,
    kOccupancy,
    kLimitedBy,
    kFusions,
    kMemory,
    kEstimate,
    kCompiling,
    kNote
  };

  explicit TargetSurveyModel(QObject* parent = nullptr);
  void show(engine::TargetSurveyReport report);

 protected:
  int rows() const override { return static_cast<int>(lines_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  struct Line {
    const engine::TargetSurvey* survey;
    const engine::TargetPiece* piece;
  };
  engine::TargetSurveyReport report_;  // owns what lines_ points into
  std::vector<Line> lines_;
};

}  // namespace fuselab::gui
