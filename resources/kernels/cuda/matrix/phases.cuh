// SPDX-License-Identifier: Apache-2.0
// A barrier of so many threads of a block, by a number from 1 to 15.
FL_DEVICE void fl_barrier_of(int number, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

#if __CUDA_ARCH__ >= 900
// --- Barriers in shared memory that count arrivals and bytes; phases alternate between parity 0 and 1 ---
FL_DEVICE void fl_phase_init(unsigned long long* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(fl_shared_address(barrier)), "r"(arrivals) : "memory");
}
// Makes initialised barriers visible to the copy engine; a block's barrier follows.
FL_DEVICE void fl_phase_publish() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
FL_DEVICE void fl_phase_arrive(unsigned long long* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(fl_shared_address(barrier)) : "memory");
}
// Arrives, and lets the phase wait for so many bytes.
FL_DEVICE void fl_phase_expect(unsigned long long* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(fl_shared_address(barrier)), "r"(bytes) : "memory");
}
// Until the phase of this parity is complete.
FL_DEVICE void fl_phase_wait(unsigned long long* barrier, int parity) {
  asm volatile(
      "{\n .reg .pred done;\nWAIT_%=:\n mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n @done bra DONE_%=;\n bra "
      "WAIT_%=;\nDONE_%=:\n}" ::"r"(fl_shared_address(barrier)),
      "r"(parity)
      : "memory");
}
// True for one lane, the same one each time. All lanes of the warp call it.
FL_DEVICE bool fl_first_lane_elected() {
  unsigned chosen;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(chosen));
  return chosen != 0;
}
#endif
