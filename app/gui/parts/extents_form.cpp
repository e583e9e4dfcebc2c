// SPDX-License-Identifier: Apache-2.0
#include "app/gui/parts/extents_form.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/look/elided_label.h"
#include "app/gui/look/figures.h"
#include "app/gui/look/usual_shape.h"

namespace fuselab::gui {
namespace {

constexpr int kWidth = 680;  // pixels, at most
enum FormColumn { kName, kExtent, kWhere };
constexpr int kMostPlaces = 3;
constexpr int kLargest = 1'000'000'000;

// "first axis of input_ids and mask, and 4 more"
QString places_text(const engine::OpenExtent& open) {
  QStringList places;
  const int shown = std::min(kMostPlaces, static_cast<int>(open.places.size()));
  for (int i = 0; i < shown; ++i) {
    const auto& place = open.places[static_cast<std::size_t>(i)];
    places << ExtentsForm::tr("axis %1 of %2").arg(place.axis).arg(text_of(place.input));
  }
  QString text = places.join(QStringLiteral(", "));
  const auto rest = static_cast<int>(open.places.size()) - shown;
  return rest > 0 ? ExtentsForm::tr("%1 and %2 more").arg(text).arg(rest) : text;
}

}  // namespace

ExtentsForm::ExtentsForm(QWidget* parent)
    : QWidget(parent), title_(new QLabel(this)), hint_(new QLabel(this)), show_(new QPushButton(tr("Show the model"), this)) {
  title_->setProperty("role", "headline");
  title_->setObjectName(QStringLiteral("models.extents.title"));
  title_->setWordWrap(true);
  hint_->setProperty("role", "hint");
  hint_->setWordWrap(true);
  show_->setObjectName(QStringLiteral("models.extents.show"));
  show_->setAccessibleName(tr("Show the model with these extents"));
  show_->setProperty("primary", true);
  connect(show_, &QPushButton::clicked, this, [this] { emit answered(binding()); });
  auto* scroll = new QScrollArea(this);
  scroll->setObjectName(QStringLiteral("models.extents"));
  scroll->setAccessibleName(tr("Open extents"));
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);  // its fields are what is reached
  scroll->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
  scroll->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  fields_ = new QWidget;
  rows_ = new QGridLayout(fields_);
  rows_->setContentsMargins(0, 0, 0, 0);
  rows_->setHorizontalSpacing(16);
  rows_->setVerticalSpacing(8);
  rows_->setColumnStretch(kWhere, 1);
  scroll->setWidget(fields_);
  auto* column = new QVBoxLayout;
  column->setSpacing(10);
  column->addSpacing(24);
  column->addWidget(title_);
  column->addWidget(hint_);
  column->addSpacing(6);
  column->addWidget(scroll);
  column->addSpacing(6);
  column->addWidget(show_, 0, Qt::AlignLeft);
  column->addStretch(1);
  auto* middle = new QWidget(this);
  middle->setLayout(column);
  middle->setMaximumWidth(kWidth);
  auto* row = new QHBoxLayout(this);
  row->addStretch(1);
  row->addWidget(middle, 100);
  row->addStretch(1);
}

void ExtentsForm::ask(const QString& model, const std::vector<engine::OpenExtent>& open, const Bindings& known) {
  qDeleteAll(fields_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
  extents_.clear();
  const std::size_t asked = std::min(kMostAsked, open.size());
  title_->setText(open.size() == 1 ? tr("%1 leaves an extent open").arg(model)
                                   : tr("%1 leaves %2 extents open").arg(model).arg(open.size()));
  QString hint = tr("Give each a number; all other extents follow from these. They are remembered for this model.");
  if (asked < open.size()) hint += tr(" These are the first %1; the others are asked for next.").arg(asked);
  hint_->setText(hint);
  QWidget* before = nullptr;
  for (std::size_t i = 0; i < asked; ++i) {
    auto* extent = new QSpinBox(fields_);
    const QString symbol = text_of(open[i].symbol);
    extent->setObjectName(QStringLiteral("models.extent.") + symbol);
    extent->setAccessibleName(symbol);
    extent->setRange(1, kLargest);
    const auto remembered = known.find(open[i].symbol);
    extent->setValue(remembered == known.end() ? usual_extent(open[i])
                                               : static_cast<int>(std::clamp<std::int64_t>(remembered->second, 1, kLargest)));
    extent->setMinimumWidth(130);
    auto* where = new ElidedLabel(places_text(open[i]), fields_);
    where->setProperty("role", "hint");
    auto* name = new QLabel(symbol, fields_);
    name->setBuddy(extent);
    const int row = static_cast<int>(i);
    rows_->addWidget(name, row, kName);
    rows_->addWidget(extent, row, kExtent);
    rows_->addWidget(where, row, kWhere);
    extents_.emplace_back(symbol, extent);
    if (before != nullptr) setTabOrder(before, extent);
    before = extent;
  }
  if (before != nullptr) setTabOrder(before, show_);
}

// A number's field leaves Enter to the form that it is in.
void ExtentsForm::keyPressEvent(QKeyEvent* event) {
  const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (!enters || extents_.empty()) return QWidget::keyPressEvent(event);
  emit answered(binding());
}

QString ExtentsForm::binding() const {
  QStringList parts;
  for (const auto& [symbol, extent] : extents_) parts << QStringLiteral("%1=%2").arg(symbol).arg(extent->value());
  return parts.join(u',');
}

}  // namespace fuselab::gui
