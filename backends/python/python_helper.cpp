// SPDX-License-Identifier: Apache-2.0
#include "backends/python/python_helper.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/content_hash.h"
#include "core/base/plain_text.h"
#include "core/platform/files/atomic_file.h"
#include "core/platform/files/temporary_folder.h"
#include "core/platform/processes/channel.h"
#include "core/platform/processes/child_process.h"
#include "embedded/python/helper.h"

namespace fuselab::python {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kFolderPrefix = "fuselab-python";
constexpr int kDescriptor = 3;  // of the channel, in the helper
constexpr milliseconds kGlance{100};
constexpr int kProtocol = 1;

struct Kind {
  std::string_view word;
  ErrorCode code;
};
constexpr Kind kKinds[] = {{"compile", ErrorCode::kCompileFailed}, {"unsupported", ErrorCode::kUnsupported},
                           {"numerics", ErrorCode::kNumerics},     {"missing", ErrorCode::kUnavailable},
                           {"memory", ErrorCode::kOutOfMemory},    {"io", ErrorCode::kIo}};

constexpr std::string_view kScript = "fuselab_compile.py";  // the one that is started; it imports the others

// What another process wrote may be of another type than was agreed.
std::string text_in(const nlohmann::json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

Error said_no(const nlohmann::json& answer) {
  const std::string kind = text_in(answer, "kind"), reason = text_in(answer, "reason");
  for (const Kind& each : kKinds) {
    if (each.word == kind) return {each.code, reason};
  }
  return {ErrorCode::kInternal, "the Python helper failed: " + reason};
}

bool ends_a_process(ErrorCode code) {
  return code == ErrorCode::kCrashed || code == ErrorCode::kTimeout || code == ErrorCode::kCorrupt || code == ErrorCode::kCancelled;
}

}  // namespace

// A helper that runs.
class PythonHelper::Process {
 public:
  static Result<std::unique_ptr<Process>> start(const PythonProgram& program, HelperMode mode, const HelperLimits& limits) {
    FL_TRY(platform::TemporaryFolder folder, platform::TemporaryFolder::create(kFolderPrefix));
    for (const EmbeddedFile& file : embedded_files())
      FL_TRY_VOID(platform::write_file_atomically(folder.path() / file.name, std::as_bytes(std::span(file.text))));
    const std::filesystem::path script = folder.path() / kScript;
    FL_TRY(auto ends, platform::Channel::create_pair());
    platform::ChildOptions options;
    options.program = program.interpreter;
    options.arguments = {"-I",
                         "-B",
                         script.string(),
                         std::to_string(kDescriptor),
                         folder.path().string(),
                         mode == HelperMode::kCompile ? "compile" : "interpret"};
    for (const auto& each : program.packages) options.arguments.push_back(each.string());
    options.passed_fds = {{ends.second.fd(), kDescriptor}};
    options.address_space = limits.address_space;
    options.group = platform::ProcessGroup::kJoined;
    FL_TRY(platform::ChildProcess child, platform::ChildProcess::start(options));
    ends.second.close();
    return std::unique_ptr<Process>(new Process(std::move(folder), std::move(ends.first), std::move(child), limits));
  }

  Result<HelperAnswer> ask(const nlohmann::json& request, std::span<const std::byte> data, const std::stop_token& stop) {
    ++asked_;
    const std::string text = request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    const std::array<std::uint32_t, 2> sizes = {static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(data.size())};
    using Bytes = std::span<const std::byte>;
    for (const Bytes bytes : {Bytes(std::as_bytes(std::span(sizes))), Bytes(std::as_bytes(std::span(text))), data}) {
      if (bytes.empty()) continue;
      if (const Status sent = channel_.send(bytes, limits_.request); !sent.ok()) return broken_off(sent.error());
    }
    return receive(limits_.request, stop);
  }

  Result<HelperAnswer> receive(milliseconds limit, const std::stop_token& stop) {
    const auto deadline = Clock::now() + limit;
    std::array<std::uint32_t, 2> sizes{};
    FL_TRY_VOID(fill(std::as_writable_bytes(std::span(sizes)), deadline, stop));
    if (std::int64_t{sizes[0]} + sizes[1] > limits_.largest_answer.count) return no_answer();
    std::string text(sizes[0], '\0');
    HelperAnswer answer;
    answer.data.resize(sizes[1]);
    FL_TRY_VOID(fill(std::as_writable_bytes(std::span(text)), deadline, stop));
    FL_TRY_VOID(fill(answer.data, deadline, stop));
    answer.fields = nlohmann::json::parse(text, nullptr, false);
    if (!answer.fields.is_object() || !answer.fields.contains("ok") || !answer.fields["ok"].is_boolean()) return no_answer();
    if (!answer.fields["ok"].get<bool>()) return said_no(answer.fields);
    return answer;
  }

  int asked() const { return asked_; }

 private:
  Process(platform::TemporaryFolder folder, platform::Channel channel, platform::ChildProcess child, const HelperLimits& limits)
      : folder_(std::move(folder)), channel_(std::move(channel)), child_(std::move(child)), limits_(limits) {}

  Status fill(std::span<std::byte> into, Clock::time_point deadline, const std::stop_token& stop) {
    while (!into.empty()) {
      const auto got = channel_.receive_some(into, kGlance);
      if (got.ok()) {
        into = into.subspan(got.value());
        continue;
      }
      if (got.error().code != ErrorCode::kTimeout) return broken_off(got.error());
      child_.last_words();  // a full pipe would stop it
      if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled while the Python helper worked"};
      if (Clock::now() > deadline) {
        return Error{ErrorCode::kTimeout,
                     "the Python helper took longer than " +
                         std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limits_.request).count()) +
                         " s and was killed"};
      }
    }
    return {};
  }

  Error broken_off(const Error& failure) {
    const auto exit = child_.wait_exit(milliseconds(1000));
    if (!exit) return {ErrorCode::kCorrupt, "the Python helper closed its channel: " + failure.message};
    const std::string words = child_.last_words();
    const std::size_t end = words.find_last_not_of(" \n\r");
    const std::size_t line = end == std::string::npos ? 0 : words.rfind('\n', end) + 1;
    const std::string last =
        end == std::string::npos ? "" : ": " + plain_line(words.substr(line, std::min<std::size_t>(end + 1 - line, 300)));
    return {ErrorCode::kCrashed, "the Python helper " + *exit + last};
  }
  static Error no_answer() { return {ErrorCode::kCorrupt, "the Python helper wrote what is no answer"}; }

  platform::TemporaryFolder folder_;
  platform::Channel channel_;
  platform::ChildProcess child_;
  HelperLimits limits_;
  int asked_ = 0;
};

PythonHelper::PythonHelper(FindProgram find, HelperMode mode, HelperLimits limits)
    : find_(std::move(find)), mode_(mode), limits_(limits) {}

PythonHelper::~PythonHelper() = default;

Result<HelperAnswer> PythonHelper::ask(const nlohmann::json& request, std::span<const std::byte> data,
                                       const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (process_ && process_->asked() >= limits_.requests_of_a_process) process_.reset();
  if (!process_) {
    FL_TRY(const PythonProgram program, find_());
    FL_TRY(auto started, Process::start(program, mode_, limits_));
    FL_TRY(const HelperAnswer hello, started->receive(limits_.start, stop));
    if (!hello.fields.contains("protocol") || hello.fields["protocol"] != kProtocol)
      return Error{ErrorCode::kCorrupt, program.interpreter.string() + " did not start the helper"};
    python_ = text_in(hello.fields, "python") + " (" + text_in(hello.fields, "program") + ")";
    process_ = std::move(started);
  }
  auto answer = process_->ask(request, data, stop);
  if (!answer.ok() && ends_a_process(answer.error().code)) process_.reset();
  return answer;
}

std::string PythonHelper::python() const {
  const std::lock_guard lock(mutex_);
  return python_;
}

std::string line_in(const nlohmann::json& answer, const char* name) {
  return plain_line(text_in(answer, name));
}

std::string helper_version() {
  static const std::string version = [] {
    IdentityHasher hasher("python-helper");
    for (const EmbeddedFile& file : embedded_files()) hasher.add(file.name, file.text);
    return hasher.finish().hex().substr(0, 12);
  }();
  return version;
}

void sweep_helpers() {
  platform::TemporaryFolder::sweep(kFolderPrefix);
}

}  // namespace fuselab::python
