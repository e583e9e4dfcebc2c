// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/frame_causes.h"

#include <QMetaEnum>
#include <QThread>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

namespace fuselab::gui::test {
namespace {

constexpr std::size_t kPrinted = 12;

std::string name_of_cause(const QObject& receiver, QEvent::Type type) {
  const char* event = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
  std::string name = std::string(event == nullptr ? "event" : event) + " of " + receiver.metaObject()->className();
  if (!receiver.objectName().isEmpty()) name += " " + receiver.objectName().toStdString();
  return name;
}

}  // namespace

double own_milliseconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

void FrameCauses::begin() {
  frame_.clear();
  on_ = true;
  inner_ = 0;
  began_ = own_milliseconds();
}

double FrameCauses::end(double worth) {
  on_ = false;
  const double took = own_milliseconds() - began_;
  if (took <= worth) return took;
  ++frames_;
  total_ += took;
  for (const auto& [name, cause] : frame_) {
    Cause& kept = kept_[name];
    kept.times += cause.times;
    kept.milliseconds += cause.milliseconds;
    kept.longest = std::max(kept.longest, cause.longest);
  }
  return took;
}

bool FrameCauses::notify(QObject* receiver, QEvent* event) {
  if (!on_ || QThread::currentThread() != thread()) return QApplication::notify(receiver, event);
  const std::string name = name_of_cause(*receiver, event->type());  // neither may be there afterwards
  const double outer = std::exchange(inner_, 0), began = own_milliseconds();
  const bool taken = QApplication::notify(receiver, event);
  const double took = own_milliseconds() - began, apart = took - inner_;
  inner_ = outer + took;
  Cause& cause = frame_[name];
  ++cause.times;
  cause.milliseconds += apart;
  cause.longest = std::max(cause.longest, apart);
  return taken;
}

void FrameCauses::print(const char* what) {
  std::printf("%s: %d frames kept, %.1f ms of the thread's own in them\n", what, frames_, total_);
  std::vector<std::pair<std::string, Cause>> causes(kept_.begin(), kept_.end());
  std::sort(causes.begin(), causes.end(),
            [](const auto& a, const auto& b) { return a.second.milliseconds > b.second.milliseconds; });
  for (std::size_t at = 0; at < std::min(causes.size(), kPrinted); ++at) {
    const auto& [name, cause] = causes[at];
    std::printf("  %8.1f ms in %5d, longest %6.2f ms: %s\n", cause.milliseconds, cause.times, cause.longest, name.c_str());
  }
  kept_.clear();
  frames_ = 0;
  total_ = 0;
}

}  // namespace fuselab::gui::test
