// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/loop_unroller.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/import/reader/node_attributes.h"
#include "core/import/reader/node_reader.h"

namespace fuselab::onnx {
namespace {

// How much of loops is written out: several times what exporters leave as a Loop with a known number of trips (the steps of a
// sequence, the tiles of an image), and read and cut in about a second.
constexpr std::int64_t kMostTrips = 4096;                           // of one loop
constexpr std::int64_t kMostUnrolledNodes = 65536;                  // in all trips of all loops of a model
constexpr std::int64_t kMostUnrolledBytes = std::int64_t{1} << 28;  // what these take in the file, each trip counted

constexpr int kDeepestBody = 32;
constexpr std::size_t kMostJoined = 256;  // values that one Concat reads; more are joined in two steps

// The nodes of a body, those of bodies within it included. Bodies lie at most some twenty deep.
std::int64_t nodes_in(const GraphProto& body) {
  std::int64_t count = body.node_size();
  for (const auto& node : body.node()) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) count += nodes_in(attribute.g());
    }
  }
  return count;
}

// What each trip copies of the file, about: names may be as long as the file.
std::int64_t bytes_of_nodes(const GraphProto& body) {
  std::int64_t bytes = 0;
  for (const auto& node : body.node()) {
    if (node.op_type() != "Constant") bytes += static_cast<std::int64_t>(node.ByteSizeLong());
  }
  for (const auto& info : body.input()) bytes += static_cast<std::int64_t>(info.name().size());
  return bytes;
}

KnownTensor single(DType dtype, std::int64_t number) {
  KnownTensor known;
  known.dtype = dtype;
  known.integers.emplace_back(number);
  return known;
}

SharedTensor tensor_of(KnownTensor known) {
  Tensor tensor;
  tensor.type = TensorType{known.dtype, Shape(known.shape.begin(), known.shape.end())};
  tensor.known = std::move(known);
  return std::make_shared<Tensor>(std::move(tensor));
}

// Returns the plain number of a tensor that holds one; nothing where it is not known.
std::optional<std::int64_t> number_in(const Tensor& tensor) {
  const auto numbers = tensor.known ? tensor.known->plain_integers() : std::nullopt;
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

// The numbers of all parts one behind the other; nothing where they are too many, or not known.
std::optional<KnownTensor> stacked_numbers(const std::vector<SharedTensor>& parts) {
  KnownTensor all;
  for (const auto& part : parts) {
    if (!part->known) return std::nullopt;
    const KnownTensor& own = *part->known;
    if (all.shape.empty()) all.dtype = own.dtype, all.shape.push_back(std::ssize(parts));
    if (all.shape.size() == 1) all.shape.insert(all.shape.end(), own.shape.begin(), own.shape.end());
    all.integers.insert(all.integers.end(), own.integers.begin(), own.integers.end());
    all.reals.insert(all.reals.end(), own.reals.begin(), own.reals.end());
    if (all.size() > KnownTensor::kMaxElements) return std::nullopt;
  }
  return all;
}

}  // namespace

const GraphProto* LoopUnroller::body_to_write_out(const NodeProto& node) const {
  if (node.op_type() != "Loop" || !is_standard(node.domain()) || scope_.opset() == 0 ||
      !attribute_beyond_onnx(node, scope_.opset(), kAttributes).empty())
    return nullptr;
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == "body" && attribute.has_g()) return &attribute.g();
  }
  return nullptr;
}

Status LoopUnroller::check(const NodeProto& node, const GraphProto& body) const {
  const int carried = std::max(0, node.input_size() - 2);
  if (body.input_size() != carried + 2) {
    return invalid_argument("its body has " + std::to_string(body.input_size()) + " inputs, and needs " +
                            std::to_string(carried + 2) + ": the trip, the condition and what it carries from trip to trip");
  }
  if (body.output_size() < carried + 1 || node.output_size() > body.output_size() - 1) {
    return invalid_argument("has " + std::to_string(node.output_size()) + " outputs and carries " + std::to_string(carried) +
                            " values, and its body has " + std::to_string(body.output_size()) + " outputs");
  }
  for (int i = 2; i < node.input_size(); ++i) {
    if (node.input(i).empty()) return invalid_argument("lacks operand " + std::to_string(i));
  }
  return Status();
}

LoopUnroller::KnownLoop LoopUnroller::known_loop(const NodeProto& node, const GraphProto& body) const {
  KnownLoop loop;
  loop.body = &body;
  loop.trips = kMostTrips + 1;
  loop.has_count = node.input_size() > 0 && !node.input(0).empty();
  if (loop.has_count) {
    const auto count = number_in(*scope_.find(node.input(0)));
    if (!count) loop.because = "how often it runs is computed, or follows from extents that are open";
    loop.trips = std::max<std::int64_t>(0, count.value_or(0));
  }
  if (node.input_size() > 1 && !node.input(1).empty()) {
    loop.condition = scope_.tensor(node.input(1));
    const auto starts = number_in(*loop.condition);
    if (!starts) loop.because = "whether it runs at all is computed";
    if (starts == 0) loop.trips = 0;
  } else if (!loop.has_count) {
    loop.because = "nothing ends it: it has neither a number of trips nor a condition";
  }
  // Exporters write a loop that its condition ends with a number of trips that nothing reaches.
  if (loop.has_count && loop.condition && loop.trips == std::numeric_limits<std::int64_t>::max()) {
    loop.has_count = false;
    loop.trips = kMostTrips + 1;
  }
  return loop;
}

std::string LoopUnroller::too_large(const KnownLoop& loop) const {
  if (!loop.has_count || loop.trips == 0) return "";
  if (loop.trips > kMostTrips)
    return "its " + std::to_string(loop.trips) + " trips are more than the " + std::to_string(kMostTrips) + " that are written out";
  const std::int64_t room = kMostUnrolledNodes - (is_under_way() ? nodes_before_ : nodes_);
  const std::int64_t size = std::max<std::int64_t>(1, nodes_in(*loop.body));
  if (around_.trips <= room / size / loop.trips) return "";
  return "written out, its trips would be more than the " + std::to_string(kMostUnrolledNodes) +
         " nodes that the loops of a model may become";
}

Error LoopUnroller::give_up() {
  refused_ = "written out, its trips and those of the loops within it would be more than the " +
             std::to_string(kMostUnrolledNodes) + " nodes that the loops of a model may become";
  return invalid_argument(refused_);
}

Status LoopUnroller::count_node() {
  return is_under_way() && ++nodes_ > kMostUnrolledNodes ? Status(give_up()) : Status();
}

Status LoopUnroller::spend_external(const TensorType& type) {
  if (!is_under_way()) return Status();
  const auto size = size_of(type);
  bytes_ += size.ok() ? std::min(size.value().count, kMostUnrolledBytes) : kMostUnrolledBytes;
  return bytes_ > kMostUnrolledBytes ? Status(give_up()) : Status();
}

Status LoopUnroller::read(const NodeProto& node, const GraphProto& body) {
  FL_TRY_VOID(check(node, body));
  const KnownLoop loop = known_loop(node, body);
  if (!loop.because.empty()) return reader_.keep_opaque(node, loop.because);
  const bool is_outermost = !is_under_way();
  if (std::string because = too_large(loop); !because.empty())
    return is_outermost ? reader_.keep_opaque(node, because) : Status(give_up());
  ImportedGraph::Trial trial(imported_);
  const Around around = around_;
  if (is_outermost) nodes_before_ = nodes_;
  ++around_.loops;
  if (loop.has_count) around_.trips *= std::max<std::int64_t>(1, loop.trips);
  const auto written = unroll(node, loop);
  around_ = around;
  if (written.ok() && written.value().empty()) {
    ++imported_.counts().loops;
    trial.keep();
    return Status();
  }
  if (!written.ok() && !(is_given_up() && is_outermost)) return written.error();
  trial.take_back();
  return reader_.keep_opaque_after_all(node, written.ok() ? written.value() : std::exchange(refused_, ""));
}

Result<std::string> LoopUnroller::unroll(const NodeProto& node, const KnownLoop& loop) {
  if (scope_.depth() == kDeepestBody)
    return invalid_argument("lies within " + std::to_string(kDeepestBody) + " others of its kind");
  const std::size_t first_value = imported_.graph().values().size();
  Trips trips;
  trips.condition = loop.condition;
  for (int i = 2; i < node.input_size(); ++i) trips.carried.push_back(scope_.tensor(node.input(i)));
  trips.collected.resize(static_cast<std::size_t>(loop.body->output_size() - 1) - trips.carried.size());
  FL_TRY(std::string because, make_trips(node, loop, trips));
  if (!because.empty()) return because;
  return define(node, trips, first_value);
}

Result<std::string> LoopUnroller::make_trips(const NodeProto& node, const KnownLoop& loop, Trips& trips) {
  const std::string path = shown(node.name().empty() ? node.output(0) : node.name()) + "/";
  ImportScope::Body body(scope_);
  body.set_path(path);
  FL_TRY_VOID(reader_.declare_weights(*loop.body));
  FL_TRY_VOID(reader_.read(loop.body->node(), NodeReader::Which::kConstants));
  bool goes_on = loop.trips > 0;
  const std::int64_t bytes = goes_on ? bytes_of_nodes(*loop.body) : 0;
  for (std::int64_t trip = 0; goes_on && trip < loop.trips; ++trip) {
    if (trip == kMostTrips) return "it does not end within the " + std::to_string(kMostTrips) + " trips that are written out";
    if ((bytes_ += bytes) > kMostUnrolledBytes) return give_up();
    body.begin_trip();
    body.set_path(path + std::to_string(trip) + "/");
    ++imported_.counts().trips;
    FL_TRY_VOID(enter_trip(loop, trip, trips));
    FL_TRY_VOID(reader_.read(loop.body->node(), NodeReader::Which::kOthers));
    FL_TRY_VOID(leave_trip(loop, trips));
    body.end_trip();
    if (!loop.condition) continue;
    const auto known = number_in(*trips.condition);
    if (!known) return std::string("whether it goes on is computed by its body");
    goes_on = *known != 0;
  }
  return std::string();
}

Status LoopUnroller::enter_trip(const KnownLoop& loop, std::int64_t trip, const Trips& trips) {
  std::vector<SharedTensor> given{tensor_of(single(DType::kI64, trip)),
                                  trips.condition ? trips.condition : tensor_of(single(DType::kBool, 1))};
  given.insert(given.end(), trips.carried.begin(), trips.carried.end());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = loop.body->input(static_cast<int>(i)).name();
    if (!scope_.add(name, std::move(given[i])))
      return invalid_argument("its body's input '" + shown(name) + "' is there twice, or shadows a name of the graph around it");
  }
  return Status();
}

Status LoopUnroller::leave_trip(const KnownLoop& loop, Trips& trips) {
  std::vector<SharedTensor> results;
  for (const auto& output : loop.body->output()) {
    if (scope_.find(output.name()) == nullptr)
      return invalid_argument("its body makes nothing called '" + shown(output.name()) + "', which is its output");
    results.push_back(scope_.tensor(output.name()));
  }
  if (loop.condition) trips.condition = results.front();
  const std::size_t carried = trips.carried.size();
  std::copy_n(results.begin() + 1, carried, trips.carried.begin());
  for (std::size_t i = 0; i < trips.collected.size(); ++i) {
    const SharedTensor& part = results[1 + carried + i];
    if (!part->value && part->label.empty())
      part->label = scope_.own_name(loop.body->output(static_cast<int>(1 + carried + i)).name());
    trips.collected[i].push_back(part);
  }
  return Status();
}

Result<std::string> LoopUnroller::define(const NodeProto& node, const Trips& trips, std::size_t first_value) {
  std::vector<SharedTensor> results = trips.carried;
  for (int i = static_cast<int>(trips.carried.size()); i < node.output_size(); ++i) {
    if (node.output(i).empty() || !scope_.is_read(node.output(i))) {
      results.push_back(nullptr);
      continue;
    }
    const Collected& parts = trips.collected[static_cast<std::size_t>(i) - trips.carried.size()];
    if (parts.empty()) return std::string("it makes no trip, and what it collects is empty");
    auto whole = stacked(parts);
    if (whole == nullptr) return std::string("what it collects from its trips does not fit together");
    results.push_back(std::move(whole));
  }
  for (int i = 0; i < node.output_size(); ++i) {
    const auto& result = results[static_cast<std::size_t>(i)];
    if (result != nullptr) FL_TRY_VOID(reader_.hand_out(node, i, result, first_value));
  }
  return std::string();
}

SharedTensor LoopUnroller::stacked(const Collected& parts) {
  const bool fit =
      std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return part->type && *part->type == *parts.front()->type; });
  if (!fit) return nullptr;
  if (auto numbers = stacked_numbers(parts)) return tensor_of(*std::move(numbers));
  Graph& graph = imported_.graph();
  std::vector<ValueId> values;
  for (const auto& part : parts) {
    const auto row =
        graph.add_node(Op::kUnsqueeze, {imported_.value_of(part, part->label)}, {{"axes", std::vector<std::int64_t>{0}}});
    if (!row.ok()) return nullptr;
    values.push_back(graph.node(row.value()).outputs.front());
  }
  while (values.size() > 1) {
    std::vector<ValueId> joined;
    for (std::size_t first = 0; first < values.size(); first += kMostJoined) {
      const std::size_t last = std::min(values.size(), first + kMostJoined);
      const auto rows = graph.add_node(
          Op::kConcat, {values.begin() + static_cast<std::ptrdiff_t>(first), values.begin() + static_cast<std::ptrdiff_t>(last)},
          {{"axis", std::int64_t{0}}});
      if (!rows.ok()) return nullptr;
      joined.push_back(graph.node(rows.value()).outputs.front());
    }
    values = std::move(joined);
  }
  imported_.counts().nodes += parts.size() > 1 ? 1 : 0;
  Tensor whole;
  whole.value = values.front();
  whole.type = graph.type(values.front());
  return std::make_shared<Tensor>(std::move(whole));
}

}  // namespace fuselab::onnx
