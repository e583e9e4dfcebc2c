// SPDX-License-Identifier: Apache-2.0
#include "tests/device/primitives/primitive_case.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/fields/json_reader.h"
#include "core/fields/json_writer.h"
#include "core/kernel/kernel_json.h"

namespace fuselab::primitives {
namespace {

using Json = nlohmann::ordered_json;

Status write_file(const std::filesystem::path& path, const char* data, std::size_t size) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(data, static_cast<std::streamsize>(size));
  if (file.flush()) return {};
  return Error{ErrorCode::kIo, "cannot write " + path.string()};
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::kIo, "cannot read " + path.string()};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

const char* text_name(const PrimitiveCase& one) {
  return one.targets.empty() ? "kernel.cu" : "kernel.hip";
}

std::string numbered(const char* kind, std::size_t number) {
  return kind + std::to_string(number) + ".bin";
}

Status write_buffers(const std::filesystem::path& folder, const char* kind, const std::vector<std::vector<std::byte>>& buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i)
    FL_TRY_VOID(write_file(folder / numbered(kind, i), reinterpret_cast<const char*>(buffers[i].data()), buffers[i].size()));
  return {};
}

// As many as the record has arguments of these roles, each as long as its type says.
Status read_buffers(const std::filesystem::path& folder, const char* kind, const KernelAbi& abi, BufferRole role,
                    std::vector<std::vector<std::byte>>& buffers) {
  for (const KernelArgument& argument : abi.arguments) {
    if (argument.role != role) continue;
    const std::filesystem::path path = folder / numbered(kind, buffers.size());
    FL_TRY(const std::string bytes, read_file(path));
    FL_TRY(const Bytes size, size_of(argument.type));
    if (static_cast<std::int64_t>(bytes.size()) != size.count)
      return Error{ErrorCode::kCorrupt, path.string() + " has " + std::to_string(bytes.size()) + " bytes, '" + argument.name +
                                            "' has " + std::to_string(size.count)};
    const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
    buffers.emplace_back(begin, begin + bytes.size());
  }
  return {};
}

}  // namespace

Status save(const PrimitiveCase& one, const std::filesystem::path& folder) {
  const std::filesystem::path own = folder / one.name;
  std::error_code failed;
  std::filesystem::create_directories(own, failed);
  if (failed) return Error{ErrorCode::kIo, "cannot make " + own.string() + ": " + failed.message()};
  const Json json = {{"capability", one.capability},
                     {"group_products", one.group_products},
                     {"told", one.told},
                     {"ulps", one.ulps},
                     {"lane_values", one.lane_values},
                     {"targets", one.targets},
                     {"abi", fields::json_of<Json>(one.source.abi)}};
  const std::string text = json.dump(1) + "\n";
  FL_TRY_VOID(write_file(own / "case.json", text.data(), text.size()));
  FL_TRY_VOID(write_file(own / text_name(one), one.source.text.data(), one.source.text.size()));
  FL_TRY_VOID(write_buffers(own, "in", one.inputs));
  return write_buffers(own, "out", one.expected);
}

Result<PrimitiveCase> load(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path own = folder / name;
  PrimitiveCase one;
  one.name = name;
  FL_TRY(const std::string text, read_file(own / "case.json"));
  try {
    const Json json = Json::parse(text);
    json.at("capability").get_to(one.capability);
    json.at("group_products").get_to(one.group_products);
    json.at("told").get_to(one.told);
    json.at("ulps").get_to(one.ulps);
    json.at("lane_values").get_to(one.lane_values);
    one.targets = json.value("targets", one.targets);  // bundles of before have none
    FL_TRY_VOID(fields::read_fields(json.at("abi"), one.source.abi));
  } catch (const std::exception& failure) {
    return Error{ErrorCode::kCorrupt, (own / "case.json").string() + ": " + failure.what()};
  }
  one.source.language = one.targets.empty() ? "cuda" : "hip";
  one.source.entry = one.source.abi.entry;
  FL_TRY(one.source.text, read_file(own / text_name(one)));
  FL_TRY_VOID(read_buffers(own, "in", one.source.abi, BufferRole::kIn, one.inputs));
  FL_TRY_VOID(read_buffers(own, "out", one.source.abi, BufferRole::kOut, one.expected));
  return one;
}

Status save_order(const std::vector<std::string>& names, const std::filesystem::path& folder) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return write_file(folder / "order.txt", text.data(), text.size());
}

Result<std::vector<std::string>> load_order(const std::filesystem::path& folder) {
  FL_TRY(const std::string text, read_file(folder / "order.txt"));
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace fuselab::primitives
