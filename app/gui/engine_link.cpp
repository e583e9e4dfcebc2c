// SPDX-License-Identifier: Apache-2.0
#include "app/gui/engine_link.h"

namespace fuselab::gui {

// Three workers: a slow import or discovery must not keep the table that is being scrolled waiting.
EngineLink::EngineLink(SessionFactory factory, QObject* parent) : QObject(parent), factory_(std::move(factory)), background_(3) {}

void EngineLink::open() {
  using Opened = Result<std::shared_ptr<session::Session>>;
  background_.run(
      this,
      [factory = factory_]() -> Opened {
        FL_TRY(std::shared_ptr<session::Session> session, factory());
        return session;
      },
      [this](Opened result) {
        if (!result.ok()) {
          failure_code_ = result.error().code;
          failure_ = QString::fromStdString(result.error().message);
          emit open_failed(failure_);
          return;
        }
        session_ = std::move(result).value();
        emit opened();
      });
}

}  // namespace fuselab::gui
