/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "folder.h"

static const size_t kLongestManifest = (size_t)64 << 20;
static const char kKeyTag[] = "fuselab-ed25519 ";

static _Atomic uint64_t g_tuned, g_untuned, g_baseline, g_refused;

void fl_hit_log(fl_hits* hits) {
  hits->tuned = atomic_load(&g_tuned);
  hits->untuned = atomic_load(&g_untuned);
  hits->baseline = atomic_load(&g_baseline);
  hits->refused = atomic_load(&g_refused);
}

static fl_hit_callback g_on_hit;
static void* g_on_hit_user;

void fl_on_hit(fl_hit_callback callback, void* user) {
  g_on_hit = callback;
  g_on_hit_user = user;
}

void fl_tell_hit(fl_hit_kind kind, const char* model, const fl_kernel* kernel, const char* reason) {
  const fl_hit hit = {kind, model, kernel == NULL ? "" : kernel->entry, kernel == NULL ? "" : kernel->target, reason};
  if (g_on_hit != NULL) g_on_hit(g_on_hit_user, &hit);
}

static fl_status refuse(fl_status status, const fl_error* error) {
  atomic_fetch_add(&g_refused, 1);
  fl_tell_hit(FL_HIT_REFUSED, "", NULL, error == NULL ? fl_status_name(status) : error->message);
  return status;
}

static void count(_Atomic uint64_t* counter, uint64_t launches) {
  if (launches > 0) atomic_fetch_add_explicit(counter, launches, memory_order_relaxed);
}

void fl_count_launches(const fl_hits* launches) {
  count(&g_tuned, launches->tuned);
  count(&g_untuned, launches->untuned);
  count(&g_baseline, launches->baseline);
}

void* fl_aligned(size_t bytes) {
  /* Large blocks take large pages where the system gives them: first touching them is most of what opening a bundle costs. */
  static const size_t large = (size_t)2 << 20;
  const size_t alignment = bytes >= 2 * large ? large : kFlAlignment;
  const size_t size = (bytes / alignment + 1) * alignment;
  void* const memory = aligned_alloc(alignment, size);
  if (memory != NULL && alignment == large) madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

static int read_hex(const char* digits, unsigned char* bytes, size_t size) {
  size_t length = 0;
  return sodium_hex2bin(bytes, size, digits, 2 * size, NULL, &length, NULL) == 0 && length == size;
}

static fl_status is_trusted(const unsigned char* signer, const char* const* keys, size_t count, fl_error* error) {
  for (size_t i = 0; i < count; ++i) {
    const char* digits = keys[i] == NULL ? "" : keys[i];
    if (strncmp(digits, kKeyTag, sizeof kKeyTag - 1) == 0) digits += sizeof kKeyTag - 1;
    unsigned char key[crypto_sign_PUBLICKEYBYTES];
    if (strlen(digits) < 2 * sizeof key || !read_hex(digits, key, sizeof key))
      return fl_fail(error, FL_INVALID_ARGUMENT, "trusted key %zu is no public key of 64 hexadecimal digits", i);
    if (memcmp(key, signer, sizeof key) == 0) return FL_OK;
  }
  char text[2 * crypto_sign_PUBLICKEYBYTES + 1];
  sodium_bin2hex(text, sizeof text, signer, crypto_sign_PUBLICKEYBYTES);
  return fl_fail(error, FL_UNTRUSTED, "it was signed by %.12s…, who is not among the trusted keys", text);
}

/* The signature is of the SHA-256 of a short text that names its purpose and the manifest's hash; the manifest has the hashes of
 * all the rest. */
static fl_status check_signature(const fl_zip_entry* manifest, const fl_zip_entry* signature, const char* const* keys, size_t count,
                                 unsigned flags, fl_error* error) {
  if (signature == NULL) {
    if ((flags & FL_ALLOW_UNSIGNED) != 0) return FL_OK;
    return fl_fail(error, FL_UNSIGNED, "nobody signed it: export it again, or allow it with FL_ALLOW_UNSIGNED");
  }
  enum { kTag = sizeof kKeyTag - 1, kKey = 2 * crypto_sign_PUBLICKEYBYTES, kSignature = 2 * crypto_sign_BYTES };
  unsigned char signer[crypto_sign_PUBLICKEYBYTES], bytes[crypto_sign_BYTES], digest[crypto_hash_sha256_BYTES];
  const char* const text = (const char*)signature->data;
  if (signature->bytes != kTag + kKey + 1 + kSignature + 1 || memcmp(text, kKeyTag, kTag) != 0 || text[kTag + kKey] != ' ' ||
      text[signature->bytes - 1] != '\n' || !read_hex(text + kTag, signer, sizeof signer) ||
      !read_hex(text + kTag + kKey + 1, bytes, sizeof bytes))
    return fl_fail(error, FL_CORRUPT, "its signature is damaged");
  char content[] = "fuselab bundle 1 ................................................................\n";
  char hash[2 * crypto_hash_sha256_BYTES + 1];
  fl_hash_text(manifest->data, manifest->bytes, hash);
  memcpy(strchr(content, '.'), hash, sizeof hash - 1);
  crypto_hash_sha256(digest, (const unsigned char*)content, strlen(content));
  if (crypto_sign_verify_detached(bytes, digest, sizeof digest, signer) != 0)
    return fl_fail(error, FL_CORRUPT, "its signature does not fit: the manifest was changed after it was signed");
  const fl_status trusted = is_trusted(signer, keys, count, error);
  return trusted == FL_UNTRUSTED && (flags & FL_ALLOW_UNSIGNED) != 0 ? FL_OK : trusted;
}

static fl_status check_names(const fl_zip* zip, fl_error* error) {
  for (size_t i = 0; i < zip->count; ++i) {
    const fl_zip_entry* const entry = &zip->entries[i];
    if (!fl_belongs_into_bundle(entry->name, entry->name_bytes))
      return fl_fail(error, FL_CORRUPT, "entry '%.*s' does not belong into a bundle", (int)entry->name_bytes, entry->name);
  }
  return FL_OK;
}

static fl_status load_code(fl_bundle* bundle, const fl_kernel* kernel, fl_code** code, fl_error* error) {
  for (size_t i = 0; i < bundle->manifest.kernel_count; ++i) {
    if (bundle->kernels[i].code != NULL && strcmp(bundle->manifest.kernels[i].file, kernel->file) == 0) {
      *code = bundle->kernels[i].code;
      return FL_OK;
    }
  }
  char name[8 + 64 + 3 + 1] = "kernels/";
  memcpy(name + 8, kernel->file, 64);
  memcpy(name + 72, ".so", 4);
  const fl_zip_entry* const entry = fl_zip_find(&bundle->zip, name);
  if (entry == NULL) return fl_fail(error, FL_CORRUPT, "kernel %.12s is missing from the file", kernel->file);
  *code = &bundle->codes[bundle->code_count];
  const fl_status status = fl_code_load(entry->data, entry->bytes, kernel->file, *code, error);
  if (status == FL_OK) ++bundle->code_count;
  return status;
}

/* Decides for each kernel whether it or its baseline runs here. A kernel that no step uses may be for any processor. */
static fl_status choose_kernels(fl_bundle* bundle, fl_error* error) {
  const fl_manifest* const manifest = &bundle->manifest;
  bundle->chosen = calloc(manifest->kernel_count + 1, sizeof *bundle->chosen);
  if (bundle->chosen == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the kernels");
  for (size_t i = 0; i < manifest->kernel_count; ++i) {
    const fl_kernel* const kernel = &manifest->kernels[i];
    bundle->chosen[i] = (uint32_t)i;
    if (!fl_cpu_runs(kernel->target) && kernel->baseline >= 0) bundle->chosen[i] = (uint32_t)kernel->baseline;
  }
  for (size_t p = 0; p < manifest->plan_count; ++p) {
    for (size_t s = 0; s < manifest->plans[p].step_count; ++s) {
      const fl_kernel* const kernel = fl_kernel_of(bundle, &manifest->plans[p].steps[s]);
      if (!fl_cpu_runs(kernel->target))
        return fl_fail(error, FL_UNSUPPORTED_CPU, "its kernels need %.40s, which this processor does not run", kernel->target);
    }
  }
  return FL_OK;
}

const fl_kernel* fl_kernel_of(const fl_bundle* bundle, const fl_step* step) {
  return &bundle->manifest.kernels[bundle->chosen[step->kernel]];
}

static fl_status load_kernel(fl_bundle* bundle, uint32_t index, fl_error* error) {
  const fl_kernel* const kernel = &bundle->manifest.kernels[index];
  fl_loaded_kernel* const loaded = &bundle->kernels[index];
  if (loaded->code != NULL) return FL_OK;
  fl_code* code = NULL;
  const fl_status status = load_code(bundle, kernel, &code, error);
  if (status != FL_OK) return status;
  loaded->code = code;
  loaded->run = fl_code_find(code, kernel->entry);
  if (kernel->prepare_entry != NULL) loaded->prepare = fl_code_find(code, kernel->prepare_entry);
  if (loaded->run == NULL || (kernel->prepare_entry != NULL && loaded->prepare == NULL))
    return fl_fail(error, FL_CORRUPT, "kernel %.12s has no function '%.60s'", kernel->file,
                   loaded->run == NULL ? kernel->entry : kernel->prepare_entry);
  return FL_OK;
}

/* Loads what runs here, and nothing else. */
static fl_status load_kernels(fl_bundle* bundle, fl_error* error) {
  const fl_manifest* const manifest = &bundle->manifest;
  fl_status status = choose_kernels(bundle, error);
  if (status != FL_OK) return status;
  bundle->codes = calloc(manifest->kernel_count + 1, sizeof *bundle->codes);
  bundle->kernels = calloc(manifest->kernel_count + 1, sizeof *bundle->kernels);
  if (bundle->codes == NULL || bundle->kernels == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the kernels");
  for (size_t p = 0; p < manifest->plan_count; ++p) {
    for (size_t s = 0; status == FL_OK && s < manifest->plans[p].step_count; ++s)
      status = load_kernel(bundle, bundle->chosen[manifest->plans[p].steps[s].kernel], error);
  }
  return status;
}

static fl_status take_weights(fl_bundle* bundle, unsigned flags, fl_error* error) {
  const fl_zip_entry* const entry = fl_zip_find(&bundle->zip, "weights.bin");
  const fl_manifest* const manifest = &bundle->manifest;
  if (manifest->weight_bytes == 0) return FL_OK;
  if (entry == NULL || entry->bytes != manifest->weight_bytes)
    return fl_fail(error, FL_CORRUPT, "its weights are missing or of another size than the manifest says");
  bundle->weights = entry->data;
  if ((uintptr_t)entry->data % kFlAlignment != 0) {
    bundle->own_weights = fl_aligned(entry->bytes);
    if (bundle->own_weights == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for %zu bytes of weights", entry->bytes);
    memcpy(bundle->own_weights, entry->data, entry->bytes);
    bundle->weights = bundle->own_weights;
  }
  if ((flags & FL_VERIFY_WEIGHTS) != 0 && !fl_hash_is(bundle->weights, entry->bytes, manifest->weight_hash))
    return fl_fail(error, FL_CORRUPT, "its weights are not those that the manifest vouches for");
  return FL_OK;
}

/* Tells a context how much memory it will take. */
static void count_scratch(fl_bundle* bundle) {
  fl_manifest* const manifest = &bundle->manifest;
  for (size_t p = 0; p < manifest->plan_count; ++p) {
    fl_plan* const plan = &manifest->plans[p];
    uint64_t scratch = 0;
    for (size_t s = 0; s < plan->step_count; ++s) {
      const fl_kernel* const kernel = fl_kernel_of(bundle, &plan->steps[s]);
      if (kernel->scratch_bytes > scratch) scratch = kernel->scratch_bytes;
    }
    plan->facts.scratch_bytes = plan->arena_bytes + scratch * (uint64_t)plan->facts.threads;
  }
}

/* The file may be changed by its owner while it is looked at: what was verified is what is read. */
static fl_status copy_manifest(fl_bundle* bundle, fl_zip_entry* manifest, fl_error* error) {
  bundle->own_manifest = malloc(manifest->bytes + 1);
  if (bundle->own_manifest == NULL)
    return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for a manifest of %zu bytes", manifest->bytes);
  memcpy(bundle->own_manifest, manifest->data, manifest->bytes);
  manifest->data = bundle->own_manifest;
  return FL_OK;
}

static fl_status open_parts(fl_bundle* bundle, const char* const* keys, size_t key_count, unsigned flags, fl_error* error) {
  fl_status status = bundle->from.is_folder ? fl_folder_read(bundle->from.folder, &bundle->zip, error)
                                            : fl_zip_read(bundle->from.data, bundle->from.bytes, &bundle->zip, error);
  bundle->from.folder = -1; /* whoever read it has closed it */
  if (status == FL_OK) status = check_names(&bundle->zip, error);
  if (status == FL_OK && sodium_init() < 0) status = fl_fail(error, FL_IO, "libsodium cannot be initialised");
  if (status != FL_OK) return status;
  const fl_zip_entry* const entry = fl_zip_find(&bundle->zip, "manifest.json");
  if (entry == NULL || entry->bytes > kLongestManifest) return fl_fail(error, FL_CORRUPT, "it has no manifest");
  fl_zip_entry manifest = *entry;
  status = copy_manifest(bundle, &manifest, error);
  /* Whose it is comes first: nothing of a stranger's manifest is looked at. */
  if (status == FL_OK) status = check_signature(&manifest, fl_zip_find(&bundle->zip, "signature"), keys, key_count, flags, error);
  if (status == FL_OK) status = fl_manifest_read(manifest.data, manifest.bytes, &bundle->manifest, error);
  if (status == FL_OK) status = take_weights(bundle, flags, error);
  if (status == FL_OK) status = load_kernels(bundle, error);
  if (status == FL_OK) status = fl_gpu_take_code(bundle, error);
  if (status == FL_OK) status = fl_prepare(bundle, error);
  if (status == FL_OK) count_scratch(bundle);
  return status;
}

static void release(fl_source* from) {
  if (from->is_mapped) munmap((void*)(uintptr_t)from->data, from->bytes);
  if (from->folder >= 0) close(from->folder);
}

static fl_status open_bundle(fl_source from, const char* const* keys, size_t key_count, unsigned flags, fl_bundle** out,
                             fl_error* error) {
  fl_bundle* const bundle = calloc(1, sizeof *bundle);
  fl_status status = FL_OK;
  if (bundle == NULL) {
    release(&from);
    status = fl_fail(error, FL_OUT_OF_MEMORY, "no memory for a bundle");
  } else {
    bundle->from = from;
    bundle->checks_indices = (flags & FL_CHECK_INDICES) != 0;
    status = open_parts(bundle, keys, key_count, flags, error);
  }
  if (status == FL_OK) {
    *out = bundle;
    return fl_fail(error, FL_OK, "%s", "");
  }
  fl_close(bundle);
  return refuse(status, error);
}

fl_status fl_open_memory(const void* data, size_t bytes, const char* const* keys, size_t key_count, unsigned flags, fl_bundle** out,
                         fl_error* error) {
  if (data == NULL || out == NULL || (keys == NULL && key_count > 0))
    return fl_fail(error, FL_INVALID_ARGUMENT, "fl_open_memory() was given a null pointer");
  *out = NULL;
  return open_bundle((fl_source){.data = data, .bytes = bytes, .folder = -1}, keys, key_count, flags, out, error);
}

uint64_t fl_wrong_index_count(const fl_bundle* bundle) {
  uint64_t count = 0;
  for (size_t i = 0; bundle != NULL && i < bundle->code_count; ++i) count += fl_code_wrong_indices(&bundle->codes[i]);
  return count;
}

static fl_status find_source(const char* path, fl_source* from, fl_error* error) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would wait for ever */
  if (file < 0) return fl_fail(error, errno == ENOENT ? FL_NOT_FOUND : FL_IO, "%.150s: %s", path, strerror(errno));
  struct stat facts;
  fl_status status = FL_OK;
  if (fstat(file, &facts) != 0) {
    status = fl_fail(error, FL_IO, "%.150s: %s", path, strerror(errno));
  } else if (S_ISDIR(facts.st_mode)) {
    *from = (fl_source){.is_folder = 1, .folder = file};
    return FL_OK;
  } else if (!S_ISREG(facts.st_mode) || facts.st_size == 0) {
    status = fl_fail(error, FL_CORRUPT, "%.150s: this is no bundle", path);
  } else {
    void* const data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) status = fl_fail(error, FL_OUT_OF_MEMORY, "%.150s: %s", path, strerror(errno));
    *from = (fl_source){.data = data, .bytes = (size_t)facts.st_size, .is_mapped = 1, .folder = -1};
  }
  close(file);
  return status;
}

fl_status fl_open(const char* path, const char* const* keys, size_t key_count, unsigned flags, fl_bundle** out, fl_error* error) {
  if (path == NULL || out == NULL || (keys == NULL && key_count > 0))
    return fl_fail(error, FL_INVALID_ARGUMENT, "fl_open() was given a null pointer");
  *out = NULL;
  fl_source from;
  const fl_status status = find_source(path, &from, error);
  if (status == FL_NOT_FOUND) return status;
  return status == FL_OK ? open_bundle(from, keys, key_count, flags, out, error) : refuse(status, error);
}

void fl_close(fl_bundle* bundle) {
  if (bundle == NULL) return;
  fl_prepared_free(bundle);
  for (size_t i = 0; i < bundle->code_count; ++i) fl_code_unload(&bundle->codes[i]);
  free(bundle->codes);
  free(bundle->kernels);
  free(bundle->chosen);
  free(bundle->own_weights);
  free(bundle->own_manifest);
  fl_gpu_free(&bundle->manifest);
  fl_manifest_free(&bundle->manifest);
  (bundle->from.is_folder ? fl_folder_free : fl_zip_free)(&bundle->zip);
  release(&bundle->from);
  free(bundle);
}
