// SPDX-License-Identifier: Apache-2.0
#include "core/profile/vocabulary.h"

#include <algorithm>
#include <iterator>

namespace fuselab {
namespace {

constexpr std::string_view kGeneric = "CPUs with a PMU that the kernel drives";
constexpr std::string_view kSoftware = "every Linux";
constexpr std::string_view kDevices = "devices whose backend has a collector that counts it";
constexpr std::string_view kCollector = "the device's collector";
constexpr std::string_view kNvidia = "NVIDIA's GPUs, by CUPTI's range profiler; it never met a GPU";
constexpr std::string_view kAmdGpus = "AMD's GPUs, by rocprofiler-sdk; it never met a GPU";
constexpr std::string_view kGpus = "NVIDIA's GPUs, by CUPTI's range profiler, and AMD's, by rocprofiler-sdk; neither met a GPU";
constexpr std::string_view kCdnaGpus =
    "NVIDIA's GPUs, by CUPTI's range profiler, and AMD's CDNA, by rocprofiler-sdk; neither met a GPU";
constexpr std::string_view kCdnaOnly = "AMD's CDNA, by rocprofiler-sdk; it never met a GPU";
constexpr std::string_view kCuda = "CUDA, on a device or for a target; AMD, for a target";
constexpr std::string_view kAmd = "AMD, for a target";
constexpr std::string_view kPtxas = "ptxas -v in NVRTC's log, the cubin's .nv.info, or the notes of AMD's code object";
constexpr std::string_view kOpenCl = "OpenCL";
constexpr std::string_view kTopDown = "Intel from Ice Lake on (event `slots`)";

constexpr MetricInfo kVocabulary[] = {
    {"task_clock", "time on CPUs", "ns", "", "perf_event: task-clock", kSoftware, ""},
    {"processors_used", "CPUs in use", "ratio", "task_clock / wall time", "derived", kSoftware, "the plan's threads"},
    {"page_faults", "page faults", "count", "", "perf_event: page-faults", kSoftware, "0 once warm"},
    {"context_switches", "context switches", "count", "", "perf_event: context-switches", kSoftware, "0"},
    {"migrations", "migrations to another CPU", "count", "", "perf_event: cpu-migrations", kSoftware, "0: threads are pinned"},
    {"cycles", "CPU cycles", "count", "", "perf_event: cpu-cycles", kGeneric, ""},
    {"frequency", "clock while running", "Hz", "cycles / task_clock; without cycles, a chain of dependent additions is timed",
     "derived", "every x86-64", "the CPU's boost"},
    {"instructions", "instructions retired", "count", "", "perf_event: instructions", kGeneric, ""},
    {"instructions_per_cycle", "instructions per cycle", "ratio", "instructions / cycles", "derived", kGeneric,
     "above 2 where nothing is waited for"},
    {"branches", "branches", "count", "", "perf_event: branch-instructions", kGeneric, ""},
    {"branch_misses", "mispredicted branches", "count", "", "perf_event: branch-misses", kGeneric, "below 1 % of branches"},
    {"cache_loads_l1", "loads that look in L1", "count", "", "perf_event: L1-dcache-loads", kGeneric, ""},
    {"cache_misses_l1", "loads that miss L1", "count", "", "perf_event: L1-dcache-load-misses", kGeneric, ""},
    {"cache_miss_share_l1", "share of loads that miss L1", "ratio", "cache_misses_l1 / cache_loads_l1", "derived", kGeneric,
     "streams of f32: 1 of 16 at most"},
    {"cache_references_last", "accesses to the last cache", "count", "", "perf_event: cache-references", kGeneric, ""},
    {"cache_misses_last", "misses of the last cache", "count", "", "perf_event: cache-misses", kGeneric,
     "compulsory bytes / 64 where the working set exceeds it"},
    {"memory_bytes", "traffic with memory", "B", "64 · cache_misses_last", "derived: lines that missed the last cache", kGeneric,
     "the compulsory bytes"},
    {"tlb_misses", "loads that miss the first TLB", "count", "", "perf_event: dTLB-load-misses", kGeneric,
     "one per page of a stream"},
    {"flops", "floating-point operations", "FLOP",
     "Intel: Σ lanes · FP_ARITH_INST_RETIRED.*; Zen: FpRetSseAvxOps.All (a fused multiply-add counts 2 in both)",
     "perf_event: events that sysfs lists, or the vendor's documented ones", "Intel from Broadwell on, AMD Zen",
     "the graph's, plus what is repeated"},
    {"topdown_retiring", "slots that retired", "ratio", "topdown-retiring / slots", "perf_event: slots group", kTopDown,
     "above 50 %"},
    {"topdown_bad_speculation", "slots lost to speculation", "ratio", "topdown-bad-spec / slots", "perf_event: slots group",
     kTopDown, "below 5 %"},
    {"topdown_frontend_bound", "slots that waited for instructions", "ratio", "topdown-fe-bound / slots", "perf_event: slots group",
     kTopDown, "below 10 %"},
    {"topdown_backend_bound", "slots that waited for data or units", "ratio", "topdown-be-bound / slots", "perf_event: slots group",
     kTopDown, ""},
    {"topdown_memory_bound", "slots that waited for memory", "ratio", "topdown-mem-bound / slots", "perf_event: slots group",
     "Intel from Sapphire Rapids on", ""},
    {"stalled_backend_share", "cycles stalled behind the front end", "ratio", "stalled-cycles-backend / cycles",
     "perf_event: stalled-cycles-backend", "AMD Zen, older Intel", ""},
    {"energy_package", "energy of the package", "J", "", "powercap: intel-rapl:0/energy_uj",
     "Intel, AMD Zen; readable by root alone by default", ""},
    {"device_cycles", "cycles of the device's clock", "count", "", "the device's collector", kDevices, ""},
    {"device_active_share", "time in which a multiprocessor has work", "ratio", "", kCollector, kCdnaGpus,
     "near 1; less where blocks are fewer than multiprocessors"},
    {"device_memory_bytes", "traffic with the device's memory", "B", "", "the device's collector", kDevices,
     "the compulsory bytes"},
    {"device_occupancy", "share of the threads that a multiprocessor could hold", "ratio", "", "the device's collector", kDevices,
     "enough to hide the latency of memory"},
    {"device_time", "time on the device", "ns", "", "the device's collector", kDevices, ""},
    {"device_energy", "energy of the device", "J", "", "the device's collector", kDevices, ""},
    {"device_issue_active", "cycles in which a scheduler issued", "ratio", "", kCollector, kNvidia,
     "near 1 where arithmetic bounds"},
    {"device_instructions", "instructions of warps", "count", "", kCollector, kGpus, ""},
    {"device_eligible_warps", "warps of a scheduler that could issue in a cycle", "count", "", kCollector, kNvidia, "2 or more"},
    {"device_memory_read_bytes", "read from the device's memory", "B", "", kCollector, kGpus, "the compulsory bytes of inputs"},
    {"device_memory_write_bytes", "written to the device's memory", "B", "", kCollector, kGpus, "the compulsory bytes of outputs"},
    {"device_memory_share", "of the peak rate of the device's memory", "ratio", "", kCollector, kNvidia,
     "above 80 % where memory bounds"},
    {"device_l2_bytes", "traffic with the second cache", "B", "", kCollector, kNvidia, ""},
    {"device_l2_sectors", "sectors of 32 B looked up in the second cache", "count", "", kCollector, kNvidia, ""},
    {"device_l2_hits", "sectors, of AMD lines, found in the second cache", "count", "", kCollector, kGpus, ""},
    {"device_l1_bytes", "traffic with the first cache", "B", "", kCollector, kNvidia, ""},
    {"device_l1_hit_share", "accesses found in the first cache", "ratio", "", kCollector, kNvidia, ""},
    {"device_load_sectors", "sectors that global loads touch", "count", "", kCollector, kNvidia, "4 a request of 128 B"},
    {"device_load_requests", "global loads of warps", "count", "", kCollector, kCdnaGpus, ""},
    {"device_shared_conflicts", "bank conflicts in shared memory", "count", "", kCollector, kGpus, "0"},
    {"device_shared_wavefronts", "passes of shared memory", "count", "", kCollector, kGpus, ""},
    {"device_spill_loads", "local loads of warps", "count", "", kCollector, kNvidia, "0"},
    {"device_spill_stores", "local stores of warps", "count", "", kCollector, kNvidia, "0"},
    {"device_tensor_active", "cycles in which the matrix units work", "ratio", "", kCollector, kCdnaGpus,
     "near 1 where products bound"},
    {"device_tensor_instructions", "matrix instructions of warps", "count", "", kCollector, kCdnaGpus, ""},
    {"device_ffma", "fused multiply-adds of threads in f32", "count", "", kCollector, kNvidia, ""},
    {"device_fadd", "additions of threads in f32", "count", "", kCollector, kNvidia, ""},
    {"device_fmul", "multiplications of threads in f32", "count", "", kCollector, kNvidia, ""},
    {"device_stall_long_scoreboard", "warps that wait for data of global or local memory, for each that issues", "ratio", "",
     kCollector, kNvidia, ""},
    {"device_stall_short_scoreboard", "warps that wait for data of shared memory or a special unit, for each that issues", "ratio",
     "", kCollector, kNvidia, ""},
    {"device_stall_barrier", "warps that wait for other warps at a barrier, for each that issues", "ratio", "", kCollector, kNvidia,
     ""},
    {"device_stall_math_pipe_throttle", "warps that wait for a busy unit of arithmetic, for each that issues", "ratio", "",
     kCollector, kNvidia, ""},
    {"device_stall_mio_throttle", "warps that wait for a full queue of shared memory, for each that issues", "ratio", "",
     kCollector, kNvidia, ""},
    {"device_stall_lg_throttle", "warps that wait for a full queue of global memory, for each that issues", "ratio", "", kCollector,
     kNvidia, ""},
    {"device_stall_wait", "warps that wait for the fixed time of an instruction, for each that issues", "ratio", "", kCollector,
     kNvidia, ""},
    {"device_stall_gmma", "warps that wait for matrix instructions of a warp group, for each that issues", "ratio", "", kCollector,
     kNvidia, ""},
    {"device_l2_misses", "accesses that miss the second cache", "count", "", kCollector, kAmdGpus, ""},
    {"device_waves", "wavefronts that were launched", "count", "", kCollector, kAmdGpus, ""},
    {"device_wait_share", "of a wavefront's time, in which it waits", "ratio", "SQ_WAIT_ANY / SQ_WAVE_CYCLES", kCollector, kAmdGpus,
     ""},
    {"device_shared_wait_share", "of a wavefront's time, in which it waits to use shared memory", "ratio",
     "SQ_WAIT_INST_LDS / SQ_WAVE_CYCLES", kCollector, "AMD's GPUs but RDNA 4, by rocprofiler-sdk; it never met a GPU", ""},
    {"device_vector_active", "cycles in which the vector units work", "ratio", "SQ_ACTIVE_INST_VALU / SQ_BUSY_CU_CYCLES",
     kCollector, kCdnaOnly, "near 1 where arithmetic bounds"},
    {"device_vector_instructions", "vector instructions of wavefronts, those of matrices included", "count", "", kCollector,
     kAmdGpus, ""},
    {"device_shared_instructions", "instructions of wavefronts that use shared memory", "count", "", kCollector, kAmdGpus, ""},
    {"device_flat_instructions", "memory instructions of wavefronts with flat addresses", "count", "", kCollector, kAmdGpus, ""},
    {"device_fma_instructions", "fused multiply-adds of wavefronts in f32", "count", "", kCollector, kCdnaOnly, ""},
    {"static_registers", "registers of a thread", "count", "", kPtxas, kCuda, "so many that the blocks still hide latency"},
    {"static_accumulators", "of them accumulation registers of matrix instructions", "count", "", "notes of the code object", kAmd,
     ""},
    {"static_scalar_registers", "registers of a whole wavefront", "count", "", "notes of the code object", kAmd, ""},
    {"static_spill_stores", "spilled by a thread", "B", "", "ptxas -v in NVRTC's log", kCuda, "0"},
    {"static_spill_loads", "spilled values loaded by a thread", "B", "", "ptxas -v in NVRTC's log", kCuda, "0"},
    {"static_stack", "stack frame of a thread", "B", "", kPtxas, kCuda, "0"},
    {"static_shared", "shared memory of a block", "B", "static arrays + what the launch asks for",
     "ptxas -v in NVRTC's log; CL_KERNEL_LOCAL_MEM_SIZE", "CUDA, OpenCL", ""},
    {"static_private", "private memory of a work-item", "B", "", "CL_KERNEL_PRIVATE_MEM_SIZE", kOpenCl, ""},
    {"static_code", "machine code", "B", "", "the cubin", kCuda, ""},
    {"static_threads", "threads of a block", "count", "", "the launch", "CUDA, OpenCL", ""},
    {"static_group_limit", "most work-items in a group of this kernel", "count", "", "CL_KERNEL_WORK_GROUP_SIZE", kOpenCl, ""},
    {"static_group_multiple", "preferred multiple of work-items in a group", "count", "",
     "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", kOpenCl, "divides the group"},
    {"static_blocks", "blocks that fit on a multiprocessor", "count",
     "the least of what registers, shared memory, threads and blocks allow", "derived", kCuda, "2 or more"},
    {"static_occupancy", "share of a multiprocessor's warps that fit", "ratio", "static_blocks · warps of a block / most warps",
     "derived", kCuda, "enough to hide the latency of memory"},
    {"exact_instructions", "instructions of one launch, counted by a simulator", "count", "", "valgrind --tool=callgrind",
     "where valgrind is found and knows the instructions", ""},
    {"exact_instructions_unfused", "instructions of the unfused plan, counted by a simulator", "count", "",
     "valgrind --tool=callgrind", "where valgrind is found and knows the instructions", ""},
};

}  // namespace

std::span<const MetricInfo> metric_vocabulary() {
  return kVocabulary;
}

const MetricInfo* find_metric(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kVocabulary), std::end(kVocabulary), [&](const MetricInfo& info) { return info.name == name; });
  return found == std::end(kVocabulary) ? nullptr : &*found;
}

std::string metrics_page() {
  std::string page =
      "# Metrics of profiles\n\n"
      "One vocabulary over all vendors: `fuselab profile --json` uses these names, whatever the counters of a device are called. "
      "A\n"
      "metric that a machine cannot count has a reason in the place of its value. Figures are per launch of the plan; ratios are "
      "of\n"
      "all launches. An event that took turns with others is extrapolated from its share of the time and marked as scaled. Series "
      "over\n"
      "the time of a launch have the same names, per interval.\n\n"
      "This page is written by `unit_profile_tests --gtest_filter='Vocabulary.*'` (with `FUSELAB_UPDATE_GOLDENS=1`).\n\n"
      "| name | what | unit | formula | source | available | normal |\n|---|---|---|---|---|---|---|\n";
  for (const MetricInfo& info : kVocabulary) {
    page += "| `" + std::string(info.name) + "`";
    for (const std::string_view cell : {info.title, info.unit, info.formula, info.source, info.available, info.normal})
      page += " | " + std::string(cell.empty() ? "–" : cell);
    page += " |\n";
  }
  return page;
}

}  // namespace fuselab
