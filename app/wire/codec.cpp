// SPDX-License-Identifier: Apache-2.0
#include "app/wire/codec.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "app/wire/frame.h"
#include "app/wire/json_fields.h"
#include "app/wire/json_measure.h"
#include "app/wire/limited_cbor.h"

namespace fuselab::wire {

FL_JSON_FIELDS(ProbeRequest, backend);
FL_JSON_FIELDS(DescribeRequest, backend, target, graph_text, level);
FL_JSON_FIELDS(CompileRequest, backend, target, graph_text, config, level);
FL_JSON_FIELDS(GenerateRequest, backend, target, graph_text, configs, level);
FL_JSON_FIELDS(RecompileRequest, backend, target, kernel, flags);
FL_JSON_FIELDS(MeasureRequest, backend, block, special_inputs);
FL_JSON_FIELDS(CeilingRequest, backend, device, read_streams, write_streams, footprints, seconds);
FL_JSON_FIELDS(TimerRequest, backend, device);
FL_JSON_FIELDS(BundleRequest, file, key, runs);
FL_JSON_FIELDS(TensorFile, value, file);
FL_JSON_FIELDS(ExecuteReply, ran, failed_step, error, wrong_index, load, to_device, from_device, steps, steady, passes, first,
               allocated, buffers, unshared, tensors);
FL_JSON_FIELDS(ProbeReply, report);
FL_JSON_FIELDS(DescribeReply, support, space, default_config, generator, generator_version, compiler, compiler_version, flags);
FL_JSON_FIELDS(CompileReply, kernel);
FL_JSON_FIELDS(GeneratedKernel, made, kernel, error);
FL_JSON_FIELDS(GenerateReply, kernels);
FL_JSON_FIELDS(PlansFinished, indices, results);
FL_JSON_FIELDS(MeasureReply, conditions);
FL_JSON_FIELDS(CeilingReply, rows);
FL_JSON_FIELDS(ErrorReply, error);
FL_JSON_FIELDS(ListReply, backends);
FL_JSON_FIELDS(TimerReply, timer);
FL_JSON_FIELDS(BundleRun, model, binding, median);
FL_JSON_FIELDS(BundleReply, open, tuned, untuned, baseline, runs);
FL_JSON_FIELDS(EmulateRequest, backend, target, graph_text);
FL_JSON_FIELDS(EmulateReply, matched, detail, extents);
void to_json(nlohmann::json& json, const ProfilePart& part) {
  json = kProfilePartNames[static_cast<std::size_t>(part)];
}
void from_json(const nlohmann::json& json, ProfilePart& part) {
  const auto& name = json.get_ref<const std::string&>();
  const auto found = std::ranges::find(kProfilePartNames, name);
  if (found == std::end(kProfilePartNames)) throw DecodeFailure{"a profile has no part '" + name + "'"};
  part = static_cast<ProfilePart>(found - std::begin(kProfilePartNames));
}
FL_JSON_FIELDS(ProfileRequest, backend, device, plan, inputs, seconds, part);

constexpr auto fields_of(const ProfileReply*) {
  using fields::field;
  return fields::list<ProfileReply>(field("counters", &ProfileReply::counters), field("trace", &ProfileReply::trace),
                                    field("series", &ProfileReply::series), field("samples", &ProfileReply::samples));
}
void to_json(nlohmann::json& json, const ProfileReply& reply) {
  json = fields::json_of<nlohmann::json>(reply);
}
void from_json(const nlohmann::json& json, ProfileReply& reply) {
  decode_fields(json, reply);
}

constexpr auto fields_of(const StepName*) {
  using fields::field;
  return fields::list<StepName>(field("piece", &StepName::piece), field("operators", &StepName::operators),
                                field("shapes", &StepName::shapes));
}
constexpr auto fields_of(const ExecuteRequest*) {
  using fields::field;
  return fields::list<ExecuteRequest>(field("backend", &ExecuteRequest::backend), field("device", &ExecuteRequest::device),
                                      field("values", &ExecuteRequest::values), field("steps", &ExecuteRequest::steps),
                                      field("inputs", &ExecuteRequest::inputs), field("outputs", &ExecuteRequest::outputs),
                                      field("repeat", &ExecuteRequest::repeat), field("names", &ExecuteRequest::names));
}
void to_json(nlohmann::json& json, const ExecuteRequest& request) {
  json = fields::json_of<nlohmann::json>(request);
}
void from_json(const nlohmann::json& json, ExecuteRequest& request) {
  decode_fields(json, request);
  const auto check = [&](int index) {
    if (index < 0 || static_cast<std::size_t>(index) >= request.values.size())
      throw DecodeFailure{"an execution names value " + std::to_string(index) + " of " + std::to_string(request.values.size())};
  };
  for (const PlanStep& step : request.steps) std::for_each(step.arguments.begin(), step.arguments.end(), check);
  for (const TensorFile& tensor : request.inputs) check(tensor.value);
  for (const TensorFile& tensor : request.outputs) check(tensor.value);
}
void to_json(nlohmann::json& json, const ShutdownRequest&) {
  json = nlohmann::json::object();
}
void from_json(const nlohmann::json&, ShutdownRequest&) {}
void to_json(nlohmann::json& json, const ListRequest&) {
  json = nlohmann::json::object();
}
void from_json(const nlohmann::json&, ListRequest&) {}

namespace {

template <typename Message>
Result<std::vector<std::byte>> encode_message(const Message& message) {
  const nlohmann::json json = std::visit([](const auto& held) { return nlohmann::json(held); }, message);
  std::vector<std::uint8_t> payload;
  try {
    payload = nlohmann::json::to_cbor(json);
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kInternal, std::string("a message cannot be written: ") + failure.what()};
  }
  if (payload.size() > kMaximumPayload) {
    return Error{ErrorCode::kUnsupported, "a message of " + format_bytes({static_cast<std::int64_t>(payload.size())}) +
                                              " does not fit a frame of 1 GiB: measure fewer plans at a time"};
  }
  return make_frame(static_cast<std::uint16_t>(message.index()), std::as_bytes(std::span(payload)));
}

// Reads the variant's alternative number `type`.
template <typename Message, std::size_t Index = 0>
Message read_alternative(std::size_t type, const nlohmann::json& json) {
  if constexpr (Index < std::variant_size_v<Message>) {
    if (type == Index) return json.get<std::variant_alternative_t<Index, Message>>();
    return read_alternative<Message, Index + 1>(type, json);
  } else {
    throw DecodeFailure{"message type " + std::to_string(type) + " is not known here"};
  }
}

template <typename Message>
Result<Message> decode_message(std::span<const std::byte> frame) {
  if (frame.size() < kHeaderBytes) return Error{ErrorCode::kCorrupt, "a message ends inside its header"};
  FL_TRY(const FrameHeader header, parse_header(frame));
  const std::span<const std::byte> payload = frame.subspan(kHeaderBytes);
  if (payload.size() != header.payload_bytes) {
    return Error{ErrorCode::kCorrupt,
                 "a message claims " + std::to_string(header.payload_bytes) + " bytes and has " + std::to_string(payload.size())};
  }
  try {
    FL_TRY(const nlohmann::json json, parse_limited_cbor(payload));
    return read_alternative<Message>(header.type, json);
  } catch (const DecodeFailure& failure) {
    return Error{ErrorCode::kCorrupt, "a message cannot be read: " + failure.what};
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kCorrupt, std::string("a message cannot be read: ") + failure.what()};
  }
}

}  // namespace

Result<std::vector<std::byte>> encode(const Request& request) {
  return encode_message(request);
}
Result<std::vector<std::byte>> encode(const Reply& reply) {
  return encode_message(reply);
}
Result<Request> decode_request(std::span<const std::byte> frame) {
  return decode_message<Request>(frame);
}
Result<Reply> decode_reply(std::span<const std::byte> frame) {
  return decode_message<Reply>(frame);
}

}  // namespace fuselab::wire
