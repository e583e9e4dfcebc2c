// SPDX-License-Identifier: Apache-2.0
// needs:
#ifdef __HIP__
// For the host, which loads this: how often an index was out of range so far, the last one, and how many entries there are.
extern "C" {
__attribute__((device, used)) long long fuselab_wrong_index[3];
}
FL_DEVICE void fl_note_wrong_index(long long index, long long extent) {
  __hip_atomic_fetch_add(fuselab_wrong_index, 1ll, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  fuselab_wrong_index[1] = index;
  fuselab_wrong_index[2] = extent;
}
#else  // the SIMT executor of the tests, which knows no memory but the arguments
FL_DEVICE void fl_note_wrong_index(long long, long long) {}
#endif
// A place from memory: one out of range is counted, and the nearest is taken instead.
FL_DEVICE long long fl_whole_place(long long place, long long extent) {
  if (place >= 0 && place < extent) return place;
  fl_note_wrong_index(place, extent);
  return place < 0 ? 0 : extent - 1;
}
// The same, where negative ones count from the end.
FL_DEVICE long long fl_whole_index(long long index, long long extent) {
  const long long place = index < 0 ? index + extent : index;
  if (place >= 0 && place < extent) return place;
  fl_note_wrong_index(index, extent);
  return place < 0 ? 0 : extent - 1;
}
