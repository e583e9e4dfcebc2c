/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FUSELAB_LOADER_JSON_H
#define FUSELAB_LOADER_JSON_H

#include "fuselab_loader.h"

/* A strict JSON reader (RFC 8259) for manifests: UTF-8 only, no duplicate keys, at most 32 levels, 256 members in an object. */

typedef enum fl_json_kind {
  FL_JSON_NULL,
  FL_JSON_BOOL,
  FL_JSON_NUMBER,
  FL_JSON_STRING,
  FL_JSON_ARRAY,
  FL_JSON_OBJECT
} fl_json_kind;

typedef struct fl_json_node {
  fl_json_kind kind;
  uint32_t children; /* of arrays and objects; they follow each other by `next` */
  uint32_t first;    /* index of the first child; 0: none */
  uint32_t next;     /* index of the next sibling; 0: none */
  const char* key;   /* in an object; else null */
  const char* text;  /* of strings, decoded, and of numbers, as written; ends with a zero and holds no other */
  int truth;
} fl_json_node;

/* Owns its nodes and their text. The document is nodes[0]. */
typedef struct fl_json {
  fl_json_node* nodes;
  uint32_t count, capacity;
  char* text;
} fl_json;

fl_status fl_json_parse(const char* text, size_t bytes, fl_json* json, fl_error* error);
void fl_json_free(fl_json* json);

/* Returns the member of an object, or null. */
const fl_json_node* fl_json_member(const fl_json* json, const fl_json_node* object, const char* key);
/* Iterates children: null at the end. */
const fl_json_node* fl_json_first(const fl_json* json, const fl_json_node* parent);
const fl_json_node* fl_json_next(const fl_json* json, const fl_json_node* node);

#endif
