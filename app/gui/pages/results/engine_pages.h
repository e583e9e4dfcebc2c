// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gui/link/engine_link.h"
#include "app/gui/pages/results/result_model.h"

namespace fuselab::gui {

// Fetches pages of the engine's database on a worker thread. Before the engine is open there are no rows.
class EnginePages : public PageSource {
 public:
  explicit EnginePages(EngineLink& engine) : engine_(engine) {}

  void count(const TrialFilter& filter, std::function<void(Result<std::int64_t>)> done) override {
    if (!engine_.is_open()) return done(std::int64_t{0});
    engine_.query(
        &engine_, [filter](engine::Engine& opened) { return opened.queries().count_trials(filter); }, std::move(done));
  }
  void page(const TrialFilter& filter, TrialOrder order, std::int64_t offset, std::int64_t limit,
            std::function<void(Result<Rows>)> done) override {
    if (!engine_.is_open()) return done(Rows());
    engine_.query(
        &engine_, [=](engine::Engine& opened) { return opened.queries().page(filter, order, offset, limit); }, std::move(done));
  }

 private:
  EngineLink& engine_;
};

}  // namespace fuselab::gui
