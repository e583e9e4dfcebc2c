// SPDX-License-Identifier: Apache-2.0
#include "backends/host/omp_team.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "backends/host/pinned_scope.h"

namespace fuselab::host {
namespace {

// Idle threads of libgomp spin this long at most before they sleep (GOMP_SPINCOUNT unset); what is timed beside them would share
// its core with one.
constexpr std::chrono::milliseconds kSpinning{10};

struct Pinning {
  const std::vector<int>* cpus;
  int (*thread_number)();
};

void pin_own(void* data) {
  const auto& pinning = *static_cast<const Pinning*>(data);
  const auto thread = static_cast<std::size_t>(pinning.thread_number());
  keep_denormals();
  // The first is the caller's thread, which is pinned by whoever times.
  if (thread > 0 && thread < pinning.cpus->size()) pin_thread({(*pinning.cpus)[thread]});
}

struct SharedWork {
  const std::function<void(int, int)>* work;
  int (*thread_number)();
  int threads;
};

void do_share(void* data) {
  const auto& shared = *static_cast<const SharedWork*>(data);
  (*shared.work)(shared.thread_number(), shared.threads);
}

template <typename F>
void take(const loading::OpenedLibrary& library, const char* name, F& function) {
  function = reinterpret_cast<F>(library.symbol(name));  // of the library or of what it needs
}

}  // namespace

OmpTeam OmpTeam::alone(int cpu) {
  OmpTeam team;
  team.cpus_ = {cpu};
  return team;
}

Result<OmpTeam> OmpTeam::of(const loading::OpenedLibrary& library, std::vector<int> cpus) {
  OmpTeam team;
  take(library, "omp_set_num_threads", team.set_threads_);
  take(library, "omp_get_max_threads", team.most_threads_);
  take(library, "omp_get_thread_num", team.thread_number_);
  take(library, "GOMP_parallel", team.parallel_);
  if (team.set_threads_ == nullptr || team.most_threads_ == nullptr) {
    return Error{ErrorCode::kUnavailable, library.path + " was built for OpenMP, but none was loaded with it"};
  }
  if (team.thread_number_ == nullptr) team.parallel_ = nullptr;
  team.cpus_ = std::move(cpus);
  team.name_ = team.pins() ? "OpenMP, pinned" : "OpenMP, not pinned";
  return team;
}

Status OmpTeam::use(int threads) {
  if (threads < 1 || threads > most()) {
    return Error{ErrorCode::kUnsupported,
                 "the configuration wants " + std::to_string(threads) + " threads, the library has " + std::to_string(most())};
  }
  if (threads == now_ || set_threads_ == nullptr) return {};
  set_threads_(threads);
  if (most_threads_() != threads) {
    return Error{ErrorCode::kUnsupported, "OpenMP gives " + std::to_string(most_threads_()) + " threads instead of " +
                                              std::to_string(threads) + ": OMP_THREAD_LIMIT or OMP_DYNAMIC is set"};
  }
  Pinning pinning{&cpus_, thread_number_};
  if (parallel_ != nullptr) parallel_(pin_own, &pinning, static_cast<unsigned>(threads), 0);
  now_ = threads;
  awake_ = std::max(awake_, threads);
  return {};
}

Status OmpTeam::run(int threads, const std::function<void(int, int)>& work) {
  FL_TRY_VOID(use(threads));
  if (parallel_ == nullptr) {
    work(0, 1);
    return {};
  }
  SharedWork shared{&work, thread_number_, threads};
  parallel_(do_share, &shared, static_cast<unsigned>(threads), 0);
  return {};
}

void OmpTeam::let_others_sleep() {
  if (awake_ > now_) std::this_thread::sleep_for(kSpinning);
  awake_ = now_;
}

}  // namespace fuselab::host
