// SPDX-License-Identifier: Apache-2.0
// needs:
// For whoever loads this: how often an index was out of range so far, the last one, and how many entries there are.
int64_t fuselab_wrong_index[3];
__attribute__((noinline, cold)) static int64_t fl_wrong_index(int64_t index, int64_t extent) {
  __atomic_fetch_add(&fuselab_wrong_index[0], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&fuselab_wrong_index[1], index, __ATOMIC_RELAXED);
  __atomic_store_n(&fuselab_wrong_index[2], extent, __ATOMIC_RELAXED);
  return index < 0 ? 0 : extent - 1;
}
// A place from memory: one out of range is counted, and the nearest is taken instead.
static inline int64_t fl_whole_place(int64_t place, int64_t extent) {
  return (uint64_t)place < (uint64_t)extent ? place : fl_wrong_index(place, extent);
}
// The same, where negative ones count from the end.
static inline int64_t fl_whole_index(int64_t index, int64_t extent) {
  const int64_t place = index < 0 ? index + extent : index;
  return (uint64_t)place < (uint64_t)extent ? place : fl_wrong_index(index, extent);
}
