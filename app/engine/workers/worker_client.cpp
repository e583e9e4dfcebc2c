// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/worker_client.h"

#include <algorithm>

#include "app/engine/workers/call_trace.h"
#include "app/wire/codec.h"
#include "app/wire/frame_reader.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/channel.h"
#include "core/platform/processes/child_process.h"
#include "core/platform/system/clock.h"
#include "core/platform/system/uuid.h"

namespace fuselab::engine {
namespace {

using std::chrono::milliseconds;

constexpr int kChannelFd = 3;
constexpr int kPageFd = 4;
// The time between two looks of a waiting call at its stop token and the worker's heartbeat. Long, because each look takes a
// processor from a worker that times something on both of two; short enough for a stop within 100 ms.
constexpr milliseconds kSlice{50};
constexpr milliseconds kSendPatience{10'000};
constexpr milliseconds kExitPatience{1'000};
constexpr Nanoseconds kMostQuiet{900e9};  // the longest silence of a working worker, as for a large reference

bool runs_foreign_code(platform::WorkerPhase phase) {
  return phase == platform::WorkerPhase::kLoad || phase == platform::WorkerPhase::kLaunch;
}

class ProcessClient final : public WorkerClient {
 public:
  ProcessClient(WorkerRole role, platform::ChildProcess process, platform::Channel channel, platform::SharedPage page,
                std::shared_ptr<TraceRecorder> trace)
      : role_(role),
        trace_(std::move(trace)),
        id_(platform::make_uuid()),
        process_(std::move(process)),
        channel_(std::move(channel)),
        page_(std::move(page)),
        reader_([this](std::span<std::byte> into, milliseconds time) { return channel_.receive_some(into, time); }) {}

  // A library may write once more while its process ends, and one that was killed cleaned nothing up.
  ~ProcessClient() override {
    say_goodbye();
    process_.kill();
    platform::TemporaryFolder::sweep_of(process_.pid());
  }

  Result<wire::Reply> call(const wire::Request& request, const CallOptions& options) override {
    if (!alive()) return died();
    FL_TRY(const std::vector<std::byte> frame, wire::encode(request));
    idle_ = false;
    const CallTrace traced(trace_, request, page_, std::string(name_of(role_)) + " " + std::to_string(process_.pid()));
    if (const Status sent = channel_.send(frame, kSendPatience); !sent.ok()) return died();
    const double start = platform::monotonic_now().count;
    for (;;) {
      auto arrived = reader_.next(kSlice);
      process_.last_words();  // reads its pipe, which would otherwise fill up
      if (!arrived.ok()) return arrived.error().code == ErrorCode::kUnavailable ? died() : nonsense(arrived.error());
      if (arrived.value()) {
        Result<wire::Reply> reply = wire::decode_reply(*arrived.value());
        if (!reply.ok()) return nonsense(reply.error());
        if (std::holds_alternative<wire::PlansFinished>(reply.value())) {
          if (options.on_event) options.on_event(reply.value());
          continue;
        }
        idle_ = true;
        if (auto* const error = std::get_if<wire::ErrorReply>(&reply.value())) return error->error;
        return reply;
      }
      FL_TRY_VOID(check_patience(options, start));
    }
  }

  bool alive() const override { return !ended_; }
  std::optional<int> blamed_plan() const override { return blamed_; }
  const std::string& id() const override { return id_; }
  int pid() const override { return process_.pid(); }

 private:
  void say_goodbye() {
    if (!alive()) return;
    const auto bye = wire::encode(wire::Request(wire::ShutdownRequest{}));
    if (idle_ && bye.ok() && channel_.send(bye.value(), milliseconds(100)).ok()) process_.wait_exit(milliseconds(200));
  }

  std::string name() const { return "worker (" + std::string(name_of(role_)) + ", pid " + std::to_string(process_.pid()) + ")"; }

  // Ends the process and keeps what the page says of its last moment.
  void end() {
    process_.kill();
    ended_ = true;
    const platform::WorkerState last = page_.state();
    if (last.plan >= 0) blamed_ = last.plan;
  }

  Error died() {
    // The channel closes a moment before the process can be waited for; its own way of ending must not be masked by our kill.
    const std::string how = process_.wait_exit(kExitPatience).value_or("closed its channel");
    end();
    std::string words = process_.last_words();
    while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
    return {ErrorCode::kCrashed, name() + " " + how + (words.empty() ? "" : "; its last words: " + words)};
  }

  Error nonsense(const Error& why) {
    end();
    return {ErrorCode::kCorrupt, name() + ": " + why.message};
  }

  Status check_patience(const CallOptions& options, double start) {
    const double now = platform::monotonic_now().count;
    if (options.stop.stop_requested()) {
      end();
      return Error{ErrorCode::kCancelled, "cancelled"};
    }
    const platform::WorkerState state = page_.state();
    if (options.launch_timeout && runs_foreign_code(state.phase) && now - state.since.count > options.launch_timeout->count) {
      end();
      const char* const what = state.phase == platform::WorkerPhase::kLoad ? "loading" : "a launch";
      return Error{ErrorCode::kTimeout, std::string(what) + " lasted longer than " + format_duration(*options.launch_timeout)};
    }
    if (options.launch_timeout && state.plan >= 0 && now - state.since.count > kMostQuiet.count) {
      end();
      return Error{ErrorCode::kTimeout, name() + " went on with nothing for " + format_duration(kMostQuiet)};
    }
    if (options.timeout.count() > 0 && now - start > static_cast<double>(options.timeout.count()) * 1e6) {
      end();
      return Error{ErrorCode::kTimeout,
                   name() + " did not answer within " + format_duration({static_cast<double>(options.timeout.count()) * 1e6})};
    }
    return {};
  }

  WorkerRole role_;
  std::shared_ptr<TraceRecorder> trace_;  // may be null
  std::string id_;
  platform::ChildProcess process_;
  platform::Channel channel_;
  platform::SharedPage page_;
  wire::FrameReader reader_;
  bool idle_ = true;
  bool ended_ = false;
  std::optional<int> blamed_;
};

}  // namespace

Result<std::unique_ptr<WorkerClient>> WorkerClient::spawn(const WorkerOptions& options, WorkerRole role) {
  FL_TRY(auto ends, platform::Channel::create_pair());
  FL_TRY(platform::SharedPage page, platform::SharedPage::create());
  platform::ChildOptions child;
  child.program = options.program;
  child.arguments = {"--role", std::string(name_of(role)), "--channel", std::to_string(kChannelFd),
                     "--page", std::to_string(kPageFd)};
  if (!options.cache_directory.empty()) {
    child.arguments.insert(child.arguments.end(), {"--cache", options.cache_directory.string()});
  }
  child.passed_fds = {{ends.second.fd(), kChannelFd}, {page.fd(), kPageFd}};
  child.address_space = options.address_space;
  auto started = platform::ChildProcess::start(child);
  if (!started.ok() && started.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kUnavailable, "the program that measures is not where it belongs: " + child.program.string() +
                                              " does not exist; fuselab-worker is built and installed beside fuselab"};
  }
  FL_TRY(platform::ChildProcess process, std::move(started));
  return std::unique_ptr<WorkerClient>(
      std::make_unique<ProcessClient>(role, std::move(process), std::move(ends.first), std::move(page), options.trace));
}

}  // namespace fuselab::engine
