-- SPDX-License-Identifier: Apache-2.0
-- How it was where a block of trials was timed, while it was. Blocks of before have no row. 0 and '' are unknown or nothing.

CREATE TABLE block_conditions (
  block INTEGER PRIMARY KEY REFERENCES word(no),
  wall_s REAL NOT NULL,  -- from the first warm-up to the last sample
  threads INTEGER NOT NULL,
  steal_s REAL NOT NULL,
  throttled_s REAL NOT NULL,  -- the control groups' quota was used up
  involuntary_switches INTEGER NOT NULL,
  waited_s REAL NOT NULL,
  load REAL NOT NULL,
  runnable INTEGER NOT NULL,
  clock_mhz REAL NOT NULL,
  timing_source TEXT NOT NULL,
  timer_overhead_ns REAL NOT NULL,  -- of two readings with nothing between them: it is in every sample
  timer_resolution_ns REAL NOT NULL,
  timer_timings INTEGER NOT NULL,  -- 0: the two above are unknown
  sensor_readings INTEGER NOT NULL,
  throttle_reasons INTEGER NOT NULL,  -- bits, as NVML numbers them
  core_mhz_low REAL NOT NULL,
  core_mhz_high REAL NOT NULL,
  memory_mhz_low REAL NOT NULL,
  celsius_high REAL NOT NULL,
  watts_high REAL NOT NULL,
  driver TEXT NOT NULL,
  sensors_unknown TEXT NOT NULL,  -- why there are no readings of a device that could have some
  host TEXT NOT NULL,
  origin TEXT NOT NULL
) STRICT;
