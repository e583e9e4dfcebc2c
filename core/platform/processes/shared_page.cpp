// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/shared_page.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"

namespace fuselab::platform {

namespace {

constexpr std::size_t kLogged = 16'384;

}  // namespace

struct SharedPage::Layout {
  struct Logged {
    std::atomic<std::uint64_t> plan_and_phase;
    std::atomic<double> at;
  };
  std::atomic<std::uint64_t> plan_and_phase;  // one word, so that a reader never sees one without the other
  std::atomic<std::uint64_t> heartbeat;
  std::atomic<double> since;
  Logged log[kLogged];  // a ring: the change that made the heartbeat n is at n modulo the length
};

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free);
std::uint64_t join(int plan, WorkerPhase phase) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(plan)) << 32 | static_cast<std::uint32_t>(phase);
}

int plan_in(std::uint64_t word) {
  return static_cast<int>(static_cast<std::uint32_t>(word >> 32));
}

WorkerPhase phase_in(std::uint64_t word) {
  return static_cast<WorkerPhase>(static_cast<std::uint32_t>(word));
}

}  // namespace

Result<SharedPage> SharedPage::create() {
  UniqueFd fd(::memfd_create("fuselab-worker-state", MFD_CLOEXEC));
  if (!fd.valid()) return last_os_error("create the page shared with a worker");
  if (::ftruncate(fd.get(), sizeof(Layout)) != 0) return last_os_error("size the page shared with a worker");
  FL_TRY(SharedPage page, attach(std::move(fd)));
  page.set(-1, WorkerPhase::kIdle);
  return page;
}

Result<SharedPage> SharedPage::attach(UniqueFd fd) {
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return last_os_error("look at the page shared with the session");
  if (facts.st_size < static_cast<off_t>(sizeof(Layout))) {
    return Error{ErrorCode::kCorrupt, "the page shared with the session is too short"};
  }
  void* const address = ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) return last_os_error("map the page shared with a worker");
  return SharedPage(std::move(fd), static_cast<Layout*>(address));
}

SharedPage::SharedPage(SharedPage&& other) noexcept : fd_(std::move(other.fd_)), layout_(std::exchange(other.layout_, nullptr)) {}

SharedPage& SharedPage::operator=(SharedPage&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(layout_, other.layout_);
  return *this;
}

SharedPage::~SharedPage() {
  if (layout_ != nullptr) ::munmap(layout_, sizeof(Layout));
}

void SharedPage::set(int plan, WorkerPhase phase) {
  const double now = monotonic_now().count;
  const std::uint64_t word = join(plan, phase);
  Layout::Logged& logged = layout_->log[(layout_->heartbeat.load(std::memory_order_relaxed) + 1) % kLogged];
  logged.plan_and_phase.store(word, std::memory_order_relaxed);
  logged.at.store(now, std::memory_order_relaxed);
  layout_->since.store(now, std::memory_order_relaxed);
  layout_->plan_and_phase.store(word, std::memory_order_relaxed);
  layout_->heartbeat.fetch_add(1, std::memory_order_release);
}

WorkerState SharedPage::state() const {
  WorkerState state;
  state.heartbeat = layout_->heartbeat.load(std::memory_order_acquire);
  const std::uint64_t word = layout_->plan_and_phase.load(std::memory_order_relaxed);
  state.plan = plan_in(word);
  state.phase = phase_in(word);
  state.since = {layout_->since.load(std::memory_order_relaxed)};
  return state;
}

PhaseChanges SharedPage::changes_since(std::uint64_t seen) const {
  PhaseChanges found;
  const std::uint64_t last = layout_->heartbeat.load(std::memory_order_acquire);
  // Kernels run in the process that writes here: whatever the page holds, no more is read than the log has.
  const std::uint64_t made = last >= seen ? last - seen : 0;
  const std::uint64_t kept = std::min<std::uint64_t>(made, kLogged);
  found.lost = static_cast<std::int64_t>(std::min<std::uint64_t>(made - kept, std::numeric_limits<std::int64_t>::max()));
  for (std::uint64_t i = 0; i < kept; ++i) {
    const Layout::Logged& logged = layout_->log[(last - kept + 1 + i) % kLogged];
    const std::uint64_t word = logged.plan_and_phase.load(std::memory_order_relaxed);
    const double at = logged.at.load(std::memory_order_relaxed);
    if (std::isfinite(at)) found.changes.push_back({plan_in(word), phase_in(word), {at}});
  }
  return found;
}

}  // namespace fuselab::platform
