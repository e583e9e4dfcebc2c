/* SPDX-License-Identifier: Apache-2.0 */
#include "zip.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

/* PKWARE's APPNOTE.TXT, 4.3: sizes of the fixed parts of the records, and their signatures. */
enum { kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kLongestName = 128 };
static const uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;

static uint32_t u16(const unsigned char* at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static uint32_t u32(const unsigned char* at) {
  return u16(at) | u16(at + 2) << 16;
}

static int name_is_plain(const unsigned char* name, size_t bytes) {
  if (bytes == 0 || bytes > kLongestName || name[0] == '/' || name[0] == '.') return 0;
  for (size_t i = 0; i < bytes; ++i) {
    const unsigned char c = name[i];
    const int plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '/';
    if (!plain || (i > 0 && (c == '.' || c == '/') && (name[i - 1] == '.' || name[i - 1] == '/'))) return 0;
  }
  return 1;
}

static int is_after(const fl_zip_entry* before, const unsigned char* name, size_t bytes) {
  const size_t shared = before->name_bytes < bytes ? before->name_bytes : bytes;
  const int order = memcmp(before->name, name, shared);
  return order < 0 || (order == 0 && before->name_bytes < bytes);
}

/* Reads the local record of an entry: it must say what the directory says, and lie behind everything before it. */
static int read_local(const unsigned char* data, size_t directory, const unsigned char* central, size_t* next,
                      fl_zip_entry* entry) {
  const size_t at = u32(central + 42);
  if (at != *next || directory - at < kLocalBytes) return 0;
  const unsigned char* const local = data + at;
  if (u32(local) != kLocalMark || memcmp(local + 6, central + 8, 20) != 0) return 0; /* flags … sizes */
  const size_t name_bytes = u16(local + 26), extra_bytes = u16(local + 28);
  if (name_bytes != entry->name_bytes || directory - at - kLocalBytes < name_bytes + extra_bytes) return 0;
  if (memcmp(local + kLocalBytes, entry->name, name_bytes) != 0) return 0;
  const size_t begin = at + kLocalBytes + name_bytes + extra_bytes;
  if (directory - begin < entry->bytes) return 0;
  entry->data = data + begin;
  *next = begin + entry->bytes;
  return 1;
}

static fl_status read_entries(const unsigned char* data, size_t directory, size_t end, fl_zip* zip, fl_error* error) {
  size_t at = directory, next = 0;
  for (size_t i = 0; i < zip->count; ++i) {
    const unsigned char* const central = data + at;
    if (end - at < kCentralBytes || u32(central) != kCentralMark)
      return fl_fail(error, FL_CORRUPT, "the directory of the file is damaged");
    const size_t name_bytes = u16(central + 28);
    const unsigned char* const name = central + kCentralBytes;
    if (u16(central + 8) != 0 || u16(central + 10) != 0 || u32(central + 20) != u32(central + 24) || u16(central + 30) != 0 ||
        u16(central + 32) != 0 || end - at - kCentralBytes < name_bytes)
      return fl_fail(error, FL_CORRUPT, "an entry of the file is not as an export writes it");
    if (!name_is_plain(name, name_bytes)) return fl_fail(error, FL_CORRUPT, "an entry of the file has a name that is not allowed");
    fl_zip_entry* const entry = &zip->entries[i];
    if (i > 0 && !is_after(&zip->entries[i - 1], name, name_bytes))
      return fl_fail(error, FL_CORRUPT, "an entry of the file is there twice, or out of order");
    entry->name = (const char*)name;
    entry->name_bytes = name_bytes;
    entry->bytes = u32(central + 24);
    if (!read_local(data, directory, central, &next, entry))
      return fl_fail(error, FL_CORRUPT, "entry '%.*s' is not where the directory says", (int)name_bytes, entry->name);
    at += kCentralBytes + name_bytes;
  }
  if (at != end || next != directory) return fl_fail(error, FL_CORRUPT, "the file holds bytes that belong to no entry");
  return FL_OK;
}

fl_status fl_zip_read(const unsigned char* data, size_t bytes, fl_zip* zip, fl_error* error) {
  memset(zip, 0, sizeof *zip);
  if (bytes < 4 || u32(data) != kLocalMark) return fl_fail(error, FL_CORRUPT, "this is no bundle");
  const unsigned char* const tail = bytes < kEndBytes ? NULL : data + bytes - kEndBytes;
  if (tail == NULL || u32(tail) != kEndMark || u16(tail + 20) != 0)
    return fl_fail(error, FL_CORRUPT, "the end of the file is missing: it was cut, or something was added");
  const size_t end = bytes - kEndBytes, directory_bytes = u32(tail + 12), directory = u32(tail + 16);
  if (u32(tail + 4) != 0 || u16(tail + 8) != u16(tail + 10) || directory > end || end - directory != directory_bytes)
    return fl_fail(error, FL_CORRUPT, "the directory of the file is damaged");
  zip->count = u16(tail + 10);
  zip->entries = calloc(zip->count + 1, sizeof *zip->entries);
  if (zip->entries == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the directory of the file");
  const fl_status status = read_entries(data, directory, end, zip, error);
  if (status != FL_OK) fl_zip_free(zip);
  return status;
}

void fl_zip_free(fl_zip* zip) {
  free(zip->entries);
  memset(zip, 0, sizeof *zip);
}

int fl_belongs_into_bundle(const char* name, size_t bytes) {
  static const char* const known[] = {"manifest.json", "signature", "weights.bin"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (bytes == strlen(known[i]) && memcmp(name, known[i], bytes) == 0) return 1;
  }
  static const char* const formats[] = {".so", ".cubin", ".hsaco"};
  int is_kernel = 0;
  for (size_t i = 0; i < sizeof formats / sizeof *formats && bytes > 8 + 64 && memcmp(name, "kernels/", 8) == 0; ++i)
    is_kernel |= bytes - 72 == strlen(formats[i]) && memcmp(name + 72, formats[i], bytes - 72) == 0;
  const int is_source = bytes == 8 + 64 + 2 && memcmp(name, "sources/", 8) == 0 && memcmp(name + 72, ".c", 2) == 0;
  return (is_kernel || is_source) && name_is_plain((const unsigned char*)name, bytes) && memchr(name + 8, '/', bytes - 8) == NULL;
}

const fl_zip_entry* fl_zip_find(const fl_zip* zip, const char* name) {
  const size_t bytes = strlen(name);
  size_t low = 0, high = zip->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const fl_zip_entry* const entry = &zip->entries[middle];
    if (entry->name_bytes == bytes && memcmp(entry->name, name, bytes) == 0) return entry;
    if (is_after(entry, (const unsigned char*)name, bytes)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}
