// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/perf_event_source.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"

namespace fuselab::profile {
namespace {

constexpr std::size_t kRingPages = 32;  // of samples of one thread: some 8000

perf_event_attr attributes_of(const Event& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.exclude_kernel = 1;  // what a user may count by default
  attributes.exclude_hv = 1;
  return attributes;
}

int open_event(perf_event_attr& attributes, int thread, int leader) {
  return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

Error refusal(int number) {
  const std::string why = std::strerror(number);
  switch (number) {
    case EMFILE:
    case ENFILE:
      return {ErrorCode::kIo, "counting every thread of this process needs more file descriptors than it may open (" + why +
                                  "): `ulimit -n` shows the limit, fewer threads need fewer"};
    case EACCES:
    case EPERM:
    case ENOSYS: return {ErrorCode::kUnavailable, why};
    default: return {ErrorCode::kUnsupported, why};
  }
}

std::vector<int> threads_of_process() {
  std::vector<int> threads;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    threads.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return threads;
}

}  // namespace

// The memory in which the kernel leaves the samples of one thread.
struct PerfEventSource::Ring {
  platform::UniqueFd event;
  void* memory = MAP_FAILED;
  std::size_t bytes = 0;

  Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() {
    if (memory != MAP_FAILED) ::munmap(memory, bytes);
  }

  // Appends the addresses of all samples. The ring is written no more: its event is disabled.
  void drain(std::vector<SampledAddress>& addresses) const {
    auto* const page = static_cast<perf_event_mmap_page*>(memory);
    const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
    const auto* const data = static_cast<const std::byte*>(memory) + page->data_offset;
    const std::uint64_t size = page->data_size;
    const auto take = [&](std::uint64_t at, void* to, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) static_cast<std::byte*>(to)[i] = data[(at + i) % size];
    };
    for (std::uint64_t at = page->data_tail; at + sizeof(perf_event_header) <= head;) {
      perf_event_header header{};
      take(at, &header, sizeof header);
      if (header.size == 0) break;
      if (header.type == PERF_RECORD_SAMPLE) take(at + sizeof header, &addresses.emplace_back(), sizeof(SampledAddress));
      at += header.size;
    }
  }
};

PerfEventSource::PerfEventSource() : threads_(threads_of_process()) {
  // Every event of every thread is a descriptor: what the user may have is taken.
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

PerfEventSource::~PerfEventSource() = default;

Result<int> PerfEventSource::open(std::span<const Event> group) {
  std::vector<std::vector<platform::UniqueFd>> opened;
  if (threads_.empty()) return refusal(EMFILE);  // even their list could not be opened
  for (const int thread : threads_) {
    auto& events = opened.emplace_back();
    for (const Event& event : group) {
      perf_event_attr attributes = attributes_of(event);
      attributes.disabled = events.empty() ? 1 : 0;
      attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
      platform::UniqueFd file(open_event(attributes, thread, events.empty() ? -1 : events.front().get()));
      if (!file.valid()) return refusal(errno);
      events.push_back(std::move(file));
    }
  }
  groups_[next_] = std::move(opened);
  return next_++;
}

Status PerfEventSource::enable(int group) {
  for (const auto& events : groups_.at(group)) {
    if (::ioctl(events.front().get(), PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) != 0 ||
        ::ioctl(events.front().get(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0)
      return platform::last_os_error("enable a counter");
  }
  return {};
}

Result<GroupReading> PerfEventSource::disable(int group) {
  GroupReading sum;
  for (const auto& events : groups_.at(group)) {
    if (::ioctl(events.front().get(), PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) != 0)
      return platform::last_os_error("disable a counter");
    std::vector<std::uint64_t> read(3 + events.size());  // number of events, enabled, running, counts
    const ssize_t got = ::read(events.front().get(), read.data(), read.size() * sizeof(std::uint64_t));
    if (got < 0) return platform::last_os_error("read a counter");
    if (static_cast<std::size_t>(got) < read.size() * sizeof(std::uint64_t))
      return Error{ErrorCode::kUnsupported, "the kernel gave fewer counts than events"};
    sum.counts.resize(events.size());
    sum.enabled_ns += static_cast<double>(read[1]);
    sum.running_ns += static_cast<double>(read[2]);
    for (std::size_t i = 0; i < events.size(); ++i) sum.counts[i] += static_cast<double>(read[3 + i]);
  }
  return sum;
}

void PerfEventSource::close(int group) {
  groups_.erase(group);
}

Status PerfEventSource::start_sampling(double period_ns) {
  rings_.clear();
  if (threads_.empty()) return refusal(EMFILE);
  for (const int thread : threads_) {
    perf_event_attr attributes = attributes_of({"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK});
    attributes.disabled = 1;
    attributes.sample_period = static_cast<std::uint64_t>(period_ns);
    attributes.sample_type = PERF_SAMPLE_IP;
    auto ring = std::make_unique<Ring>();
    ring->event = platform::UniqueFd(open_event(attributes, thread, -1));
    if (!ring->event.valid()) return refusal(errno);
    ring->bytes = (1 + kRingPages) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    // Mapped for reading alone, a full ring is overwritten; for writing, further samples are dropped, and none is torn.
    ring->memory = ::mmap(nullptr, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->event.get(), 0);
    if (ring->memory == MAP_FAILED) return refusal(errno);
    rings_.push_back(std::move(ring));
  }
  for (const auto& ring : rings_) {
    if (::ioctl(ring->event.get(), PERF_EVENT_IOC_ENABLE, 0) != 0) return platform::last_os_error("enable sampling");
  }
  return {};
}

Result<std::vector<SampledAddress>> PerfEventSource::stop_sampling() {
  std::vector<SampledAddress> addresses;
  for (const auto& ring : rings_) ::ioctl(ring->event.get(), PERF_EVENT_IOC_DISABLE, 0);
  for (const auto& ring : rings_) ring->drain(addresses);
  rings_.clear();
  return addresses;
}

// A chain of additions, each of which needs the one before, takes a cycle an addition on every x86-64 processor (Fog, instruction
// tables); additions of registers are never done ahead while renaming, as those of constants are.
std::optional<double> PerfEventSource::clock_rate() {
#if defined(__x86_64__)
  constexpr int kTries = 20, kRounds = 2000, kChain = 64;
  double best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    std::uint64_t sum = 1;
    const double start = platform::monotonic_now().count;
    for (int round = 0; round < kRounds; ++round) {
      // NOLINTNEXTLINE(hicpp-no-assembler): a compiler would add all at once
      asm volatile(".rept 64\n\tadd %1, %0\n\t.endr" : "+r"(sum) : "r"(std::uint64_t{3}));
    }
    const double took = platform::monotonic_now().count - start;
    if (took > 0) best = std::max(best, kRounds * kChain / took * 1e9);
  }
  return best > 0 ? std::optional(best) : std::nullopt;
#else
  return std::nullopt;
#endif
}

std::optional<std::string> PerfEventSource::file(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream && !stream.eof()) return std::nullopt;
  return text.str();
}

}  // namespace fuselab::profile
