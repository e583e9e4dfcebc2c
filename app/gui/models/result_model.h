// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "app/gui/look/catalog_words.h"
#include "app/gui/tables/table_model_base.h"
#include "app/gui/tables/table_text.h"
#include "core/store/result_store.h"

namespace fuselab::gui {

// Where a results table gets its pages from. Asked on the GUI thread; answers there too, later, by the callbacks.
class PageSource {
 public:
  using Rows = std::vector<TrialRow>;
  virtual ~PageSource() = default;
  virtual void count(const TrialFilter& filter, std::function<void(Result<std::int64_t>)> done) = 0;
  virtual void page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit,
                    std::function<void(Result<Rows>)> done) = 0;
};

// A table over any number of stored trials. It reports the true number of rows at once and fetches pages when a cell of them
// is first looked at; cells that have not arrived show "…". Memory is bounded by an LRU of pages, work by a limit on requests
// in flight: a page that was scrolled past before its turn came is not fetched.
// While the view moves steadily, the pages that it is about to reach are fetched before they are looked at.
class ResultModel : public TableModelBase, public LateRows {
  Q_OBJECT

 public:
  enum Columns { kPiece, kModel, kMode, kKind, kDevice, kOutcome, kMedian, kInterval, kShape, kConfig, kReason, kPattern, kWhen };
  static constexpr int kPageSize = 128;
  static constexpr std::size_t kPagesKept = 64;
  static constexpr std::size_t kRequestsInFlight = 3;

  explicit ResultModel(std::unique_ptr<PageSource> source, QObject* parent = nullptr);
  ~ResultModel() override;

  void query(TrialFilter filter, TrialOrder order);  // forgets all pages, counts anew
  void refresh();                                    // the same question again: rows may have been added
  void set_words(WordsPtr words);                    // what keys mean: models, modes, shapes
  const TrialRow* row(int row) const;                // nullptr until its page has arrived
  // As they are shown where all are here; else as one question to the source.
  void fetch_text(int first, int last, TextFormat format, std::function<void(Result<QString>)> done) override;
  std::int64_t pages_requested() const { return pages_requested_; }

 signals:
  void counted(qint64 rows);
  void failed(const QString& message);

 protected:
  int rows() const override { return rows_; }
  TableCell cell(int row, int column) const override;

 private:
  struct Page {
    std::vector<TrialRow> rows;
    std::list<int>::iterator use;  // place in the order of use
  };
  const TrialRow* find(int row) const;
  std::vector<TrialRow> rows_at_hand(int first, int last) const;  // those without a gap, from the first
  void note_view(int page) const;
  void want(int page) const;
  void look_ahead();
  void request(int page);
  void schedule_send() const;
  void send_requests();
  void take_count(std::int64_t count);
  void take_page(int page, std::vector<TrialRow> rows);

  std::unique_ptr<PageSource> source_;
  WordsPtr words_;
  TrialFilter filter_;
  TrialOrder order_ = TrialOrder::kNewestFirst;
  std::shared_ptr<int> generation_;  // answers to older questions are dropped; expires with the model
  int rows_ = 0;
  std::int64_t pages_requested_ = 0;
  std::size_t in_flight_ = 0;
  // Looking at a cell changes what is kept, not what the model says.
  mutable std::unordered_map<int, Page> pages_;
  mutable std::list<int> use_;       // most recent first
  mutable std::vector<int> wanted_;  // most recent last
  mutable bool send_scheduled_ = false;
  struct PageRange {
    int low = -1, high = -1;
  };
  mutable PageRange looking_;  // pages looked at since the last requests were sent
  PageRange looked_;           // and before that
  std::vector<int> requested_;
};

}  // namespace fuselab::gui
