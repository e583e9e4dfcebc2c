// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QPointer>
#include <QThreadPool>
#include <memory>
#include <type_traits>
#include <utility>

namespace fuselab::gui {

// Runs blocking work (queries, discovery, imports) off the GUI thread and delivers the result on it. A result whose `context` was
// destroyed meanwhile is dropped. Belongs to the GUI thread; the destructor waits for work that has begun.
class Background : public QObject {
  Q_OBJECT

 public:
  explicit Background(int threads, QObject* parent = nullptr) : QObject(parent) { pool_.setMaxThreadCount(threads); }
  ~Background() override {
    pool_.clear();
    pool_.waitForDone();
  }

  // `work()` runs on a worker thread; `done(result)` on the GUI thread.
  template <typename Work, typename Done>
  void run(QObject* context, Work work, Done done) {
    using Value = std::invoke_result_t<Work>;
    ++pending_;
    pool_.start([this, guard = QPointer<QObject>(context), work = std::move(work), done = std::move(done)] {
      auto value = std::make_shared<Value>(work());
      QMetaObject::invokeMethod(
          this,
          [this, guard, value, done] {
            if (guard) done(std::move(*value));
            if (--pending_ == 0) emit idle();
          },
          Qt::QueuedConnection);
    });
  }

  int pending() const { return pending_; }

 signals:
  void idle();

 private:
  QThreadPool pool_;
  int pending_ = 0;
};

}  // namespace fuselab::gui
