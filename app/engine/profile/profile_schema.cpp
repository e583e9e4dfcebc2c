// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "app/engine/profile/profile_document.h"
#include "core/fields/json_schema.h"

namespace fuselab::engine {
namespace {

// What each member is, wherever it stands; a name means the same everywhere.
constexpr std::pair<std::string_view, std::string_view> kDescriptions[] = {
    {"address", "In the binary"},
    {"amount", "How much"},
    {"backend", "cpu"},
    {"binding", "Extents"},
    {"block", "Of a kernel: threads along x, y, z"},
    {"bound", "memory, cache, ports, latency, launch, threads, spills, shared, tensor, issue, occupancy, unclear"},
    {"busiest_cycles", "Of it in one iteration"},
    {"busiest_resource", "The unit with the most work"},
    {"bytes", "Bytes moved, or bytes of code"},
    {"bytes_per_second", "Measured ceiling, bytes a second"},
    {"caches", "In which the time was measured: warm, cold, rotating, first-launch"},
    {"calls", "Calls"},
    {"certainty", "sure, likely, weak"},
    {"code", "Machine code; of a line, nothing else"},
    {"collector", "code, counters, trace, series, samples, sweep, ceilings, exact"},
    {"collectors", "Who was asked, and what it cost"},
    {"compulsory_bytes", "Inputs and outputs once, bytes"},
    {"compute_ns", "Arithmetic at the peak, nanoseconds"},
    {"compute_share", "Of the time"},
    {"config", "Launch configuration"},
    {"cost_ms", "Milliseconds it took"},
    {"counted_ns", "A launch under counters, nanoseconds"},
    {"counted_share", "Of the time during which it was counted"},
    {"counters", "What the CPU counted"},
    {"created_unix_ms", "When it was collected"},
    {"cycles", "Of one iteration"},
    {"data_dependency_share", "Of the cycles, waiting for results"},
    {"depth", "1: in no other loop"},
    {"device", "cpu:0"},
    {"device_name", "As its vendor calls it"},
    {"device_samples", "Where the warps of a GPU were and what they waited for"},
    {"device_series", "Counters of a GPU over the time of the plan"},
    {"device_threads", "Processors of the device"},
    {"device_trace", "What a GPU did over time, on its own clock"},
    {"disassembler", "Which one, with its version"},
    {"divides", "Divisions"},
    {"dropped", "Records or samples that were lost"},
    {"duration_ns", "How long, nanoseconds"},
    {"dynamic_shared", "Shared memory that the launch asks for, bytes"},
    {"environment", "Key of machine, driver and version"},
    {"evidence", "Sentences with figures"},
    {"exact", "Counts of a simulator"},
    {"extra_launches", "All that were made for counting, counted or not"},
    {"extra_ns", "Their time, nanoseconds"},
    {"findings", "What each rule found, the largest share first"},
    {"first", "Address of the first instruction"},
    {"flops", "Floating-point operations: of the graph, or of one pass through a loop"},
    {"function", "Name in the binary"},
    {"functions", "A GPU's functions, loops and what lies outside of them together"},
    {"fused_multiply_adds", "Fused multiply-adds"},
    {"fused_ns", "Fused plan, nanoseconds"},
    {"gathers", "Gathers"},
    {"general_registers", "Distinct ones named"},
    {"graph", "Canonical text of the piece"},
    {"grid", "Of a kernel: blocks along x, y, z"},
    {"high", "Of its interval"},
    {"high_ns", "Upper end of its interval, nanoseconds"},
    {"hits", "Samples found here"},
    {"holds_working_set", "The smallest level that holds the working set"},
    {"innermost", "No loop is in it"},
    {"instructions", "Instructions"},
    {"instructions_per_cycle", "As predicted"},
    {"interval_ns", "Between samples, nanoseconds"},
    {"kernel", "Its entry"},
    {"kernels", "What compilers and drivers report of each kernel of a GPU or of OpenCL, before it runs"},
    {"kind", "kernel, copy, memset, launch (by the host), overhead"},
    {"label", "The kernel's name, or what was copied"},
    {"last", "Address of the last instruction"},
    {"latency", "Cycles until its result is there, as the model has it; 0: not modelled"},
    {"launch_ns", "Empty launches of as many steps, nanoseconds"},
    {"launch_share", "Of the time"},
    {"launches", "Launches of each group"},
    {"level", "L1, L2, L3, memory"},
    {"levels", "Levels of the memory hierarchy, the nearest first"},
    {"limited_by", "What limits its blocks on a multiprocessor"},
    {"line", "Of the source; 0: not known"},
    {"lines", "Lines of the source, ranges"},
    {"loaded_bytes", "By one pass, bytes"},
    {"loads", "Instructions that load"},
    {"local", "Local memory of a thread, bytes"},
    {"look_at", "What to try"},
    {"loop", "Index of the innermost loop; -1: none"},
    {"loops", "Loops of the kernels"},
    {"low", "Of its interval"},
    {"low_ns", "Lower end of its interval, nanoseconds"},
    {"measured", "Gain; 0: not measured"},
    {"measured_by", "trial; counters: launches beside the counters; empty: not measured"},
    {"median_ns", "Median, nanoseconds; 0: not measured"},
    {"metric", "Key of what was timed and how"},
    {"metrics", "Per launch; ratios of all launches"},
    {"mix", "How many instructions of a GPU do which work"},
    {"model", "Model or workload"},
    {"most", "Eager over compulsory bytes"},
    {"name", "Of the vocabulary (metrics.md)"},
    {"nontemporal", "Stores past the caches"},
    {"not_stored", "Why new answers were not stored"},
    {"note", "What a reader must know"},
    {"ns", "Time at the ceiling, nanoseconds"},
    {"origin_ns", "Where the spans' time begins, in nanoseconds of the host's monotonic clock"},
    {"overflowed", "The device's buffer was full"},
    {"parts", "Reasons"},
    {"passed_over", "Rungs above it, with reasons"},
    {"pattern", "Fusion pattern"},
    {"peak_flops", "Measured peak, operations a second"},
    {"period_cycles", "Cycles of a multiprocessor between samples"},
    {"piece", "Name of the piece"},
    {"piece_key", "Key of the piece's graph"},
    {"places", "Instructions with samples, the most first"},
    {"plain_ns", "A launch without counters, nanoseconds"},
    {"plan", "fused, unfused"},
    {"plan_key", "Key of the plan's kernels"},
    {"points", "The first is the plan itself"},
    {"predicted", "By traffic and launches"},
    {"prediction", "By a model of the CPU without cache misses"},
    {"prefetches", "Prefetches"},
    {"processes", "Fresh processes it stands on"},
    {"processor", "Which CPU it models"},
    {"profiler", "What recorded it; empty: nothing was recorded"},
    {"program", "Which model"},
    {"reason", "Why there is none"},
    {"reciprocal_throughput", "Cycles, if units alone limited it"},
    {"registers", "Of a thread"},
    {"resource_pressure_share", "Of the cycles, waiting for units"},
    {"rests_on", "Kinds of evidence"},
    {"reused", "From the database"},
    {"rows", "Metrics"},
    {"run", "Of the plan, from 0; -1: not known"},
    {"rung", "top-down, generic, software; empty: nothing could be counted"},
    {"runs", "Of the plan"},
    {"sampled_ns", "A launch while sampling, nanoseconds"},
    {"samples", "In the whole process"},
    {"saved_ns", "Predicted, nanoseconds; negative: fusion costs it"},
    {"scaled", "Extrapolated from that share"},
    {"share", "Of the time"},
    {"source", "Where the figure comes from"},
    {"sources", "Source text, one a kernel of the plan"},
    {"spans", "In the order of starts"},
    {"spill_loads", "Loads from the stack frame"},
    {"spill_stores", "Stores to the stack frame"},
    {"split", "Why fusion gains or loses"},
    {"square_roots", "Square roots"},
    {"stall", "Why a warp did not issue, as the vendor calls it"},
    {"stalls", "The most frequent first"},
    {"standing", "Where the plan stands under the device's ceilings"},
    {"stands_in", "The model is another CPU's, since the program has none of this one"},
    {"start_ns", "Since the origin, nanoseconds"},
    {"starts_ns", "Starts of the intervals, nanoseconds"},
    {"static_shared", "Shared memory of the kernel itself, bytes"},
    {"step", "Kernel of the plan, from 0"},
    {"steps", "Kernels of the plan"},
    {"stored_bytes", "By one pass, bytes"},
    {"stores", "Instructions that store"},
    {"stream", "Of the device"},
    {"sweep", "The same at other sizes and threads"},
    {"target", "What it was compiled for"},
    {"text", "For people; of code, the instruction"},
    {"threads", "Threads"},
    {"trial", "Id of the stored trial; empty: the default configuration was built"},
    {"unaligned", "Vector moves that allow any address"},
    {"unfused_ns", "Unfused plan, nanoseconds"},
    {"unit", "Of the amount"},
    {"untimed", "Records without a time"},
    {"value", "Absent: see reason"},
    {"values", "One for each interval"},
    {"vector_instructions", "Packed instructions"},
    {"vector_registers", "Distinct ones named"},
    {"verdict", "What bounds the plan"},
    {"version", "Of the collector"},
    {"wall_ns", "Of all counted launches, nanoseconds"},
    {"what", "What differs, or which reason"},
    {"where", "Which one of its kind"},
    {"why_no_hits", "Why no sample has a place"},
    {"why_no_levels", "Why no bandwidth is known"},
    {"why_no_lines", "Why instructions have no line of the source"},
    {"why_no_prediction", "Why there is no prediction"},
    {"why_not", "Why there is none"},
    {"widest_vector_bits", "Bits of the widest vector"},
    {"work",
     "fp32, fp16, fp64, tensor, special, conversion, integer, uniform, move, constant, global, shared or local load and store, "
     "async copy, tensor memory, atomic, shuffle, barrier, control, texture, other"},
    {"working_set_bytes", "What the runs move among, bytes"},
};

std::string_view description_of(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kDescriptions), std::end(kDescriptions), [&](const auto& row) { return row.first == name; });
  return found == std::end(kDescriptions) ? std::string_view() : found->second;
}

// Describes every member of an object and all that lie in it, and closes the objects: they take no other member.
void describe(nlohmann::json& schema) {
  if (schema.contains("properties")) {
    schema["additionalProperties"] = false;
    for (auto& [name, part] : schema["properties"].items()) {
      part["description"] = std::string(description_of(name));
      describe(part);
    }
  }
  if (schema.contains("items")) describe(schema["items"]);
}

}  // namespace

nlohmann::json profile_schema() {
  nlohmann::json profile = fields::schema_of<nlohmann::json, Profile>();
  const nlohmann::json text = {{"type", "string"}};
  for (const char* const name : {"model", "binding", "level"}) {
    profile["properties"][name] = text;
    profile["required"].push_back(name);
  }
  profile["properties"]["sources"] = {{"type", "array"}, {"items", text}};
  profile["required"].push_back("sources");
  profile["properties"]["not_stored"] = text;
  describe(profile);
  const nlohmann::json document = {
      {"type", "object"},
      {"properties",
       {{"schema", {{"const", "fuselab.profile/1"}, {"description", "Name and version of this document"}}},
        {"profiles", {{"type", "array"}, {"items", profile}, {"description", "One plan, or the two that are compared"}}},
        {"error", {{"$ref", "../common.schema.json#/$defs/error"}}},
        {"exit", {{"$ref", "../common.schema.json#/$defs/exit"}}}}},
      {"required", {"schema", "profiles"}},
      {"additionalProperties", false}};
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "fuselab profile --json"},
          {"oneOf", nlohmann::json::array({document, {{"$ref", "../common.schema.json#/$defs/failure"}}})}};
}

}  // namespace fuselab::engine
