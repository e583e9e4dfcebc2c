// SPDX-License-Identifier: Apache-2.0
#include "app/gui/link/engine_link.h"

#include "app/gui/look/window_words.h"

namespace fuselab::gui {

// Three workers: a slow import or discovery must not keep the table that is being scrolled waiting.
EngineLink::EngineLink(EngineFactory factory, QObject* parent) : QObject(parent), factory_(std::move(factory)), background_(3) {}

EngineLink::~EngineLink() {
  ending_.request_stop();
}

void EngineLink::open() {
  using Opened = Result<std::shared_ptr<engine::Engine>>;
  background_.run(
      this,
      [factory = factory_]() -> Opened {
        FL_TRY(std::shared_ptr<engine::Engine> engine, factory());
        return engine;
      },
      [this](Opened result) {
        if (!result.ok()) {
          error_ = result.error();
          failure_ = window_words(result.error());
          emit open_failed(failure_);
          return;
        }
        engine_ = std::move(result).value();
        emit opened();
      });
}

}  // namespace fuselab::gui
