/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

enum { kMostEntries = 65534, kLongestName = 128 }; /* as many as a zip may have */

static fl_status map_file(int folder, const char* name, fl_zip_entry* entry, fl_error* error) {
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0 && errno == ELOOP) return fl_fail(error, FL_CORRUPT, "'%.80s' is a link, which is not followed", name);
  if (file < 0) return fl_fail(error, FL_IO, "'%.80s': %s", name, strerror(errno));
  struct stat facts;
  fl_status status = FL_OK;
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    status = fl_fail(error, FL_CORRUPT, "'%.80s' is no regular file", name);
  } else if (facts.st_size > 0) {
    void* const data = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED) {
      status = fl_fail(error, FL_OUT_OF_MEMORY, "'%.80s': %s", name, strerror(errno));
    } else {
      entry->data = data;
      entry->bytes = (size_t)facts.st_size;
    }
  }
  close(file);
  return status;
}

/* Adds the file of that name below its folder; `prefix` is the folder's own: "" or "kernels/". */
static fl_status add_file(int folder, const char* prefix, const char* name, fl_zip* zip, fl_error* error) {
  char whole[kLongestName];
  const int bytes = snprintf(whole, sizeof whole, "%s%s", prefix, name);
  if (bytes < 0 || bytes >= kLongestName || !fl_belongs_into_bundle(whole, (size_t)bytes))
    return fl_fail(error, FL_CORRUPT, "file '%s%.80s' does not belong into a bundle", prefix, name);
  if (zip->count == kMostEntries) return fl_fail(error, FL_CORRUPT, "it holds too many files");
  if ((zip->count & (zip->count - 1)) == 0) { /* room for twice as many, whenever their number is a power of two */
    fl_zip_entry* const more = realloc(zip->entries, (2 * zip->count + 1) * sizeof *more);
    if (more == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the list of its files");
    zip->entries = more;
  }
  char* const kept = strdup(whole);
  if (kept == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the list of its files");
  fl_zip_entry* const entry = &zip->entries[zip->count++];
  *entry = (fl_zip_entry){kept, (size_t)bytes, (const unsigned char*)"", 0};
  return strcmp(prefix, "sources/") == 0 ? FL_OK : map_file(folder, name, entry, error);
}

static fl_status walk(int folder, const char* prefix, fl_zip* zip, fl_error* error);

static fl_status walk_inner(int folder, const char* name, fl_zip* zip, fl_error* error) {
  const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (inner >= 0) return walk(inner, strcmp(name, "kernels") == 0 ? "kernels/" : "sources/", zip, error);
  const int is_other = errno == ELOOP || errno == ENOTDIR;
  return fl_fail(error, is_other ? FL_CORRUPT : FL_IO, "'%s': %s", name, is_other ? "this is no folder" : strerror(errno));
}

/* Closes the folder. */
static fl_status walk(int folder, const char* prefix, fl_zip* zip, fl_error* error) {
  DIR* const entries = fdopendir(folder);
  if (entries == NULL) {
    close(folder);
    return fl_fail(error, FL_IO, "the folder cannot be read: %s", strerror(errno));
  }
  fl_status status = FL_OK;
  while (status == FL_OK) {
    errno = 0;
    const struct dirent* const each = readdir(entries);
    if (each == NULL && errno != 0) status = fl_fail(error, FL_IO, "the folder cannot be read: %s", strerror(errno));
    if (each == NULL) break;
    const char* const name = each->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    const int is_folder = *prefix == '\0' && (strcmp(name, "kernels") == 0 || strcmp(name, "sources") == 0);
    status = is_folder ? walk_inner(folder, name, zip, error) : add_file(folder, prefix, name, zip, error);
  }
  closedir(entries);
  return status;
}

static int order(const void* a, const void* b) {
  return strcmp(((const fl_zip_entry*)a)->name, ((const fl_zip_entry*)b)->name);
}

fl_status fl_folder_read(int folder, fl_zip* zip, fl_error* error) {
  memset(zip, 0, sizeof *zip);
  const fl_status status = walk(folder, "", zip, error);
  if (status != FL_OK) {
    fl_folder_free(zip);
  } else if (zip->count > 0) {
    qsort(zip->entries, zip->count, sizeof *zip->entries, order); /* as fl_zip_find() expects them */
  }
  return status;
}

void fl_folder_free(fl_zip* zip) {
  for (size_t i = 0; i < zip->count; ++i) {
    free((void*)(uintptr_t)zip->entries[i].name);
    if (zip->entries[i].bytes > 0) munmap((void*)(uintptr_t)zip->entries[i].data, zip->entries[i].bytes);
  }
  free(zip->entries);
  memset(zip, 0, sizeof *zip);
}
