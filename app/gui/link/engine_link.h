// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <stop_token>

#include "app/engine/job/engine.h"
#include "app/gui/link/background.h"

namespace fuselab::gui {

using EngineFactory = std::function<Result<std::unique_ptr<engine::Engine>>()>;

// The program's one access to the engine: opens it in the background (after the first window is painted) and runs its blocking
// calls there. GUI thread only; the engine itself is thread-safe and lives until the last query has ended.
class EngineLink : public QObject {
  Q_OBJECT

 public:
  explicit EngineLink(EngineFactory factory, QObject* parent = nullptr);
  ~EngineLink() override;

  void open();  // once; answers with opened() or open_failed()
  bool is_open() const { return engine_ != nullptr; }
  const QString& failure() const { return failure_; }  // why it could not be opened; empty unless open_failed() was emitted
  ErrorCode failure_code() const { return error_.code; }
  const std::string& failure_message() const { return error_.message; }  // as the terminal says it
  bool is_idle() const { return background_.pending() == 0; }
  const std::shared_ptr<engine::Engine>& engine() const { return engine_; }

  // Calls work(engine::Engine&) on a worker thread, then done(result) on this one. Requires is_open().
  template <typename Work, typename Done>
  void query(QObject* context, Work work, Done done) {
    background_.run(
        context, [engine = engine_, work = std::move(work)] { return work(*engine); }, std::move(done));
  }

  // The same for work that can be asked to stop, work(engine::Engine&, std::stop_token): by `source`, and when the program ends.
  template <typename Work, typename Done>
  void query(QObject* context, const std::stop_source& source, Work work, Done done) {
    query(
        context,
        [ending = ending_.get_token(), source, work = std::move(work)](engine::Engine& opened) {
          const std::stop_callback end(ending, [source]() mutable { source.request_stop(); });
          return work(opened, source.get_token());
        },
        std::move(done));
  }

 signals:
  void opened();
  void open_failed(const QString& reason);

 private:
  EngineFactory factory_;
  std::shared_ptr<engine::Engine> engine_;
  QString failure_;
  Error error_{ErrorCode::kInternal, {}};
  std::stop_source ending_;
  Background background_;  // last: waits for its work before the engine goes
};

}  // namespace fuselab::gui
