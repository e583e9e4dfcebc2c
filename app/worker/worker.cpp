// SPDX-License-Identifier: Apache-2.0
#include "app/worker/worker.h"

#include <cfenv>
#include <chrono>
#include <new>
#include <optional>

#include "app/wire/codec.h"
#include "app/wire/frame_reader.h"
#include "app/worker/block/block_runner.h"
#include "app/worker/block/plan_execution.h"
#include "app/worker/bundle/bundle_run.h"
#include "app/worker/emulation/emulation.h"
#include "app/worker/profile/profile_run.h"
#include "backends/native/ceilings/host_ceiling_probe.h"
#include "core/backend/discovery.h"
#include "core/graph/graph_text.h"
#include "core/platform/processes/internet.h"

namespace fuselab::worker {
namespace {

constexpr std::chrono::hours kPatience{24};  // an engine may leave its worker idle for long; its death closes the channel
constexpr std::chrono::seconds kSendPatience{60};

WorkerRole role_for(const wire::Request& request) {
  const bool runs = std::holds_alternative<wire::MeasureRequest>(request) ||
                    std::holds_alternative<wire::CeilingRequest>(request) ||
                    std::holds_alternative<wire::ExecuteRequest>(request) || std::holds_alternative<wire::TimerRequest>(request) ||
                    std::holds_alternative<wire::BundleRequest>(request) || std::holds_alternative<wire::ProfileRequest>(request);
  if (runs) return WorkerRole::kMeasure;
  const bool compiles =
      std::holds_alternative<wire::CompileRequest>(request) || std::holds_alternative<wire::DescribeRequest>(request) ||
      std::holds_alternative<wire::GenerateRequest>(request) || std::holds_alternative<wire::EmulateRequest>(request) ||
      std::holds_alternative<wire::RecompileRequest>(request);
  return compiles ? WorkerRole::kCompile : WorkerRole::kProbe;
}

// The denormal mode and rounding that every kernel is verified and timed under: IEEE's, nothing flushed. A kernel that changed
// them must not change what the next one computes.
void reset_floating_point() {
  std::fesetenv(FE_DFL_ENV);
}

Result<Graph> concrete_graph(const std::string& text) {
  FL_TRY(Graph graph, parse_graph(text));
  if (!graph.is_concrete()) return invalid_argument("the graph has unbound symbols; bind them with --shape");
  return graph;
}

// Unknown with its reason where the device cannot time nothing.
TimerCost measured_timer(DeviceRuntime& runtime, platform::SharedPage& page) {
  TimerCost unknown;
  auto* const probe = dynamic_cast<TimerProbe*>(&runtime);
  if (probe == nullptr) {
    unknown.unknown = "it has no empty timings";
    return unknown;
  }
  page.set(-1, platform::WorkerPhase::kLaunch);  // a device that hangs is noticed, and blames no plan
  const auto timings = probe->time_nothing(kTimingsOfNothing);
  page.set(-1, platform::WorkerPhase::kIdle);
  if (timings.ok()) return timer_cost(timings.value());
  unknown.unknown = timings.error().message;
  return unknown;
}

}  // namespace

Worker::Worker(WorkerRole role, BackendRegistry& registry, platform::Channel channel, platform::SharedPage page,
               std::filesystem::path cache_directory, Status internet_refused)
    : role_(role),
      registry_(registry),
      channel_(std::move(channel)),
      page_(std::move(page)),
      references_(std::move(cache_directory)),
      internet_refused_(std::move(internet_refused)) {}

Worker::~Worker() = default;

Status Worker::serve() {
  wire::FrameReader reader(
      [this](std::span<std::byte> into, std::chrono::milliseconds time) { return channel_.receive_some(into, time); });
  for (;;) {
    auto frame = reader.next(kPatience);
    if (!frame.ok() && frame.error().code == ErrorCode::kUnavailable) return {};  // the engine is gone: so are we
    if (!frame.ok()) return frame.error();
    if (!frame.value()) continue;
    FL_TRY(const wire::Request request, wire::decode_request(*frame.value()));
    if (std::holds_alternative<wire::ShutdownRequest>(request)) return {};
    reset_floating_point();
    FL_TRY_VOID(send(answer(request)));
  }
}

Status Worker::send(const wire::Reply& reply) {
  Result<std::vector<std::byte>> frame = wire::encode(reply);
  if (!frame.ok()) frame = wire::encode(wire::Reply(wire::ErrorReply{frame.error()}));
  FL_TRY(const std::vector<std::byte> bytes, std::move(frame));
  return channel_.send(bytes, kSendPatience);
}

wire::Reply Worker::answer(const wire::Request& request) {
  const WorkerRole wanted = role_for(request);
  if (wanted != role_) {
    return wire::ErrorReply{{ErrorCode::kInternal, "a " + std::string(name_of(role_)) + " worker was asked for the work of a " +
                                                       std::string(name_of(wanted)) + " worker"}};
  }
  try {
    Result<wire::Reply> reply = std::visit([this](const auto& held) { return handle(held); }, request);
    return reply.ok() ? std::move(reply).value() : wire::Reply(wire::ErrorReply{reply.error()});
  } catch (const std::bad_alloc&) {
    return wire::ErrorReply{{ErrorCode::kOutOfMemory, "the worker ran out of memory"}};
  } catch (const std::exception& failure) {
    return wire::ErrorReply{{ErrorCode::kInternal, std::string("the worker failed: ") + failure.what()}};
  }
}

Result<std::shared_ptr<FusionBackend>> Worker::backend(const std::string& id) {
  std::shared_ptr<FusionBackend> found = registry_.find(id);
  if (found == nullptr) return Error{ErrorCode::kNotFound, "Backend '" + id + "' is not registered"};
  return found;
}

Result<DeviceRuntime*> Worker::runtime(const std::string& backend_id, const std::string& device_id) {
  if (const auto open = runtimes_.find(device_id); open != runtimes_.end()) return open->second.get();
  FL_TRY(const std::shared_ptr<FusionBackend> owner, backend(backend_id));
  const auto devices = owner->enumerate();
  for (const DeviceInfo& device : devices.ok() ? devices.value() : std::vector<DeviceInfo>()) {
    if (device.id != device_id) continue;
    FL_TRY(std::unique_ptr<DeviceRuntime> opened, owner->open(device));
    return runtimes_.emplace(device_id, std::move(opened)).first->second.get();
  }
  // Only now: a probe may try the compiler, which takes longer than most blocks and is of no use here.
  const Availability availability = owner->probe();
  if (!availability.usable) {
    return Error{ErrorCode::kUnavailable, "backend '" + backend_id + "' cannot be used: " + availability.reason};
  }
  if (!devices.ok()) return devices.error();
  return Error{ErrorCode::kNotFound, "backend '" + backend_id + "' has no device '" + device_id + "'; see `fuselab devices`"};
}

const TimerCost& Worker::timer_of(DeviceRuntime& runtime) {
  const auto [known, is_new] = timers_.try_emplace(runtime.info().id);
  if (is_new) known->second = measured_timer(runtime, page_);
  return known->second;
}

Result<wire::Reply> Worker::handle(const wire::TimerRequest& request) {
  FL_TRY(DeviceRuntime* const device, runtime(request.backend, request.device));
  return wire::Reply(wire::TimerReply{timers_[request.device] = measured_timer(*device, page_)});
}

Result<wire::Reply> Worker::handle(const wire::ListRequest&) {
  wire::ListReply reply;
  for (const auto& each : registry_.all()) reply.backends.emplace_back(each->id());
  return wire::Reply(std::move(reply));
}

Result<wire::Reply> Worker::handle(const wire::ShutdownRequest&) {
  return Error{ErrorCode::kInternal, "a shutdown has no answer"};  // serve() ends on it
}

Result<wire::Reply> Worker::handle(const wire::ProbeRequest& request) {
  FL_TRY(const std::shared_ptr<FusionBackend> asked, backend(request.backend));
  wire::ProbeReply reply{report_on(*asked)};
  if (const std::string remark = remark_on_network(reply.report); !remark.empty()) {
    std::string& reason = reply.report.availability.reason;
    reason += (reason.empty() ? "" : "; ") + remark;
  }
  return wire::Reply(std::move(reply));
}

std::string Worker::remark_on_network(const BackendReport& report) const {
  if (const std::int64_t times = platform::refused_internet_sockets(); times > 0)
    return "it asked for the network, which was refused (" + std::to_string(times) + (times == 1 ? " socket)" : " sockets)");
  if (!report.availability.usable || internet_refused_.ok()) return {};
  return "nothing keeps it from the network: " + internet_refused_.error().message;
}

Result<wire::Reply> Worker::handle(const wire::DescribeRequest& request) {
  FL_TRY(const std::shared_ptr<FusionBackend> asked, backend(request.backend));
  FL_TRY(const Graph graph, concrete_graph(request.graph_text));
  wire::DescribeReply reply;
  CodeGenerator* const generator = asked->generator();
  Compiler* const compiler = asked->compiler();
  if (generator == nullptr || compiler == nullptr) {
    reply.support = Support::no("backend '" + request.backend + "' writes no kernels");
    return wire::Reply(std::move(reply));
  }
  reply.generator = generator->id();
  reply.generator_version = generator->version();
  if (const Availability availability = compiler->probe_for(request.target); !availability.usable) {
    reply.support = Support::no(availability.reason);
    return wire::Reply(std::move(reply));
  }
  const CompilerFingerprint fingerprint = compiler->fingerprint_for(request.target);
  reply.compiler = fingerprint.id;
  reply.compiler_version = fingerprint.version;
  reply.flags = compiler->flags(request.target, request.level);
  reply.support = generator->supports(graph, request.target);
  if (reply.support.yes) {
    reply.space = generator->space(graph, request.target);
    reply.default_config = generator->default_config(graph, request.target);
  }
  return wire::Reply(std::move(reply));
}

Result<wire::Reply> Worker::handle(const wire::CompileRequest& request) {
  FL_TRY(const std::shared_ptr<FusionBackend> asked, backend(request.backend));
  FL_TRY(const Graph graph, concrete_graph(request.graph_text));
  // Not stoppable from inside: a cancelled compilation's worker is killed with its process group, which its compilers stay in.
  FL_TRY(CompiledKernel kernel, compile_kernel(*asked, graph, request.config, request.target, request.level, {}));
  return wire::Reply(wire::CompileReply{std::move(kernel)});
}

Result<wire::Reply> Worker::handle(const wire::RecompileRequest& request) {
  FL_TRY(const std::shared_ptr<FusionBackend> asked, backend(request.backend));
  FL_TRY(CompiledKernel kernel, recompile_kernel(*asked, request.kernel, request.target, request.flags, {}));
  return wire::Reply(wire::CompileReply{std::move(kernel)});
}

Result<wire::Reply> Worker::handle(const wire::GenerateRequest& request) {
  FL_TRY(const std::shared_ptr<FusionBackend> asked, backend(request.backend));
  FL_TRY(const Graph graph, concrete_graph(request.graph_text));
  wire::GenerateReply reply;
  for (const LaunchConfig& config : request.configs) {
    Result<CompiledKernel> kernel = generate_kernel(*asked, graph, config, request.target, request.level);
    wire::GeneratedKernel& generated = reply.kernels.emplace_back();
    generated.made = kernel.ok();
    if (generated.made) {
      generated.kernel = std::move(kernel).value();
    } else {
      generated.error = kernel.error();
    }
  }
  return wire::Reply(std::move(reply));
}

Result<wire::Reply> Worker::handle(const wire::EmulateRequest& request) {
  FL_TRY(const std::shared_ptr<FusionBackend> asked, backend(request.backend));
  FL_TRY(const Graph graph, concrete_graph(request.graph_text));
  FL_TRY(wire::EmulateReply reply, emulate(*asked, graph, request.target));
  return wire::Reply(std::move(reply));
}

Result<wire::Reply> Worker::handle(const wire::MeasureRequest& request) {
  FL_TRY(DeviceRuntime* const device, runtime(request.backend, request.block.device));
  const TimerCost& timer = timer_of(*device);
  BlockRunner runner(*device, references_, page_, [this](const wire::Reply& event) {
    // An engine that is gone is noticed by the watch on the channel; the block needs no second way to end.
    [[maybe_unused]] const Status told = send(event);
    reset_floating_point();
  });
  BlockConditions conditions = runner.run(request.block, request.special_inputs).conditions;
  conditions.timer = timer;
  return wire::Reply(wire::MeasureReply{std::move(conditions)});
}

Result<wire::Reply> Worker::handle(const wire::ExecuteRequest& request) {
  FL_TRY(DeviceRuntime* const device, runtime(request.backend, request.device));
  return wire::Reply(execute(*device, request, page_, launched_[request.device]));
}

Result<wire::Reply> Worker::handle(const wire::BundleRequest& request) {
  FL_TRY(wire::BundleReply reply, run_bundle(request));
  return wire::Reply(std::move(reply));
}

Result<wire::Reply> Worker::handle(const wire::ProfileRequest& request) {
  const std::shared_ptr<FusionBackend> owner = registry_.find(request.backend);
  if (auto* const attaching = dynamic_cast<AttachesProfiler*>(owner.get())) {
    page_.set(-1, platform::WorkerPhase::kLaunch);  // a profiler that hangs is noticed, and blames no plan
    attaching->attach_profiler();
    page_.set(-1, platform::WorkerPhase::kIdle);
  }
  FL_TRY(DeviceRuntime* const device, runtime(request.backend, request.device));
  FL_TRY(wire::ProfileReply reply, profile_plan(*device, references_, request, page_));
  return wire::Reply(std::move(reply));
}

// The limits of the host's processor are measured by the host's own kernels, whichever backend drives it; only how long a launch
// takes is the backend's.
Result<wire::Reply> Worker::handle(const wire::CeilingRequest& request) {
  FL_TRY(DeviceRuntime* const device, runtime(request.backend, request.device));
  auto* const own = dynamic_cast<CeilingProbe*>(device);
  std::optional<cpu::HostCeilingProbe> host;
  if (device->info().type == "cpu") host.emplace(own);
  CeilingProbe* const probe = host ? &*host : own;
  if (probe == nullptr)
    return Error{ErrorCode::kUnsupported, "backend '" + request.backend + "' cannot measure its device's limits"};
  wire::CeilingReply reply;
  if (request.footprints.empty()) {
    FL_TRY(reply.rows, probe->measure_flops(request.seconds));
    return wire::Reply(std::move(reply));
  }
  const double share = request.seconds / static_cast<double>(request.footprints.size());
  for (const Bytes footprint : request.footprints) {
    FL_TRY(std::vector<Ceiling> rows, probe->measure_streams(request.read_streams, request.write_streams, footprint, share));
    reply.rows.insert(reply.rows.end(), rows.begin(), rows.end());
  }
  return wire::Reply(std::move(reply));
}

}  // namespace fuselab::worker
