// SPDX-License-Identifier: Apache-2.0
// needs:
// Notes how often an index was out of range so far, this one, and how many entries there are.
static long fl_wrong_index(long index, long extent, __global long* met) {
  atomic_inc((volatile __global int*)met);
  met[1] = index;
  met[2] = extent;
  return index < 0 ? 0 : extent - 1;
}
// A place from memory: one out of range is counted, and the nearest is taken instead.
static long fl_whole_place(long place, long extent, __global long* met) {
  return place >= 0 && place < extent ? place : fl_wrong_index(place, extent, met);
}
// The same, where negative ones count from the end.
static long fl_whole_index(long index, long extent, __global long* met) {
  const long place = index < 0 ? index + extent : index;
  return place >= 0 && place < extent ? place : fl_wrong_index(index, extent, met);
}
