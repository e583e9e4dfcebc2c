// SPDX-License-Identifier: Apache-2.0
#include "core/platform/processes/shared_page.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>

#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"

namespace fuselab::platform {

struct SharedPage::Layout {
  std::atomic<std::uint64_t> plan_and_phase;  // one word, so that a reader never sees one without the other
  std::atomic<std::uint64_t> heartbeat;
  std::atomic<double> since;
};

namespace {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free);
constexpr std::size_t kPageBytes = 4096;

std::uint64_t join(int plan, WorkerPhase phase) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(plan)) << 32 | static_cast<std::uint32_t>(phase);
}

}  // namespace

Result<SharedPage> SharedPage::create() {
  UniqueFd fd(::memfd_create("fuselab-worker-state", MFD_CLOEXEC));
  if (!fd.valid()) return last_os_error("create the page shared with a worker");
  if (::ftruncate(fd.get(), kPageBytes) != 0) return last_os_error("size the page shared with a worker");
  FL_TRY(SharedPage page, attach(std::move(fd)));
  page.set(-1, WorkerPhase::kIdle);
  return page;
}

Result<SharedPage> SharedPage::attach(UniqueFd fd) {
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return last_os_error("look at the page shared with the session");
  if (facts.st_size < static_cast<off_t>(kPageBytes)) {
    return Error{ErrorCode::kCorrupt, "the page shared with the session is too short"};
  }
  void* const address = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
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
  if (layout_ != nullptr) ::munmap(layout_, kPageBytes);
}

void SharedPage::set(int plan, WorkerPhase phase) {
  layout_->since.store(monotonic_now().count, std::memory_order_relaxed);
  layout_->plan_and_phase.store(join(plan, phase), std::memory_order_relaxed);
  layout_->heartbeat.fetch_add(1, std::memory_order_release);
}

WorkerState SharedPage::state() const {
  WorkerState state;
  state.heartbeat = layout_->heartbeat.load(std::memory_order_acquire);
  const std::uint64_t word = layout_->plan_and_phase.load(std::memory_order_relaxed);
  state.plan = static_cast<int>(static_cast<std::uint32_t>(word >> 32));
  state.phase = static_cast<WorkerPhase>(static_cast<std::uint32_t>(word));
  state.since = {layout_->since.load(std::memory_order_relaxed)};
  return state;
}

}  // namespace fuselab::platform
