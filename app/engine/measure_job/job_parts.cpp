// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_parts.h"

namespace fuselab::engine {

bool JobParts::is_given() const {
  return !context.spec.config.values().empty() || !context.spec.target.empty();
}

bool JobParts::takes_whole(const DeviceTuner& tuner) const {
  return !is_given() && context.spec.whole_models && takes_whole_models(backends, tuner.device()) == true;
}

std::string JobParts::shown_model(std::size_t index) const {
  return names.shown(stored_name(fused_models[index]));
}

void JobParts::say(LogLine::Level level, std::string text) const {
  context.events.push(LogLine{level, std::move(text)});
}

std::string stored_name(const FusedModel& fused_model) {
  return stored_model(fused_model.subject.name, fused_model.subject.content);
}

bool ends_job(const Error& error) {
  return error.code == ErrorCode::kCancelled || error.code == ErrorCode::kIo || error.code == ErrorCode::kBusy ||
         error.code == ErrorCode::kCorrupt;
}

}  // namespace fuselab::engine
