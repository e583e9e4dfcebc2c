// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/github_places.h"

#include <cstdlib>
#include <filesystem>
#include <map>

#include "app/gate/source/repository.h"

namespace fuselab::cli {
namespace {

namespace fs = std::filesystem;

fs::path root_around(const fs::path& folder) {
  const auto top = engine::run_git(folder, {"rev-parse", "--show-toplevel"}, {});
  if (top.ok() && !top.value().empty()) return top.value();
  const char* const workspace = std::getenv("GITHUB_WORKSPACE");
  std::error_code failed;
  const fs::path root = workspace == nullptr ? fs::path() : fs::canonical(workspace, failed);
  return failed ? fs::path() : root;
}

std::string place_from_root(const std::string& file) {
  const fs::path given(file);
  std::error_code failed;
  // The folder is resolved, as git does; the file may be a link, and is known by its own name.
  const fs::path folder = fs::canonical(given.has_parent_path() ? given.parent_path() : fs::path("."), failed);
  if (file.empty() || failed || !fs::exists(folder / given.filename(), failed)) return file;
  const fs::path root = root_around(folder);
  const fs::path inside = root.empty() ? fs::path() : (folder / given.filename()).lexically_relative(root);
  return inside.empty() || *inside.begin() == ".." ? file : inside.generic_string();
}

}  // namespace

CheckReport with_github_places(CheckReport report) {
  std::map<std::string, std::string> places;
  for (CaseOutcome& outcome : report.cases) {
    const auto [place, fresh] = places.try_emplace(outcome.where.file);
    if (fresh) place->second = place_from_root(outcome.where.file);
    outcome.where.file = place->second;
  }
  return report;
}

}  // namespace fuselab::cli
