// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/cpu_reservation.h"

namespace fuselab::engine {

CpuReservation::Beside::Beside(CpuReservation& reservation, std::stop_token stop) : reservation_(reservation) {
  std::unique_lock lock(reservation_.mutex_);
  held_ = reservation_.changed_.wait(lock, std::move(stop), [this] { return !reservation_.alone_ && reservation_.waiting_ == 0; });
  if (held_) ++reservation_.beside_;
}

CpuReservation::Beside::~Beside() {
  if (!held_) return;
  const std::lock_guard lock(reservation_.mutex_);
  --reservation_.beside_;
  reservation_.changed_.notify_all();
}

CpuReservation::Alone::Alone(CpuReservation& reservation, std::stop_token stop) : reservation_(reservation) {
  std::unique_lock lock(reservation_.mutex_);
  ++reservation_.waiting_;
  held_ = reservation_.changed_.wait(lock, std::move(stop), [this] { return !reservation_.alone_ && reservation_.beside_ == 0; });
  --reservation_.waiting_;
  reservation_.alone_ = reservation_.alone_ || held_;
  if (!held_) reservation_.changed_.notify_all();
}

CpuReservation::Alone::~Alone() {
  if (!held_) return;
  const std::lock_guard lock(reservation_.mutex_);
  reservation_.alone_ = false;
  reservation_.changed_.notify_all();
}

}  // namespace fuselab::engine
