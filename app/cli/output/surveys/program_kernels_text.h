// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/shell/terminal.h"
#include "app/engine/kernels/target_survey.h"

// Programs of several kernels and calls of libraries, whose compiler tells them apart.
namespace fuselab::cli {

bool has_kernels(const engine::TargetSurvey& survey);

// Returns the columns of a survey's table for such programs, and a piece's cells.
std::vector<Column> kernel_program_columns();
std::vector<std::string> kernel_program_cells(const engine::TargetPiece& piece);

// Returns a table of all kernels, below that of the pieces; empty where there is none.
std::string program_kernels_text(const engine::TargetSurvey& survey, const Terminal& terminal);

// Returns an array of a program's kernels, in the order in which their compiler numbered them.
nlohmann::json program_kernels_json(const engine::CompiledConfig& program);

}  // namespace fuselab::cli
