// SPDX-License-Identifier: Apache-2.0
#include "app/engine/prior_file.h"

#include <algorithm>
#include <optional>
#include <set>

#include "app/engine/tensors/gzip_file.h"
#include "tuner/formats/recorded_formats.h"

namespace fuselab::engine {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestPrior{std::int64_t{64} << 20};
constexpr std::size_t kMostPriorFiles = 1000;
constexpr int kDeepest = 2;  // Triton keeps CACHE/HASH/NAME.autotune.json

bool is_triton_cache(const fs::path& file) {
  return file.filename().string().ends_with(".autotune.json");
}

Result<std::vector<fs::path>> files_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector{path};
  std::vector<fs::path> files;
  fs::recursive_directory_iterator each(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && each != fs::recursive_directory_iterator() && files.size() < kMostPriorFiles; each.increment(error)) {
    if (each.depth() >= kDeepest) each.disable_recursion_pending();
    if (is_triton_cache(each->path())) files.push_back(each->path());
  }
  if (files.empty())
    return Error{ErrorCode::kNotFound,
                 path.string() + " holds no NAME.autotune.json, which Triton writes with TRITON_CACHE_AUTOTUNING=1"};
  std::ranges::sort(files);
  return files;
}

Result<std::vector<LaunchConfig>> fastest_first(const fs::path& file) {
  FL_TRY(const std::string text, read_maybe_gzip(file, kLargestPrior));
  FL_TRY(auto recorded, tuner::parse_recording(text));
  std::erase_if(recorded.trials, [](const tuner::RecordedTrial& each) { return each.runtimes_ns.empty(); });
  const auto time = [](const tuner::RecordedTrial& each) { return *std::ranges::min_element(each.runtimes_ns); };
  std::ranges::stable_sort(recorded.trials, {}, time);
  std::vector<LaunchConfig> configs;
  for (tuner::RecordedTrial& each : recorded.trials) configs.push_back(std::move(each.config));
  return configs;
}

}  // namespace

Result<std::vector<LaunchConfig>> read_prior(const fs::path& path) {
  FL_TRY(const auto files, files_of(path));
  std::vector<std::vector<LaunchConfig>> by_file;
  std::size_t longest = 0;
  std::optional<Error> unread;  // the first of them
  for (const fs::path& file : files) {
    auto configs = fastest_first(file);
    if (!configs.ok()) {
      // Another kernel's file in a folder is no reason to read none.
      if (!unread) unread = configs.error().within(file.string());
      continue;
    }
    longest = std::max(longest, configs.value().size());
    by_file.push_back(std::move(configs).value());
  }
  std::vector<LaunchConfig> found;
  std::set<LaunchConfig> seen;
  for (std::size_t place = 0; place < longest; ++place) {
    for (const auto& configs : by_file) {
      if (place < configs.size() && seen.insert(configs[place]).second) found.push_back(configs[place]);
    }
  }
  if (found.empty() && unread) return *unread;
  if (found.empty()) return Error{ErrorCode::kInvalidArgument, path.string() + ": no configuration was timed there"};
  return found;
}

}  // namespace fuselab::engine
