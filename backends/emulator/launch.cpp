// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/launch.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "backends/emulator/block_run.h"
#include "backends/emulator/host_interface.h"
#include "backends/emulator/tensor_map.h"
#include "core/base/random.h"
#include "core/platform/processes/child_process.h"

namespace fuselab::simt {
namespace {

constexpr std::size_t kPage = std::size_t{64} * 1024;  // whole pages on every machine
constexpr std::size_t kMaxArguments = 32;
constexpr int kMaxThreads = 1024;
constexpr int kMaxCluster = 8;
constexpr std::size_t kSignalStack = std::size_t{128} * 1024;

// What the child tells its parent.
struct Channel {
  bool ended = false;
  std::int64_t switches = 0;
  std::int64_t steps = 0;
  bool is_limit = false;
  BankCount rows_banks, plain_banks;
  CodePlace worst_banks = 0;
  char finding[4096] = {};
};

// Memory that both processes see, the bytes of each argument between pages that nobody may touch.
class SharedPages {
 public:
  explicit SharedPages(std::size_t bytes) : bytes_((bytes + kPage - 1) / kPage * kPage) {
    void* const memory = mmap(nullptr, bytes_ + 2 * kPage, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    FL_ASSERT(memory != MAP_FAILED);
    begin_ = static_cast<std::byte*>(memory) + kPage;
    FL_ASSERT(mprotect(begin_, bytes_, PROT_READ | PROT_WRITE) == 0);
  }
  ~SharedPages() { munmap(begin_ - kPage, bytes_ + 2 * kPage); }
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;

  std::byte* data() const { return begin_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_;
};

// State of the child process, which runs one launch and ends.
Channel* channel = nullptr;
BlockRun* running = nullptr;
WatchedMemory* watched = nullptr;

template <std::size_t... I>
void call_with(void* entry, void* const* arguments, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(decltype(static_cast<void>(I), static_cast<void*>(nullptr))...)>(entry)(arguments[I]...);
}

// More arguments than a kernel takes do no harm: the caller removes them.
void call(void* entry, void* const* arguments) {
  call_with(entry, arguments, std::make_index_sequence<kMaxArguments>());
}

void on_signal(int number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  std::string text = "the kernel " + std::string(number == SIGFPE ? "divides an integer by zero" : "crashes");
  if (running != nullptr && running->running()) {
    text += " in thread " + std::to_string(running->thread()) + " of block " + std::to_string(running->block());
    if (number != SIGFPE) text += running->fiber().guards(address) ? ": its stack is full" : ", " + watched->where(address);
  }
  report(text + " (signal " + std::to_string(number) + ")");
}

void catch_signals() {
  static std::byte stack[kSignalStack];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = &on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(number, &action, nullptr);
}

void run_blocks(BlockRun& run, LaunchShape shape, std::uint64_t seed, const std::function<void()>& kernel) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(shape.grid / shape.cluster));
  std::iota(order.begin(), order.end(), 0);
  SeededRandom random(seed ^ 0x5eed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const std::int64_t block : order) run.run(block * shape.cluster, kernel);
}

[[noreturn]] void run_in_child(const KernelObject& object, std::size_t kernel, LaunchShape shape, std::span<Argument> arguments,
                               std::span<const std::unique_ptr<SharedPages>> pages, const LaunchLimits& limits) {
  catch_signals();
  WatchedMemory memory;
  memory.allow_dynamic(shape.dynamic_shared, shape.cluster, object.most_static(kernel));
  memory.add_image(object.image_begin(), object.image_end());
  void* pointers[kMaxArguments] = {};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& each = arguments[i];
    std::byte* const at = pages[i]->data() + each.alignment;
    pointers[i] = at;
    memory.add_buffer(each.name, reinterpret_cast<std::uintptr_t>(at), static_cast<std::int64_t>(each.bytes.size()), each.element,
                      each.use);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].maps < 0) continue;
    static_cast<TensorMap*>(pointers[i])->address = reinterpret_cast<std::uintptr_t>(pointers[arguments[i].maps]);
  }
  BlockRun run(memory, shape.block, shape.grid, limits.seed, limits.steps, shape.cluster, shape.lanes);
  if (limits.count_plain_banks) run.count_plain_banks();
  running = &run;
  watched = &memory;
  attach(&run, &memory);
  run_blocks(run, shape, limits.seed, [&] { call(object.entry(kernel), pointers); });
  channel->switches = run.switches();
  channel->steps = run.steps();
  channel->rows_banks = run.rows_banks();
  channel->plain_banks = run.plain_banks().count();
  channel->worst_banks = run.plain_banks().worst();
  channel->ended = true;
  _exit(0);
}

std::string refusal(const KernelObject& object, std::size_t kernel, LaunchShape shape, std::size_t arguments) {
  const int most = object.max_threads(kernel) == 0 ? kMaxThreads : std::min(object.max_threads(kernel), kMaxThreads);
  if (shape.block < 1 || shape.block > most) {
    return "a block of " + std::to_string(shape.block) + " threads; the kernel takes 1 to " + std::to_string(most);
  }
  if (shape.grid < 1 || shape.grid > 0x7fffffff)
    return "a grid of " + std::to_string(shape.grid) + " blocks; a device takes 1 to 2147483647";
  if (shape.cluster < 1 || shape.cluster > kMaxCluster || shape.grid % shape.cluster != 0) {
    return "a grid of " + std::to_string(shape.grid) + " blocks in clusters of " + std::to_string(shape.cluster) +
           "; a cluster has 1 to 8 blocks, and a grid whole clusters";
  }
  if (shape.cluster > 1 && shape.block % kWarp != 0)
    return "a block of " + std::to_string(shape.block) + " threads in a cluster; the executor runs whole warps there";
  if (shape.lanes != kWarp && shape.lanes != kMostLanes)
    return "warps of " + std::to_string(shape.lanes) + " lanes; the executor runs those of 32 and of 64";
  if (arguments > kMaxArguments)
    return std::to_string(arguments) + " arguments; the executor passes at most " + std::to_string(kMaxArguments);
  return "";
}

}  // namespace

void report(const std::string& finding) {
  FL_ASSERT(channel != nullptr);
  const std::size_t length = std::min(finding.size(), sizeof channel->finding - 1);
  std::memcpy(channel->finding, finding.data(), length);
  channel->steps = running == nullptr ? 0 : running->steps();
  channel->switches = running == nullptr ? 0 : running->switches();
  _exit(1);
}

void report_limit(const std::string& finding) {
  FL_ASSERT(channel != nullptr);
  channel->is_limit = true;
  report(finding);
}

Outcome run_launch(const KernelObject& object, std::size_t kernel, LaunchShape shape, std::span<Argument> arguments,
                   const LaunchLimits& limits) {
  if (std::string why = refusal(object, kernel, shape, arguments.size()); !why.empty())
    return {why, 0, 0, arguments.size() > kMaxArguments, {}, {}, {}};
  SharedPages message(sizeof(Channel));
  channel = new (message.data()) Channel();
  std::vector<std::unique_ptr<SharedPages>> pages;
  for (const Argument& each : arguments) {
    pages.push_back(std::make_unique<SharedPages>(each.bytes.size() + static_cast<std::size_t>(each.alignment)));
    std::copy(each.bytes.begin(), each.bytes.end(), pages.back()->data() + each.alignment);
  }
  const pid_t child = fork();
  FL_ASSERT(child >= 0);
  if (child == 0) run_in_child(object, kernel, shape, arguments, pages, limits);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{
      channel->finding, channel->switches, channel->steps, channel->is_limit, channel->rows_banks, channel->plain_banks, {}};
  if (channel->worst_banks != 0) outcome.worst_banks = object.describe(kernel, channel->worst_banks);
  if (outcome.finding.empty() && !channel->ended) outcome.finding = "the process of the launch " + platform::describe_exit(status);
  channel = nullptr;
  if (!outcome.finding.empty()) {
    outcome.finding = replace_place_marks(outcome.finding, [&](CodePlace place) { return object.describe(kernel, place); }) +
                      " [order seed " + std::to_string(limits.seed) + "]";
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::copy_n(pages[i]->data() + arguments[i].alignment, arguments[i].bytes.size(), arguments[i].bytes.begin());
  }
  return outcome;
}

}  // namespace fuselab::simt
