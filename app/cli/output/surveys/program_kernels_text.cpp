// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/surveys/program_kernels_text.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/plain_text.h"

namespace fuselab::cli {
namespace {

using engine::CompiledConfig;
using engine::TargetPiece;
using engine::TargetSurvey;

constexpr const char* kNotKnown = "–";

std::string number_text(const ResourceUsage& resources, const char* name) {
  const auto found = resources.find(name);
  return found == resources.end() ? kNotKnown : std::to_string(found->second);
}

// "triton_poi_fused_gelu_0" ends with its number.
std::vector<std::pair<std::string, ResourceUsage>> in_order(const CompiledConfig& program) {
  std::vector<std::pair<std::string, ResourceUsage>> kernels(program.kernels.begin(), program.kernels.end());
  const auto number = [](const std::string& name) { return std::atoll(name.c_str() + name.rfind('_') + 1); };
  std::ranges::stable_sort(kernels, [&](const auto& a, const auto& b) { return number(a.first) < number(b.first); });
  return kernels;
}

}  // namespace

bool has_kernels(const TargetSurvey& survey) {
  return std::ranges::any_of(survey.pieces, [](const auto& piece) { return piece.kernel.resources.contains("kernels"); });
}

std::vector<Column> kernel_program_columns() {
  return {{"piece"},
          {"uses", Align::kRight},
          {"result"},
          {"kernels", Align::kRight},
          {"calls"},
          {"spills", Align::kRight},
          {"code", Align::kRight},
          {"compiling", Align::kRight},
          {"note"}};
}

std::vector<std::string> kernel_program_cells(const TargetPiece& piece) {
  std::vector<std::string> cells = {piece.name, std::to_string(piece.uses), piece.result()};
  if (piece.state == TargetPiece::State::kCompiled) {
    const ResourceUsage& resources = piece.kernel.resources;
    const std::string calls = engine::call_words(resources);
    cells.insert(cells.end(),
                 {number_text(resources, "kernels"), calls.empty() ? "none" : calls, number_text(resources, "spill_bytes"),
                  number_text(resources, "code_bytes"), format_duration(piece.kernel.compile_time)});
  } else {
    cells.insert(cells.end(), 5, "");
  }
  cells.push_back(piece.note());
  return cells;
}

std::string program_kernels_text(const TargetSurvey& survey, const Terminal& terminal) {
  std::vector<std::vector<std::string>> rows;
  for (const TargetPiece& piece : survey.pieces) {
    std::string of = piece.name;
    for (const auto& [name, resources] : in_order(piece.kernel)) {
      rows.push_back({std::exchange(of, ""), plain_line(name)});
      for (const char* const field : {"launches", "warps", "registers", "shared_bytes", "spill_bytes", "code_bytes", "configs"})
        rows.back().push_back(number_text(resources, field));
    }
  }
  if (rows.empty()) return "";
  const std::vector<Column> columns = {{"piece"},
                                       {"kernel"},
                                       {"launches", Align::kRight},
                                       {"warps", Align::kRight},
                                       {"registers", Align::kRight},
                                       {"shared", Align::kRight},
                                       {"spills", Align::kRight},
                                       {"cubin", Align::kRight},
                                       {"configurations", Align::kRight}};
  return "\n" + render_table(columns, rows, terminal);
}

nlohmann::json program_kernels_json(const CompiledConfig& program) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const auto& [name, resources] : in_order(program)) {
    kernels.push_back(resources);
    kernels.back()["name"] = name;
  }
  return kernels;
}

}  // namespace fuselab::cli
