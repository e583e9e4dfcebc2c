/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_FOLDER_H
#define FUSELAB_LOADER_FOLDER_H

#include "zip.h"

/* The folders that `fuselab export` writes: the entries of a zip as files of the same names. */

/* Maps the files below an open folder, which it closes, as the entries that fl_zip_read() would give; sources, which nobody runs,
 * have no data. No link is followed, nothing but regular files is opened, and nothing whose name does not belong into a bundle. */
fl_status fl_folder_read(int folder, fl_zip* zip, fl_error* error);
void fl_folder_free(fl_zip* zip);

#endif
