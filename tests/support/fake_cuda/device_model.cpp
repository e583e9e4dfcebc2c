// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_cuda/device_model.h"

#include <algorithm>
#include <utility>

namespace fuselab::fake_cuda {
namespace {

constexpr std::size_t kAlignment = 256;

}  // namespace

DevicePointer DeviceModel::allocate(std::size_t bytes) {
  std::vector<std::byte> room(bytes + kAlignment);
  const auto address = reinterpret_cast<DevicePointer>(room.data());
  const DevicePointer aligned = (address + kAlignment - 1) / kAlignment * kAlignment;
  memory_.emplace(aligned, std::move(room));
  used_ += bytes;
  return aligned;
}

bool DeviceModel::release(DevicePointer pointer) {
  const auto found = memory_.find(pointer);
  if (found == memory_.end()) return false;
  used_ -= found->second.size() - kAlignment;
  memory_.erase(found);
  return true;
}

void* DeviceModel::pin(std::size_t bytes) {
  std::vector<std::byte> room(bytes);
  auto* const address = room.data();
  pinned_.emplace(address, std::move(room));
  return address;
}

bool DeviceModel::unpin(void* pointer) {
  return pinned_.erase(static_cast<const std::byte*>(pointer)) != 0;
}

bool DeviceModel::is_pinned(const void* pointer) const {
  const auto* const address = static_cast<const std::byte*>(pointer);
  return std::any_of(pinned_.begin(), pinned_.end(),
                     [&](auto& each) { return address >= each.first && address < each.first + each.second.size(); });
}

std::pair<DevicePointer, std::size_t> DeviceModel::allocation_of(DevicePointer address) const {
  auto after = memory_.upper_bound(address);
  if (after == memory_.begin()) return {};
  --after;
  const std::size_t size = after->second.size() - kAlignment;
  return address < after->first + size ? std::pair(after->first, size) : std::pair<DevicePointer, std::size_t>();
}

void DeviceModel::queue(Operation operation, double nanoseconds) {
  (capturing_ ? captured_ : queue_).emplace_back(std::move(operation), nanoseconds);
}

std::vector<std::pair<DeviceModel::Operation, double>> DeviceModel::end_capture() {
  capturing_ = spoilt_ = false;
  return std::exchange(captured_, {});
}

Code DeviceModel::synchronize() {
  for (const auto& [operation, nanoseconds] : std::exchange(queue_, {})) {
    if (failed_ != 0) break;
    now_ += nanoseconds;
    if (const Code code = operation(); code != 0) failed_ = code;
  }
  return failed_;
}

}  // namespace fuselab::fake_cuda
