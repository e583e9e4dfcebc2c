// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"

namespace fuselab::tuner {

// Readers for the Python expressions that T1 files carry in strings and that other tools evaluate. They read the few forms that
// occur and run nothing; anything else is an error with its column. One expression gives at most 65,536 values.

// Parses "[1, 2, 4]", "['a', 'b']", "[32 * i for i in range(1, 32)]", "list(range(0, 8, 2))", and sums of these with +.
Result<std::vector<ParameterValue>> parse_python_values(std::string_view text);

// Translates a condition such as "32 <= x*y <= 1024 and not (a == 0 or b != 1)" to the grammar of
// core/tuning/constraint_expression.h.
Result<std::string> translate_python_condition(std::string_view text);

// Translates a size such as "ProblemSize[0] * (ProblemSize[1] + max(filter_width) - 1)" to the grammar of DimFormula. `problem`
// holds a formula for each axis of ProblemSize, `largest` the largest value of each parameter of integers.
Result<std::string> translate_python_formula(std::string_view text, const std::vector<std::string>& problem,
                                             const std::map<std::string, std::int64_t>& largest);

}  // namespace fuselab::tuner
