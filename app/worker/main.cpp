// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "app/worker/worker.h"
#include "backends/builtin_backends.h"
#include "core/platform/processes/internet.h"

namespace {

using namespace fuselab;

constexpr int kUsage = 2;
constexpr int kInternal = 3;

struct Arguments {
  std::optional<WorkerRole> role;
  int channel = -1;
  int page = -1;
  std::filesystem::path cache;
};

int parse_fd(std::string_view text) {
  int number = -1;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() ? number : -1;
}

Arguments parse_arguments(int count, char** values) {
  Arguments arguments;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = values[i];
    const std::string_view value = values[i + 1];
    if (name == "--role") arguments.role = parse_worker_role(value);
    if (name == "--channel") arguments.channel = parse_fd(value);
    if (name == "--page") arguments.page = parse_fd(value);
    if (name == "--cache") arguments.cache = value;
  }
  return arguments;
}

// Ends this process and whatever it started when the engine is gone, even while a kernel runs or hangs. A parent-death signal
// would not do: Linux sends it when the *thread* that forked ends, and engines fork from short-lived job threads.
void die_with_session(int channel_fd) {
  std::thread([channel_fd] {
    platform::wait_for_hangup(channel_fd);
    ::kill(0, SIGKILL);  // the process group is the worker's own, and its compilers stay in it
    ::_exit(kInternal);
  }).detach();
}

// No library needs the network to compute, and some report to their makers. NVIDIA's makes missing device files with a helper that
// has the setuid bit, which is without effect in a process that refuses anything.
Status keep_from_the_internet() {
  const bool needs_helper =
      ::geteuid() != 0 && ::access("/proc/driver/nvidia/version", F_OK) == 0 && ::access("/dev/nvidia-uvm", F_OK) != 0;
  if (needs_helper) return Error{ErrorCode::kUnavailable, "NVIDIA's driver has yet to make /dev/nvidia-uvm"};
  return platform::refuse_internet();
}

int serve(const Arguments& arguments, platform::SharedPage page, Status internet_refused) {
  BackendRegistry registry;
  register_builtin_backends(registry);
  if (*arguments.role == WorkerRole::kCompile) sweep_leftovers(registry);
  worker::Worker worker(*arguments.role, registry, platform::Channel(platform::UniqueFd(arguments.channel)), std::move(page),
                        arguments.cache, std::move(internet_refused));
  const Status served = worker.serve();
  if (served.ok()) return EXIT_SUCCESS;
  std::fprintf(stderr, "fuselab-worker: %s\n", served.error().message.c_str());
  return kInternal;
}

}  // namespace

int main(int count, char** values) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a write that fails and says so
  const Arguments arguments = parse_arguments(count, values);
  if (!arguments.role || arguments.channel < 0 || arguments.page < 0) {
    std::fprintf(stderr,
                 "fuselab-worker is started by fuselab and fuselab-gui, not by hand.\n"
                 "usage: fuselab-worker --role probe|compile|measure --channel FD --page FD [--cache DIRECTORY]\n");
    return kUsage;
  }
  auto page = platform::SharedPage::attach(platform::UniqueFd(arguments.page));
  if (!page.ok()) {
    std::fprintf(stderr, "fuselab-worker: %s\n", page.error().message.c_str());
    return kInternal;
  }
  Status internet_refused = keep_from_the_internet();
  if (::getpgrp() == ::getpid()) die_with_session(arguments.channel);
  const int code = serve(arguments, std::move(page).value(), std::move(internet_refused));
  // Libraries that were opened have threads of their own, and are not made to be ended beside them: nothing of theirs runs any
  // more.
  std::fflush(nullptr);
  ::_exit(code);
}
