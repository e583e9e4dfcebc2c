// SPDX-License-Identifier: Apache-2.0
// --- Barriers that count ---
extern "C" {
void fl_host_phase_init(void* barrier, int arrivals, int line);
void fl_host_phase_publish();
void fl_host_phase_arrive(void* barrier, int bytes, int line);
void fl_host_phase_wait(void* barrier, int parity, int line);
void fl_host_barrier_of(int number, int threads, int line);
}
FL_DEVICE void fl_phase_init(unsigned long long* barrier, int arrivals, int line = __builtin_LINE()) {
  fl_host_phase_init(barrier, arrivals, line);
}
FL_DEVICE void fl_phase_publish() {
  fl_host_phase_publish();
}
FL_DEVICE void fl_phase_arrive(unsigned long long* barrier, int line = __builtin_LINE()) {
  fl_host_phase_arrive(barrier, 0, line);
}
FL_DEVICE void fl_phase_expect(unsigned long long* barrier, int bytes, int line = __builtin_LINE()) {
  fl_host_phase_arrive(barrier, bytes, line);
}
FL_DEVICE void fl_phase_wait(unsigned long long* barrier, int parity, int line = __builtin_LINE()) {
  fl_host_phase_wait(barrier, parity, line);
}
FL_DEVICE void fl_barrier_of(int number, int threads, int line = __builtin_LINE()) {
  fl_host_barrier_of(number, threads, line);
}
FL_HOST_UNWATCHED static void fl_host_nothing(void* const*) {}
FL_DEVICE bool fl_first_lane_elected(int line = __builtin_LINE()) {
  fl_host_together(32, fl_host_nothing, nullptr, line);  // all lanes must be there
  return (fl_host_thread() & 31) == 0;
}
