// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "app/gui/look/catalog_words.h"
#include "app/gui/tables/table_model_base.h"
#include "app/gui/tables/table_text.h"
#include "core/store/result_store.h"

namespace fuselab::gui {

// The source of a results table's pages. Called on the GUI thread; answers there later, through the callbacks.
class PageSource {
 public:
  using Rows = std::vector<TrialRow>;
  virtual ~PageSource() = default;
  virtual void count(const TrialFilter& filter, std::function<void(Result<std::int64_t>)> done) = 0;
  virtual void page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit,
                    std::function<void(Result<Rows>)> done) = 0;
};

// A table over any number of stored trials. It reports the true number of rows at once and fetches a page when one of its cells is
// first shown; cells that have not arrived show "…". Memory is bounded by an LRU of pages, work by a limit on requests in flight: a
// page that was scrolled past before its turn is not fetched. While the view moves steadily, the pages that it is about to reach
// are fetched in advance.
class ResultModel : public TableModelBase, public LateRows {
  Q_OBJECT

 public:
  enum Columns {
    kPiece,
    kOperators,
    kDevice,
    kOutcome,
    kMedian,
    kInterval,
    kShape,
    kKind,
    kMode,
    kModel,
    kConfig,
    kReason,
    kPattern,
    kWhen,
    kTrial,
    kFirstParameter  // of the launch configurations seen so far, each a column
  };
  static constexpr int kPageSize = 128;
  static constexpr std::size_t kPagesKept = 64;
  static constexpr std::size_t kRequestsInFlight = 3;

  // Returns the order that sorts by a column, one way or the other; nothing where the database has no index for it.
  static std::optional<TrialOrder> order_by(int column, bool backwards);

  explicit ResultModel(std::unique_ptr<PageSource> source, QObject* parent = nullptr);
  ~ResultModel() override;

  void query(TrialFilter filter, TrialOrder order);  // forgets all pages and counts again
  void refresh();                                    // runs the same query again, since rows may have been added
  void set_words(WordsPtr words);                    // meanings of keys: models, modes, shapes
  const TrialRow* row(int row) const;                // nullptr until its page has arrived
  // Uses the rows as shown where all of them are here; else asks the source once. Fails with kUnavailable before set_words(), or
  // where the trials have changed.
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
  std::vector<TrialRow> rows_at_hand(int first, int last) const;  // rows without a gap, from the first
  void note_view(int page) const;
  void want(int page) const;
  void look_ahead();
  void request(int page);
  void schedule_send() const;
  void send_requests();
  void take_count(std::int64_t count);
  void take_page(int page, std::vector<TrialRow> rows);
  void note_parameters(const std::vector<TrialRow>& rows);

  std::unique_ptr<PageSource> source_;
  WordsPtr words_;
  TrialFilter filter_;
  TrialOrder order_ = TrialOrder::kNewestFirst;
  std::shared_ptr<int> generation_;  // answers to older questions are dropped; expires with the model
  int rows_ = 0;
  std::int64_t pages_requested_ = 0;
  std::size_t in_flight_ = 0;
  // Showing a cell changes which pages are kept, not the model's content, hence mutable.
  mutable std::unordered_map<int, Page> pages_;
  mutable std::list<int> use_;       // most recent first
  mutable std::vector<int> wanted_;  // most recent last
  mutable bool send_scheduled_ = false;
  struct PageRange {
    int low = -1, high = -1;
  };
  mutable PageRange looking_;  // pages shown since the last requests were sent
  PageRange looked_;           // pages shown before that
  std::vector<int> requested_;
  std::vector<std::string> parameters_;  // with a column each, in order of appearance
};

}  // namespace fuselab::gui
