/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_ZIP_H
#define FUSELAB_LOADER_ZIP_H

#include "fuselab_loader.h"

/* The zip files that `fuselab export` writes, and no others: entries are stored, in the order of their names, one behind the other,
 * without a comment; names are lower-case letters, digits, '.', '/' and '-', and none leads upwards. */

typedef struct fl_zip_entry {
  const char* name; /* not ended by a zero; points into the file */
  size_t name_bytes;
  const unsigned char* data;
  size_t bytes;
} fl_zip_entry;

typedef struct fl_zip {
  fl_zip_entry* entries;
  size_t count;
} fl_zip;

/* Does not copy: the entries point into `data`. */
fl_status fl_zip_read(const unsigned char* data, size_t bytes, fl_zip* zip, fl_error* error);
void fl_zip_free(fl_zip* zip);
/* Returns 1 for the names that entries of a bundle have: manifest.json, signature, weights.bin, kernels/<64 characters>.so,
 * .cubin or .hsaco, sources/<64 characters>.c. */
int fl_belongs_into_bundle(const char* name, size_t bytes);
/* Returns the entry, or null. */
const fl_zip_entry* fl_zip_find(const fl_zip* zip, const char* name);

#endif
