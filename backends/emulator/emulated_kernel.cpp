// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/emulated_kernel.h"

#include <algorithm>
#include <map>
#include <string>

#include "backends/emulator/launch.h"
#include "backends/emulator/tensor_map.h"

namespace fuselab::simt {
namespace {

constexpr std::byte kPoison{0xFF};
constexpr std::string_view kOpening = "\nextern \"C\" FL_";
constexpr std::string_view kFold = "_fold";
constexpr std::int64_t kSteps = 20'000'000;  // a hundred times what the largest of the tests' cases takes

const std::map<std::string, std::int64_t>& dims() {
  static const std::map<std::string, std::int64_t> known = {{"multiprocessors", kMultiprocessors}};
  return known;
}

Result<std::vector<Argument>> arguments_of(const KernelAbi& abi, std::span<const std::vector<std::byte>> inputs) {
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < abi.arguments.size(); ++i) {
    const KernelArgument& each = abi.arguments[i];
    FL_TRY(const Bytes size, size_of(each.type));
    const bool in = i < inputs.size();
    Argument argument;
    argument.name = each.name;
    argument.use = in ? BufferUse::kRead : BufferUse::kWrite;
    argument.element = bits_of(each.type.dtype) / 8;
    argument.alignment = static_cast<int>(each.alignment);
    argument.bytes = in ? inputs[i] : std::vector<std::byte>(static_cast<std::size_t>(size.count), kPoison);
    arguments.push_back(std::move(argument));
  }
  for (const TensorMapArgument& map : abi.maps) {
    if (map.buffer < 0 || map.buffer >= static_cast<int>(abi.arguments.size()))
      return Error{ErrorCode::kCorrupt, "a map is of argument " + std::to_string(map.buffer) + ", which there is not"};
    const KernelArgument& buffer = abi.arguments[static_cast<std::size_t>(map.buffer)];
    FL_TRY(const Bytes size, size_of(buffer.type));
    FL_TRY_VOID(check_tensor_map(map, size.count));
    FL_TRY(Argument encoded, map_argument(map, "map of " + buffer.name));
    arguments.push_back(std::move(encoded));
  }
  return arguments;
}

// A limit of the executor says nothing about the kernel.
Error error_of(const Outcome& outcome) {
  return {outcome.is_limit ? ErrorCode::kUnsupported : ErrorCode::kNumerics, outcome.finding};
}

// All of a kernel's arrays are static, or none is.
bool asks_for_shared(const KernelObject& object, std::size_t kernel) {
  const std::string& body = object.text(kernel).body;
  return body.find("FL_DYNAMIC_SHARED(") != std::string::npos || body.find("FL_ALIGNED_SHARED(") != std::string::npos;
}

// The launches behind the first, which find what it left.
Status run_following(const KernelAbi& abi, const KernelObject& object, std::size_t kernel, std::span<Argument> arguments,
                     const LaunchLimits& limits, SharedBanks& banks) {
  for (Argument& each : arguments) {
    if (each.use == BufferUse::kWrite) each.use = BufferUse::kReadWrite;
  }
  for (std::size_t i = 0; i < abi.after.size(); ++i) {
    const FollowingLaunch& each = abi.after[i];
    const std::size_t place = kernel + 1 + i;
    if (place >= object.size() || object.text(place).entry != each.entry)
      return Error{ErrorCode::kCorrupt, "the text has no kernel " + each.entry + ", which its record launches behind " + abi.entry};
    FL_TRY(const std::int64_t grid, each.grid_x.evaluate(dims()));
    FL_TRY(const std::int64_t block, each.block_x.evaluate(dims()));
    FL_TRY(const std::int64_t shared, each.shared_bytes.evaluate(dims()));
    const LaunchShape shape{grid, static_cast<int>(block), asks_for_shared(object, place) ? shared : 0, object.cluster(place),
                            object.lanes(place)};
    const Outcome outcome = run_launch(object, place, shape, arguments, limits);
    if (!outcome.ok()) return error_of(outcome);
    banks.add(outcome);
  }
  return {};
}

}  // namespace

void SharedBanks::add(const Outcome& outcome) {
  rows.add(outcome.rows_banks);
  plain.add(outcome.plain_banks);
  if (worst.empty()) worst = outcome.worst_banks;
}

Result<Argument> map_argument(const TensorMapArgument& map, std::string name) {
  const std::size_t axes = map.extents.size();
  if (axes < 1 || axes > kMapAxes || map.box.size() != axes || map.strides.size() + 1 != axes || bits_of(map.element) < 8)
    return Error{ErrorCode::kUnsupported, "the copy engine has no box like that of the " + name};
  TensorMap encoded;
  encoded.axes = static_cast<std::int16_t>(axes);
  encoded.element = static_cast<std::int16_t>(bits_of(map.element) / 8);
  encoded.swizzle = static_cast<std::int32_t>(map.swizzle);
  std::copy(map.extents.begin(), map.extents.end(), encoded.extents.begin());
  std::copy(map.strides.begin(), map.strides.end(), encoded.strides.begin());
  std::transform(map.box.begin(), map.box.end(), encoded.box.begin(),
                 [](std::int64_t each) { return static_cast<std::int32_t>(each); });
  Argument argument{std::move(name), BufferUse::kRead, 8, 64, {}, map.buffer};
  const auto bytes = std::as_bytes(std::span(&encoded, 1));
  argument.bytes.assign(bytes.begin(), bytes.end());
  return argument;
}

std::vector<KernelText> texts_of(const SourceModule& source) {
  const KernelText only = text_of(source.entry, source.text);
  const std::string whole = "\n" + only.body;
  const std::size_t first = whole.find(kOpening);
  std::vector<KernelText> texts;
  for (std::size_t at = first; at != std::string::npos;) {
    const std::size_t next = whole.find(kOpening, at + 1);
    const std::size_t place = texts.size();
    std::string entry = source.entry;
    if (place > 0) entry = place <= source.abi.after.size() ? source.abi.after[place - 1].entry : source.entry + std::string(kFold);
    // What stands before the first kernel is for all of them.
    texts.push_back({std::move(entry), whole.substr(1, first) + whole.substr(at + 1, next - at), only.matrix_units});
    at = next;
  }
  if (texts.empty()) texts.push_back(only);
  return texts;
}

Result<std::vector<std::vector<std::byte>>> run_emulated(const KernelAbi& abi, const KernelObject& object, std::size_t kernel,
                                                         std::span<const std::vector<std::byte>> inputs, std::uint64_t order_seed,
                                                         SharedBanks* banks) {
  if (std::ranges::any_of(abi.arguments, [](const KernelArgument& each) { return each.role == BufferRole::kInOut; }))
    return Error{ErrorCode::kUnsupported, "the executor runs no kernel that overwrites its input"};
  FL_TRY(auto arguments, arguments_of(abi, inputs));
  FL_TRY(const std::int64_t grid, abi.grid_x.evaluate(dims()));
  FL_TRY(const std::int64_t block, abi.block_x.evaluate(dims()));
  FL_TRY(const std::int64_t shared, abi.shared_bytes.evaluate(dims()));
  LaunchLimits limits;
  limits.seed = order_seed;
  limits.steps = kSteps;
  limits.count_plain_banks = banks != nullptr;
  const LaunchShape shape{grid, static_cast<int>(block), asks_for_shared(object, kernel) ? shared : 0, object.cluster(kernel),
                          object.lanes(kernel)};
  const Outcome outcome = run_launch(object, kernel, shape, arguments, limits);
  if (!outcome.ok()) return error_of(outcome);
  SharedBanks found;
  found.add(outcome);
  if (!abi.after.empty()) {
    FL_TRY_VOID(run_following(abi, object, kernel, arguments, limits, found));
  } else if (kernel + 1 < object.size() && object.text(kernel + 1).entry == abi.entry + std::string(kFold)) {
    arguments[abi.arguments.size() - 1].use = BufferUse::kRead;  // what the first has left
    const Outcome folded =
        run_launch(object, kernel + 1, {1, object.max_threads(kernel + 1), 0, 1, object.lanes(kernel + 1)}, arguments, limits);
    if (!folded.ok()) return error_of(folded);
    found.add(folded);
  }
  if (banks != nullptr) *banks = std::move(found);
  std::vector<std::vector<std::byte>> outputs;
  for (std::size_t i = 0; i < abi.arguments.size(); ++i) {
    if (abi.arguments[i].role == BufferRole::kOut) outputs.push_back(std::move(arguments[i].bytes));
  }
  return outputs;
}

}  // namespace fuselab::simt
