// SPDX-License-Identifier: Apache-2.0
#include "app/gui/tables/table_view.h"

#include <QAbstractProxyModel>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QPointer>
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/window_words.h"
#include "app/gui/tables/tone_delegate.h"

namespace fuselab::gui {

namespace {

// In a short table the content decides how wide columns are. A long one is fetched as it is looked at, and must not jump while it
// is scrolled.
constexpr int kShort = 64;
constexpr qsizetype kAdvances = 4096;

}  // namespace

TableView::TableView(QWidget* parent) : QTableView(parent) {
  setItemDelegate(new ToneDelegate(this));
  setSelectionBehavior(SelectRows);
  setAlternatingRowColors(true);
  setShowGrid(false);
  setWordWrap(false);
  setTabKeyNavigation(false);  // Tab leaves the table, arrows move inside it
  setHorizontalScrollMode(ScrollPerPixel);
  setCornerButtonEnabled(false);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  horizontalHeader()->setStretchLastSection(true);
  horizontalHeader()->setSectionsMovable(true);
  size_rows();
  connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
    const QHeaderView* const header = horizontalHeader();
    int last = header->count() - 1;  // that is shown
    while (last > 0 && header->isSectionHidden(header->logicalIndex(last))) --last;
    const bool stretched = header->visualIndex(section) >= last;
    // The header gives a column that was the last one its size back, also when it is hidden by now.
    if (!fitting_ && !stretched && !header->isSectionHidden(section)) own_widths_ = true;
  });
  connect(horizontalHeader(), &QHeaderView::sectionMoved, this, [this] { own_widths_ = true; });

  auto* csv = new QAction(tr("Copy as CSV"), this);
  csv->setShortcut(QKeySequence::Copy);
  csv->setShortcutContext(Qt::WidgetShortcut);
  connect(csv, &QAction::triggered, this, &TableView::copy_csv);
  auto* markdown = new QAction(tr("Copy as Markdown"), this);
  markdown->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C));
  markdown->setShortcutContext(Qt::WidgetShortcut);
  connect(markdown, &QAction::triggered, this, &TableView::copy_markdown);
  addActions({csv, markdown});
  setContextMenuPolicy(Qt::ActionsContextMenu);
}

void TableView::size_rows() {
  verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 10);
}

void TableView::setModel(QAbstractItemModel* model) {
  QTableView::setModel(model);
  if (model == nullptr) return;
  connect(model, &QAbstractItemModel::modelReset, this, &TableView::fit_widths);
  connect(model, &QAbstractItemModel::dataChanged, this, [this] {
    if (this->model()->rowCount() <= kShort) fit_soon();
  });
}

// Once for all changes that come together, and only where the table is seen.
void TableView::fit_soon() {
  if (std::exchange(fits_soon_, true) || !isVisible()) return;
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (isVisible() && std::exchange(fits_soon_, false)) fit_widths();
      },
      Qt::QueuedConnection);
}

void TableView::showEvent(QShowEvent* event) {
  QTableView::showEvent(event);
  if (std::exchange(fits_soon_, false)) fit_widths();
}

void TableView::apply_widths() {
  own_widths_ = false;
  fit_widths();
}

void TableView::keep_own_widths() {
  own_widths_ = true;
}

namespace {

constexpr int kMargins = 16;

QFontMetrics strong_metrics(const QFont& font) {
  QFont strong = font;
  strong.setWeight(QFont::DemiBold);
  return QFontMetrics(strong);
}

}  // namespace

int TableView::advance_of(const QString& text) const {
  if (const auto known = advances_.constFind(text); known != advances_.cend()) return *known;
  if (advances_.size() >= kAdvances) advances_.clear();
  return advances_[text] = strong_metrics(font()).horizontalAdvance(text);
}

std::vector<TableView::Wish> TableView::wished_widths(const std::vector<Column>& columns, const std::vector<int>& places,
                                                      const std::vector<int>& headers) const {
  const int rows = model()->rowCount() <= kShort ? model()->rowCount() : 0;
  const auto width_of = [this](const QString& text) { return advance_of(text) + kMargins; };
  std::vector<Wish> wishes;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    const Column& column = columns[at];
    int content = 0, brief = 0;
    for (int row = 0; row < rows; ++row) {
      const QModelIndex index = model()->index(row, places[at]);
      const int whole = width_of(index.data(Qt::DisplayRole).toString());
      const QString shorter = column.numeric ? index.data(TableModelBase::kBriefRole).toString() : QString();
      content = std::max(content, whole);
      brief = std::max(brief, shorter.isEmpty() ? whole : std::min(whole, width_of(shorter)));
    }
    Wish wish;
    wish.width = rows == 0 ? column.width : column.numeric ? content : std::min(content, column.width);
    wish.least = column.least == 0 ? wish.width : column.numeric && rows > 0 ? brief : column.least;
    wish.width = std::max(headers[at], wish.width);
    wish.least = std::max(headers[at], std::min(wish.least, wish.width));
    wish.whole = std::max(wish.width, content);
    wishes.push_back(wish);
  }
  return wishes;
}

int TableView::total(const std::vector<Wish>& wishes) {
  return std::accumulate(wishes.begin(), wishes.end(), 0, [](int sum, const Wish& wish) { return sum + wish.width; });
}

// Takes what is missing from those columns of one kind that may give way, in proportion to what each can give.
void TableView::give_way(std::vector<Wish>& wishes, const std::vector<Column>& columns, bool numeric, int room) {
  int missing = -room, can_give = 0;
  const auto gives = [&](std::size_t at) { return columns[at].numeric == numeric ? wishes[at].width - wishes[at].least : 0; };
  for (std::size_t at = 0; at < wishes.size(); ++at) {
    missing += wishes[at].width;
    can_give += gives(at);
  }
  if (missing <= 0 || can_give == 0) return;
  missing = std::min(missing, can_give);
  for (std::size_t at = 0; at < wishes.size(); ++at) {
    wishes[at].width -= (gives(at) * missing + can_give - 1) / can_give;  // rounded up: together they give enough
  }
}

// Where not everything fits anyway, names need not be cut to the least for it: scrolling shows the rest.
void TableView::keep_names(std::vector<Wish>& head, const std::vector<Wish>& wishes, const std::vector<Column>& columns, int room) {
  constexpr int kShare = 6;  // of the view that a name may take
  if (total(head) <= room) return;
  for (std::size_t at = 0; at < head.size(); ++at) {
    if (!columns[at].numeric) head[at].width = std::max(head[at].width, std::min(wishes[at].width, room / kShare));
  }
}

// Shares out the room that a wide view leaves: first to words that are cut, those in columns that matter before the others, then to
// the columns that take the rest.
void TableView::fill(std::vector<Wish>& wishes, const std::vector<Column>& columns, std::size_t first_ones, int room) {
  for (const std::size_t end : {first_ones, wishes.size()}) {
    const std::vector<Wish> part(wishes.begin(), wishes.begin() + static_cast<std::ptrdiff_t>(end));
    int spare = std::max(0, room - total(part));
    for (std::size_t at = 0; at < end; ++at) {
      const int more = columns[at].numeric ? 0 : std::min(spare, wishes[at].whole - wishes[at].width);
      wishes[at].width += more;
      spare -= more;
    }
  }
  const int spare = room - total(wishes);
  if (spare <= 0) return;
  std::vector<std::size_t> takers;
  for (std::size_t at = 0; at < columns.size(); ++at) {
    if (columns[at].takes_rest) takers.push_back(at);
  }
  if (takers.empty()) {
    const auto words = [](const Column& column) { return !column.numeric; };
    const auto first = std::find_if(columns.begin(), columns.end(), words);
    const bool last = first == columns.end() || words(columns.back());
    takers.push_back(last ? columns.size() - 1 : static_cast<std::size_t>(first - columns.begin()));
  }
  for (const std::size_t taker : takers) wishes[taker].width += spare / static_cast<int>(takers.size());
}

void TableView::set_widths(const std::vector<int>& widths) {
  const bool outer = std::exchange(fitting_, true);
  int next = 0;
  for (const int width : widths) {
    while (isColumnHidden(next)) ++next;
    setColumnWidth(next++, width);
  }
  fitting_ = outer;
}

void TableView::fit_widths() {
  if (own_widths_ || fitting_ || model() == nullptr) return;
  const QAbstractItemModel* source = model();
  while (const auto* proxy = qobject_cast<const QAbstractProxyModel*>(source)) source = proxy->sourceModel();
  const auto* table = qobject_cast<const TableModelBase*>(source);
  if (table == nullptr || table->columns().empty() || model()->columnCount() != static_cast<int>(table->columns().size())) return;
  std::vector<Column> columns;  // those that are shown
  std::vector<int> places, headers;
  for (int at = 0; at < model()->columnCount(); ++at) {
    if (isColumnHidden(at)) continue;
    columns.push_back(table->columns()[static_cast<std::size_t>(at)]);
    places.push_back(at);
  }
  if (columns.empty()) return;
  for (const Column& column : columns) headers.push_back(strong_metrics(font()).size(0, column.title).width() + kMargins);
  std::vector<Wish> wishes = wished_widths(columns, places, headers);
  // Columns after the last one that matters, such as reasons and patterns, are reached by scrolling.
  std::size_t matter = columns.size();
  while (matter > 0 && (columns[matter - 1].lesser || (!columns[matter - 1].numeric && columns[matter - 1].least == 0))) --matter;
  std::vector<Wish> head(wishes.begin(), wishes.begin() + static_cast<std::ptrdiff_t>(matter));
  const int room = viewport()->width();
  for (bool numeric : {false, true}) give_way(head, columns, numeric, room);
  keep_names(head, wishes, columns, room);
  std::copy(head.begin(), head.end(), wishes.begin());
  fill(wishes, columns, matter, room);
  std::vector<int> widths;
  for (const Wish& wish : wishes) widths.push_back(wish.width);
  set_widths(widths);
}

void TableView::resizeEvent(QResizeEvent* event) {
  QTableView::resizeEvent(event);
  fit_widths();
}

std::vector<int> TableView::selected_rows() const {
  std::vector<int> rows;
  if (selectionModel() == nullptr) return rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  return rows;
}

void TableView::select_row(int row) {
  if (model() == nullptr || row < 0 || row >= model()->rowCount()) return;
  selectRow(row);
  scrollTo(model()->index(row, 0));
}

void TableView::copy_csv() {
  copy(TextFormat::kCsv);
}

void TableView::copy_markdown() {
  copy(TextFormat::kMarkdown);
}

// Ranges, not rows: of a million chosen rows their number alone is asked.
void TableView::copy(TextFormat format) {
  if (model() == nullptr || selectionModel() == nullptr) return;
  std::int64_t chosen = 0;
  int first = std::numeric_limits<int>::max(), last = -1;
  for (const QItemSelectionRange& range : selectionModel()->selection()) {
    chosen += range.height();
    first = std::min(first, range.top());
    last = std::max(last, range.bottom());
  }
  if (chosen == 0) return;
  if (chosen > kMostCopied)
    return emit not_copied(tr("Not copied: %1 rows are selected, at most %2 fit").arg(count_text(chosen), count_text(kMostCopied)));
  auto* late = dynamic_cast<LateRows*>(model());
  if (late == nullptr) {
    const std::vector<int> rows = selected_rows();
    return to_clipboard(text_of_rows(*model(), rows, format), static_cast<int>(rows.size()), format);
  }
  const int rows = last - first + 1;  // such a table is selected without gaps
  late->fetch_text(first, last, format, [self = QPointer<TableView>(this), rows, format](const Result<QString>& text) {
    if (self == nullptr) return;
    if (!text.ok()) return emit self->not_copied(tr("Not copied: %1").arg(window_words(text.error())));
    self->to_clipboard(text.value(), rows, format);
  });
}

void TableView::to_clipboard(const QString& text, int rows, TextFormat format) {
  QApplication::clipboard()->setText(text);
  const QString how = format == TextFormat::kCsv ? tr("%1 copied as CSV") : tr("%1 copied as Markdown");
  emit copied(how.arg(counted_text(rows, tr("row"), tr("rows"))));
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (current.isValid() && current.row() != previous.row()) emit row_chosen(current.row());
}

void TableView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  advances_.clear();
  size_rows();
  fit_widths();
}

}  // namespace fuselab::gui
