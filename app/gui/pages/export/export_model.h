// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/deploy/export_preview.h"
#include "app/deploy/verify/verify_bundle.h"
#include "app/gui/tables/table_model_base.h"

namespace fuselab::gui {

// How each piece goes out, or went: plan, configuration, time, what comes next, and what is missing.
class ExportModel : public TableModelBase {
  Q_OBJECT

 public:
  // `written`: in a bundle nothing is missing.
  explicit ExportModel(bool written, QObject* parent = nullptr);
  void show(std::vector<deploy::OutgoingPiece> pieces);
  std::string name(int row) const;  // of the piece; empty: no such row

 protected:
  int rows() const override { return static_cast<int>(pieces_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  TableCell time_cell(const deploy::OutgoingPiece& piece) const;
  TableCell next_cell(const deploy::OutgoingPiece& piece) const;

  bool written_;
  std::vector<deploy::OutgoingPiece> pieces_;
  QStringList brief_;  // short forms of the pieces' names
};

// A bundle's facts, name and value.
class BundleModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit BundleModel(QObject* parent = nullptr);
  void show(const QString& file, const deploy::InspectedBundle& bundle);

 protected:
  int rows() const override { return static_cast<int>(facts_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<std::pair<QString, QString>> facts_;
};

// What verifying a bundle found out about each of its pieces.
class VerifyModel : public TableModelBase {
  Q_OBJECT

 public:
  explicit VerifyModel(QObject* parent = nullptr);
  void show(std::vector<deploy::VerifiedPiece> pieces);

 protected:
  int rows() const override { return static_cast<int>(pieces_.size()); }
  TableCell cell(int row, int column) const override;

 private:
  std::vector<deploy::VerifiedPiece> pieces_;
  QStringList brief_;  // short forms of the pieces' names
};

}  // namespace fuselab::gui
