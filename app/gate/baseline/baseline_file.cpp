// SPDX-License-Identifier: Apache-2.0
#include "app/gate/baseline/baseline_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "app/wire/json_kernel.h"
#include "app/wire/json_measure.h"
#include "app/wire/limited_cbor.h"
#include "core/base/plain_text.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/platform/files/atomic_file.h"
#include "db/connection/compression.h"

namespace fuselab::engine {
namespace {

using Json = nlohmann::json;

// The first line of the file: "fuselab-baseline/1 <signer> <signature> <bytes when decompressed>", then one zstd frame of CBOR.
constexpr std::string_view kTag = "fuselab-baseline/1";
constexpr std::string_view kAnyTag = "fuselab-baseline/";
constexpr std::string_view kBaselineSchema = "fuselab.baseline/2";
// The schema whose kernels have the samples of one timing run without its machine.
constexpr std::string_view kSchemaOfOneSession = "fuselab.baseline/1";
constexpr std::size_t kLongestHeader = 400;
constexpr Bytes kLargestBaseline{std::int64_t{256} << 20};
constexpr std::int64_t kLargestPayload = std::int64_t{512} << 20;

// A hash domain of its own, so that no signature of a stored binary is ever one of a baseline.
ContentHash signed_content(std::span<const std::byte> payload) {
  return IdentityHasher("baseline file").add("payload", ContentHash::of(payload)).finish();
}

std::string hex_of(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool bytes_from(std::string_view hex, std::span<std::uint8_t> into) {
  if (hex.size() != 2 * into.size()) return false;
  for (std::size_t i = 0; i < into.size(); ++i) {
    const char* const first = hex.data() + 2 * i;
    const auto parsed = std::from_chars(first, first + 2, into[i], 16);
    if (parsed.ec != std::errc() || parsed.ptr != first + 2) return false;
  }
  return true;
}

Json json_of(const TimingRun& run) {
  return {{"at", run.at}, {"machine", run.machine}, {"protocol", run.protocol}, {"processes", run.processes}};
}

TimingRun timing_run_of(const Json& json) {
  TimingRun run;
  json.at("at").get_to(run.at);
  json.at("machine").get_to(run.machine);
  json.at("protocol").get_to(run.protocol);
  json.at("processes").get_to(run.processes);
  return run;
}

Json json_of(const BaselineKernel& each) {
  Json sessions = Json::array();
  for (const TimingRun& run : each.sessions) sessions.push_back(json_of(run));
  return {{"case", each.case_name},          {"piece", each.piece},
          {"subject", each.subject},         {"graph", each.graph_text},
          {"device", each.device_id},        {"device_uuid", each.device_uuid},
          {"device_name", each.device_name}, {"target", each.target},
          {"kernel", each.kernel},           {"config_from", each.config_from},
          {"budget_ns", each.budget.count},  {"sessions", std::move(sessions)}};
}

// Checks that the records of a kernel agree with each other: a signature only says who wrote them.
Status check_kernel(const BaselineKernel& each) {
  const CompiledKernel& kernel = each.kernel;
  const std::string who = "the kernel of '" + each.case_name + "' ";
  if (kernel.identity.graph != ContentHash::of(each.graph_text)) return Error{ErrorCode::kCorrupt, who + "is of another graph"};
  if (kernel.identity.source != ContentHash::of(kernel.source.text))
    return Error{ErrorCode::kCorrupt, who + "has another source than its identity says"};
  if (kernel.identity.config != kernel.config.text())
    return Error{ErrorCode::kCorrupt, who + "is in another configuration than its identity says"};
  if (kernel.identity.target != each.target.id) return Error{ErrorCode::kCorrupt, who + "is for another target than it says"};
  if (each.sessions.size() > kMostTimingRuns)
    return Error{ErrorCode::kCorrupt, who + "has " + std::to_string(each.sessions.size()) + " sessions, more than a baseline may"};
  if (!std::isfinite(each.budget.count) || each.budget.count <= 0)
    return Error{ErrorCode::kCorrupt, who + "has a budget that no case may give"};
  for (const TimingRun& run : each.sessions) {
    if (run.processes.empty()) return Error{ErrorCode::kCorrupt, who + "has a session of no process"};
    for (const std::vector<double>& process : run.processes) {
      const bool clocked = std::ranges::all_of(process, [](double sample) { return std::isfinite(sample) && sample > 0; });
      if (!clocked || process.empty()) return Error{ErrorCode::kCorrupt, who + "has samples that no clock gives"};
    }
  }
  return {};
}

BaselineKernel kernel_of(const Json& json, const std::string& saved_at) {
  BaselineKernel each;
  json.at("case").get_to(each.case_name);
  json.at("piece").get_to(each.piece);
  json.at("subject").get_to(each.subject);
  json.at("graph").get_to(each.graph_text);
  json.at("device").get_to(each.device_id);
  json.at("device_uuid").get_to(each.device_uuid);
  json.at("device_name").get_to(each.device_name);
  json.at("target").get_to(each.target);
  json.at("kernel").get_to(each.kernel);
  json.at("config_from").get_to(each.config_from);
  if (json.contains("budget_ns")) json.at("budget_ns").get_to(each.budget.count);
  if (json.contains("samples")) {
    if (json.at("samples").empty()) return each;
    TimingRun& only = each.sessions.emplace_back();
    only.at = saved_at;
    json.at("samples").get_to(only.processes);
    return each;
  }
  for (const Json& run : json.at("sessions")) each.sessions.push_back(timing_run_of(run));
  return each;
}

Result<Baseline> baseline_of(const Json& json) {
  Baseline baseline;
  const auto schema = json.at("schema").get<std::string>();
  if (schema != kBaselineSchema && schema != kSchemaOfOneSession)
    return Error{ErrorCode::kUnsupported, "it is of another version of Fuselab"};
  json.at("version").get_to(baseline.tool_version);
  json.at("commit").get_to(baseline.commit);
  json.at("saved_at").get_to(baseline.saved_at);
  json.at("expires_at").get_to(baseline.expires_at);
  json.at("environment").get_to(baseline.environment);
  for (const Json& each : json.at("kernels")) {
    baseline.kernels.push_back(kernel_of(each, baseline.saved_at));
    FL_TRY_VOID(check_kernel(baseline.kernels.back()));
  }
  return baseline;
}

struct Header {
  db::Signature signature;
  std::int64_t payload_bytes = 0;
  std::size_t size = 0;  // including its line end
};

Result<Header> header_of(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLongestHeader));
  const std::size_t end = all.find('\n');
  std::istringstream words{std::string(all.substr(0, end))};
  std::string tag, signer, signature;
  Header header;
  words >> tag >> signer >> signature >> header.payload_bytes;
  if (tag != kTag && tag.rfind(kAnyTag, 0) == 0)
    return Error{ErrorCode::kUnsupported, "it was written by a newer Fuselab (" + plain_line(tag) + ")"};
  if (tag != kTag) return Error{ErrorCode::kCorrupt, "it is no baseline file"};
  header.signature.signer = signer;
  const bool whole = end != std::string_view::npos && !words.fail() && signer.size() == 64 &&
                     bytes_from(signature, header.signature.bytes) && header.payload_bytes > 0;
  if (!whole) return Error{ErrorCode::kCorrupt, "its first line is damaged"};
  if (header.payload_bytes > kLargestPayload)
    return Error{ErrorCode::kCorrupt, "it claims to hold " + format_bytes({header.payload_bytes}) + ", more than a baseline may"};
  header.size = end + 1;
  return header;
}

Result<Baseline> parse(std::span<const std::byte> bytes, db::Trust& trust) {
  FL_TRY(const Header header, header_of(bytes));
  const auto payload = db::decompress(bytes.subspan(header.size), header.payload_bytes);
  if (!payload.ok()) return Error{ErrorCode::kCorrupt, "it was cut short or damaged"};
  const Status vouched = trust.check(signed_content(payload.value()), header.signature);
  if (!vouched.ok() && vouched.error().code == ErrorCode::kCorrupt)
    return Error{ErrorCode::kCorrupt, "it is not what was signed: somebody changed it"};
  if (!vouched.ok() && vouched.error().code != ErrorCode::kUntrusted) return vouched.error();
  try {
    FL_TRY(const Json json, wire::parse_limited_cbor(payload.value()));
    FL_TRY(Baseline baseline, baseline_of(json));
    baseline.signer = header.signature.signer;
    baseline.trusted = vouched.ok();
    return baseline;
  } catch (const DecodeFailure& failure) {
    return Error{ErrorCode::kCorrupt, "it does not hold together: " + plain_line(failure.what)};
  } catch (const Json::exception& failure) {
    return Error{ErrorCode::kCorrupt, std::string("it does not hold together: ") + plain_line(failure.what())};
  }
}

}  // namespace

std::string BaselineKernel::graph_key() const {
  return ContentHash::of(graph_text).hex();
}

std::string Baseline::origin() const {
  return file + " of " + saved_at.substr(0, 10);
}

Status write_baseline(const std::filesystem::path& file, const Baseline& baseline, db::Trust& trust) {
  Json kernels = Json::array();
  for (const BaselineKernel& each : baseline.kernels) kernels.push_back(json_of(each));
  const std::vector<std::uint8_t> cbor = Json::to_cbor({{"schema", kBaselineSchema},
                                                        {"version", baseline.tool_version},
                                                        {"commit", baseline.commit},
                                                        {"saved_at", baseline.saved_at},
                                                        {"expires_at", baseline.expires_at},
                                                        {"environment", baseline.environment},
                                                        {"kernels", std::move(kernels)}});
  const auto payload = std::as_bytes(std::span(cbor));
  if (static_cast<std::int64_t>(payload.size()) > kLargestPayload)
    return Error{ErrorCode::kUnsupported, "these kernels come to " + format_bytes({static_cast<std::int64_t>(payload.size())}) +
                                              ", more than a baseline may hold; name fewer cases"};
  FL_TRY(const db::Signature signature, trust.sign(signed_content(payload)));
  const std::string header =
      std::string(kTag) + " " + signature.signer + " " + hex_of(signature.bytes) + " " + std::to_string(payload.size()) + "\n";
  std::vector<std::byte> bytes;
  const auto line = std::as_bytes(std::span(header));
  bytes.insert(bytes.end(), line.begin(), line.end());
  const std::vector<std::byte> frame = db::compress(payload);
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  return platform::write_file_atomically(file, bytes);
}

Result<Baseline> read_baseline(const std::filesystem::path& file, db::Trust& trust) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Error{ErrorCode::kNotFound, file.string() + " is not there"};
  if (!std::filesystem::is_regular_file(file, ignored)) return Error{ErrorCode::kCorrupt, file.string() + " is no file"};
  FL_TRY(const auto bytes, platform::read_file(file, kLargestBaseline));
  auto baseline = parse(bytes, trust);
  if (!baseline.ok()) return baseline.error().within(file.string());
  baseline.value().file = file.filename().string();
  return baseline;
}

}  // namespace fuselab::engine
