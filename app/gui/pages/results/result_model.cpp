// SPDX-License-Identifier: Apache-2.0
#include "app/gui/pages/results/result_model.h"

#include <QTimer>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "app/gui/look/figures.h"
#include "app/gui/look/piece_names.h"
#include "app/gui/look/window_words.h"
#include "core/kernel/drawback.h"
#include "core/kernel/launch_config.h"
#include "core/measure/outcome.h"

namespace fuselab::gui {
namespace {

// Pages remembered as wanted: about what two screens show. Older wishes are dropped, the view will ask again.
constexpr std::size_t kWishes = 6;
constexpr int kAhead = 3;        // pages fetched before they are looked at
constexpr int kSteadyPages = 4;  // a view that moved farther jumped: what lies beyond is anybody's guess
constexpr std::size_t kMostParameters = 32;

std::vector<Column> result_columns(const std::vector<std::string>& parameters = {}) {
  std::vector<Column> columns = {
      {ResultModel::tr("Piece"), ResultModel::tr("Where it stands in its model"), false, 170, 108},
      {ResultModel::tr("Operators"), ResultModel::tr("That run as one kernel"), false, 150, 80},
      {ResultModel::tr("Device"), {}, false, 82, 62},
      {ResultModel::tr("Outcome"), {}, false, 122, 72},
      {ResultModel::tr("Median"), ResultModel::tr("Median time per run. Trials that were not timed are last"), true, 78},
      {ResultModel::tr("95 % interval"), ResultModel::tr("Of the median"), true, 132},
      {ResultModel::tr("Shape"), ResultModel::tr("Types of what the piece reads"), false, 150, 80},
      {ResultModel::tr("Kind"),
       ResultModel::tr("Fused: one kernel. Unfused: per-operator kernels back to back. One operator: neither"), false, 98, 60},
      {ResultModel::tr("Mode"),
       ResultModel::tr(
           "What was timed: figures of different modes are not compared. \"warm, 7\": with 7 samples, as a search takes them"),
       false, 92, 70},
      {ResultModel::tr("Model"), ResultModel::tr("The models that the piece was cut from, with their extents"), false, 160, 96},
      {ResultModel::tr("Configuration"), ResultModel::tr("Launch configuration"), false, 230},
      {ResultModel::tr("Reason"), ResultModel::tr("Why it was not timed"), false, 200},
      {ResultModel::tr("Pattern"), {}, false, 140},
      {ResultModel::tr("When"), {}, false, 160},
      {ResultModel::tr("Trial"), ResultModel::tr("The beginning of its id"), false, 90}};
  for (const std::string& parameter : parameters)
    columns.push_back({text_of(parameter), ResultModel::tr("Launch parameter"), true, 90});
  for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
    if (ResultModel::order_by(column, false)) continue;
    QString& tip = columns[static_cast<std::size_t>(column)].tooltip;
    const QString why = ResultModel::tr("Results cannot be sorted by it: that would read every trial");
    tip = tip.isEmpty() ? why : tip + QLatin1Char('\n') + why;
  }
  return columns;
}

// The configuration of each kernel of a plan.
std::vector<LaunchConfig> configs_of(const std::string& text) {
  std::vector<LaunchConfig> configs;
  for (const QString& each : text_of(text).split(u';')) {
    auto config = LaunchConfig::parse(each.toStdString());
    if (config.ok()) configs.push_back(std::move(config).value());
  }
  return configs;
}

// "8"; of a plan of several kernels "8; 4".
TableCell parameter_cell(const TrialRow& row, const std::string& parameter) {
  QStringList values;
  for (const LaunchConfig& config : configs_of(row.config)) {
    const auto found = config.values().find(parameter);
    values << (found == config.values().end() ? QStringLiteral("–") : text_of(parameter_text(found->second)));
  }
  if (values.count(QStringLiteral("–")) == values.size()) return {QStringLiteral("–"), {}, {}, Tone::kMuted};
  return {values.join(QStringLiteral("; "))};
}

TableCell result_cell(const TrialRow& row, const CatalogWords* words, int column) {
  const bool timed = row.median_ns > 0;
  switch (column) {
    case ResultModel::kPiece: return {parts_of_name(text_of(row.piece_name)).scope, text_of(row.piece_name)};
    case ResultModel::kOperators: {
      const QString operators = parts_of_name(text_of(row.piece_name)).operators;
      return {operators.isEmpty() ? text_of(row.pattern) : operators, text_of(row.piece_name)};
    }
    case ResultModel::kPattern: return {text_of(row.pattern), {}, {}, Tone::kMuted};
    case ResultModel::kDevice: return {text_of(row.device_id), row.synthetic ? ResultModel::tr("Synthetic device") : QString()};
    case ResultModel::kKind: return {words == nullptr ? kPendingText : words->plan_of(row.piece_key, row.kind)};
    case ResultModel::kModel: {
      const QString models = words == nullptr ? QString() : words->models_of(row.piece_key);
      if (models.isEmpty())
        return {QStringLiteral("–"), ResultModel::tr("An operator of a piece, tuned by itself"), {}, Tone::kMuted};
      return {models, models};
    }
    case ResultModel::kMode: {
      if (words == nullptr) return {kPendingText};
      const QString mode = words->mode_of(row.metric_key);  // none before the catalogue was read again
      return {mode.isEmpty() ? text_of(row.metric_key).left(8) : mode, words->metric_of(row.metric_key)};
    }
    case ResultModel::kShape: {
      const QString shape = words == nullptr ? QString() : words->shape_of(row.piece_key);
      return {shape, shape, {}, Tone::kMuted};
    }
    case ResultModel::kOutcome: {
      const QString outcome = text_of(row.outcome);
      const bool confirmed = row.retimed && row.outcome == name_of(Outcome::kTimed);
      return {confirmed ? ResultModel::tr("%1 ✓").arg(outcome_text(outcome)) : outcome_text(outcome),
              confirmed ? ResultModel::tr("Confirmed in a fresh process") : window_words(row.reason),
              {},
              outcome_tone(outcome)};
    }
    case ResultModel::kMedian:
      if (!timed) return {QStringLiteral("–"), {}, {}, Tone::kMuted};
      if (const Drawbacks drawbacks = drawbacks_of(row.config); !drawbacks.empty())
        return {duration_text(row.median_ns) + drawback_mark(drawbacks), drawback_text(drawbacks), row.median_ns, Tone::kNeutral,
                true};
      return {duration_text(row.median_ns), {}, row.median_ns, Tone::kNeutral, true};
    case ResultModel::kInterval:
      return timed ? TableCell{interval_text(row.low_ns, row.high_ns, row.median_ns), {}, {}, Tone::kMuted} : TableCell{};
    case ResultModel::kConfig: return {text_of(row.config), text_of(row.config)};
    case ResultModel::kReason: return {window_words(row.reason), window_words(row.reason)};
    case ResultModel::kTrial: return {text_of(row.id.substr(0, 8)), text_of(row.id), {}, Tone::kMuted};
    default: return {time_text(row.created_unix_ms), {}, {}, Tone::kMuted};
  }
}

// Rows that were fetched to be copied.
class ResultSlice : public TableModelBase {
 public:
  ResultSlice(std::vector<TrialRow> rows, WordsPtr words) : rows_(std::move(rows)), words_(std::move(words)) {
    set_columns(result_columns());
  }

 protected:
  int rows() const override { return static_cast<int>(rows_.size()); }
  TableCell cell(int row, int column) const override {
    return result_cell(rows_[static_cast<std::size_t>(row)], words_.get(), column);
  }

 private:
  std::vector<TrialRow> rows_;
  WordsPtr words_;
};

}  // namespace

ResultModel::ResultModel(std::unique_ptr<PageSource> source, QObject* parent)
    : TableModelBase(parent), source_(std::move(source)), generation_(std::make_shared<int>(0)) {
  set_columns(result_columns());
}

ResultModel::~ResultModel() = default;

std::optional<TrialOrder> ResultModel::order_by(int column, bool backwards) {
  switch (column) {
    case kPiece: return backwards ? TrialOrder::kPiecesBack : TrialOrder::kPieces;
    case kDevice: return backwards ? TrialOrder::kDevicesBack : TrialOrder::kDevices;
    case kOutcome: return backwards ? TrialOrder::kOutcomesBack : TrialOrder::kOutcomes;
    case kMedian: return backwards ? TrialOrder::kSlowestFirst : TrialOrder::kFastestFirst;
    case kKind: return backwards ? TrialOrder::kKindsBack : TrialOrder::kKinds;
    case kMode: return backwards ? TrialOrder::kMetricsBack : TrialOrder::kMetrics;
    case kPattern: return backwards ? TrialOrder::kPatternsBack : TrialOrder::kPatterns;
    case kWhen: return backwards ? TrialOrder::kNewestFirst : TrialOrder::kOldestFirst;
    default: return std::nullopt;
  }
}

void ResultModel::query(TrialFilter filter, TrialOrder order) {
  filter_ = std::move(filter);
  order_ = order;
  refresh();
}

void ResultModel::set_words(WordsPtr words) {
  words_ = std::move(words);
  if (rows_ > 0) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
}

void ResultModel::refresh() {
  const int generation = ++*generation_;
  in_flight_ = 0;
  requested_.clear();
  wanted_.clear();
  looking_ = looked_ = PageRange();
  source_->count(filter_, [this, alive = std::weak_ptr<int>(generation_), generation](Result<std::int64_t> count) {
    const auto current = alive.lock();
    if (current == nullptr || *current != generation) return;
    if (!count.ok()) {
      emit failed(window_words(count.error()));
      return;
    }
    take_count(count.value());
  });
}

void ResultModel::take_count(std::int64_t count) {
  const auto rows = static_cast<int>(std::min<std::int64_t>(count, std::numeric_limits<int>::max()));
  beginResetModel();
  rows_ = rows;
  pages_.clear();
  use_.clear();
  endResetModel();
  emit counted(count);
}

const TrialRow* ResultModel::row(int row) const {
  return row >= 0 && row < rows_ ? find(row) : nullptr;
}

const TrialRow* ResultModel::find(int row) const {
  const int number = row / kPageSize;
  note_view(number);
  const auto page = pages_.find(number);
  if (page == pages_.end()) {
    want(number);
    return nullptr;
  }
  use_.splice(use_.begin(), use_, page->second.use);
  const auto offset = static_cast<std::size_t>(row % kPageSize);
  return offset < page->second.rows.size() ? &page->second.rows[offset] : nullptr;
}

void ResultModel::want(int page) const {
  std::erase(wanted_, page);
  wanted_.push_back(page);
  if (wanted_.size() > kWishes) wanted_.erase(wanted_.begin());
  schedule_send();
}

// Cells are looked at row by row; a page that the last look did not include means that the view has moved.
void ResultModel::note_view(int page) const {
  looking_.low = looking_.low < 0 ? page : std::min(looking_.low, page);
  looking_.high = std::max(looking_.high, page);
  if (page < looked_.low || page > looked_.high) schedule_send();
}

void ResultModel::schedule_send() const {
  if (send_scheduled_) return;
  send_scheduled_ = true;
  // After the view has painted: all cells of a screen have then said what they need.
  auto* self = const_cast<ResultModel*>(this);
  QTimer::singleShot(0, self, [self] {
    self->send_scheduled_ = false;
    self->send_requests();
  });
}

void ResultModel::look_ahead() {
  if (looking_.low < 0) return;
  const PageRange before = looked_;
  looked_ = std::exchange(looking_, PageRange());
  const bool steady = before.low >= 0 && std::abs(looked_.high - before.high) <= kSteadyPages;
  const bool down = looked_.high > before.high, up = looked_.low < before.low;
  if (!steady || down == up) return;
  const int last = (rows_ - 1) / kPageSize;
  for (int step = 1; step <= kAhead && in_flight_ < kRequestsInFlight; ++step) {
    const int page = down ? looked_.high + step : looked_.low - step;
    if (page >= 0 && page <= last) request(page);
  }
}

void ResultModel::send_requests() {
  while (!wanted_.empty() && in_flight_ < kRequestsInFlight) {
    const int page = wanted_.back();
    wanted_.pop_back();
    request(page);
  }
  look_ahead();
}

void ResultModel::request(int page) {
  if (pages_.contains(page) || std::find(requested_.begin(), requested_.end(), page) != requested_.end()) return;
  requested_.push_back(page);
  ++in_flight_;
  ++pages_requested_;
  const auto alive = std::weak_ptr<int>(generation_);
  source_->page(filter_, order_, static_cast<std::int64_t>(page) * kPageSize, kPageSize,
                [this, alive, generation = *generation_, page](Result<PageSource::Rows> rows) {
                  const auto current = alive.lock();
                  if (current == nullptr || *current != generation) return;
                  --in_flight_;
                  std::erase(requested_, page);
                  if (rows.ok()) {
                    take_page(page, std::move(rows).value());
                  } else {
                    emit failed(window_words(rows.error()));
                  }
                  send_requests();
                });
}

void ResultModel::note_parameters(const std::vector<TrialRow>& rows) {
  std::vector<std::string> known = parameters_;
  const std::string* last = nullptr;
  for (const TrialRow& row : rows) {
    if (last != nullptr && *last == row.config) continue;
    last = &row.config;
    for (const LaunchConfig& config : configs_of(row.config)) {
      for (const auto& [name, value] : config.values()) {
        if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
      }
    }
  }
  known.resize(std::min(known.size(), std::max(kMostParameters, parameters_.size())));
  if (known.size() == parameters_.size()) return;
  beginInsertColumns({}, columnCount(), kFirstParameter + static_cast<int>(known.size()) - 1);
  parameters_ = std::move(known);
  set_columns(result_columns(parameters_));
  endInsertColumns();
}

void ResultModel::take_page(int page, std::vector<TrialRow> rows) {
  note_parameters(rows);
  use_.push_front(page);
  pages_[page] = {std::move(rows), use_.begin()};
  while (pages_.size() > kPagesKept) {
    pages_.erase(use_.back());
    use_.pop_back();
  }
  const int first = page * kPageSize;
  const int last = std::min(rows_, first + kPageSize) - 1;
  if (first <= last) emit dataChanged(index(first, 0), index(last, columnCount() - 1));
}

std::vector<TrialRow> ResultModel::rows_at_hand(int first, int last) const {
  std::vector<TrialRow> rows;
  for (int row = first; row <= last; ++row) {
    const auto page = pages_.find(row / kPageSize);
    const auto offset = static_cast<std::size_t>(row % kPageSize);
    if (page == pages_.end() || offset >= page->second.rows.size()) break;
    rows.push_back(page->second.rows[offset]);
  }
  return rows;
}

void ResultModel::fetch_text(int first, int last, TextFormat format, std::function<void(Result<QString>)> done) {
  if (words_ == nullptr)
    return done(Error{ErrorCode::kUnavailable, "the names of models and modes are still being read: try again"});
  const auto wanted = static_cast<std::size_t>(std::max(0, last - first + 1));
  if (std::vector<TrialRow> here = rows_at_hand(first, last); here.size() == wanted)
    return done(text_of_rows(ResultSlice(std::move(here), words_), {}, format));
  source_->page(filter_, order_, first, static_cast<std::int64_t>(wanted),
                [words = words_, wanted, format, done](Result<PageSource::Rows> rows) {
                  if (!rows.ok()) return done(rows.error());
                  if (rows.value().size() != wanted)
                    return done(Error{ErrorCode::kUnavailable, "the trials have changed: select again"});
                  done(text_of_rows(ResultSlice(std::move(rows).value(), words), {}, format));
                });
}

TableCell ResultModel::cell(int row, int column) const {
  const TrialRow* found = find(row);
  if (found == nullptr) return {kPendingText, {}, {}, Tone::kMuted};
  if (column >= kFirstParameter) return parameter_cell(*found, parameters_[static_cast<std::size_t>(column - kFirstParameter)]);
  return result_cell(*found, words_.get(), column);
}

}  // namespace fuselab::gui
