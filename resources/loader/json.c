/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum { kDeepest = 32, kMostMembers = 256 };

typedef struct reader {
  fl_json* json;
  const char *at, *end; /* of the text as it came */
  char* out;            /* where decoded strings go: never more bytes than were read */
  fl_error* error;
  const char* begin;
} reader;

static fl_status bad(reader* r, const char* what) {
  return fl_fail(r->error, FL_CORRUPT, "its manifest is no JSON at byte %zu: %s", (size_t)(r->at - r->begin), what);
}

static void skip_space(reader* r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) ++r->at;
}

static fl_status add_node(reader* r, uint32_t* index) {
  fl_json* json = r->json;
  if (json->count == json->capacity) {
    const uint32_t capacity = json->capacity == 0 ? 256 : json->capacity * 2;
    fl_json_node* nodes = capacity > (1u << 24) ? NULL : realloc(json->nodes, capacity * sizeof *nodes);
    if (nodes == NULL) return fl_fail(r->error, FL_OUT_OF_MEMORY, "no memory for the manifest");
    json->nodes = nodes;
    json->capacity = capacity;
  }
  *index = json->count++;
  memset(&json->nodes[*index], 0, sizeof json->nodes[0]);
  return FL_OK;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static int four_digits(reader* r, uint32_t* code) {
  if (r->end - r->at < 4) return 0;
  *code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(r->at[i]);
    if (digit < 0) return 0;
    *code = *code * 16 + (uint32_t)digit;
  }
  r->at += 4;
  return 1;
}

static void put_utf8(reader* r, uint32_t code) {
  if (code < 0x80) {
    *r->out++ = (char)code;
  } else if (code < 0x800) {
    *r->out++ = (char)(0xC0 | (code >> 6));
    *r->out++ = (char)(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *r->out++ = (char)(0xE0 | (code >> 12));
    *r->out++ = (char)(0x80 | ((code >> 6) & 0x3F));
    *r->out++ = (char)(0x80 | (code & 0x3F));
  } else {
    *r->out++ = (char)(0xF0 | (code >> 18));
    *r->out++ = (char)(0x80 | ((code >> 12) & 0x3F));
    *r->out++ = (char)(0x80 | ((code >> 6) & 0x3F));
    *r->out++ = (char)(0x80 | (code & 0x3F));
  }
}

static fl_status read_escape(reader* r) {
  if (r->at >= r->end) return bad(r, "it is cut short");
  const char c = *r->at++;
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char* known = c == '\0' ? NULL : strchr(from, c);
  if (known != NULL) {
    *r->out++ = to[known - from];
    return FL_OK;
  }
  uint32_t code = 0, low = 0;
  if (c != 'u' || !four_digits(r, &code)) return bad(r, "an escape that JSON does not know");
  if (code >= 0xD800 && code < 0xDC00) {
    if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u') return bad(r, "half a surrogate pair");
    r->at += 2;
    if (!four_digits(r, &low) || low < 0xDC00 || low > 0xDFFF) return bad(r, "half a surrogate pair");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    return bad(r, "half a surrogate pair");
  }
  if (code == 0) return bad(r, "a zero in a text");
  put_utf8(r, code);
  return FL_OK;
}

/* Copies one well-formed UTF-8 sequence of more than one byte. */
static int copy_utf8(reader* r) {
  const unsigned char first = (unsigned char)*r->at;
  const int length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || r->end - r->at < length) return 0;
  uint32_t code = first & (0x7Fu >> length);
  for (int i = 1; i < length; ++i) {
    const unsigned char next = (unsigned char)r->at[i];
    if ((next & 0xC0) != 0x80) return 0;
    code = (code << 6) | (next & 0x3Fu);
  }
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
  for (int i = 0; i < length; ++i) *r->out++ = *r->at++;
  return 1;
}

static fl_status read_string(reader* r, const char** text) {
  if (r->at >= r->end || *r->at != '"') return bad(r, "a text was expected");
  ++r->at;
  *text = r->out;
  while (r->at < r->end && *r->at != '"') {
    const unsigned char c = (unsigned char)*r->at;
    if (c < 0x20) return bad(r, "a control character in a text");
    if (c == '\\') {
      ++r->at;
      const fl_status status = read_escape(r);
      if (status != FL_OK) return status;
    } else if (c < 0x80) {
      *r->out++ = *r->at++;
    } else if (!copy_utf8(r)) {
      return bad(r, "a text that is no UTF-8");
    }
  }
  if (r->at >= r->end) return bad(r, "it is cut short");
  ++r->at;
  *r->out++ = '\0'; /* in the place of the quotes */
  return FL_OK;
}

static int digits(reader* r) {
  const char* const start = r->at;
  while (r->at < r->end && *r->at >= '0' && *r->at <= '9') ++r->at;
  return r->at > start;
}

static fl_status read_number(reader* r, fl_json_node* node) {
  const char* const start = r->at;
  if (r->at < r->end && *r->at == '-') ++r->at;
  if (r->at < r->end && *r->at == '0') {
    ++r->at;
  } else if (!digits(r)) {
    return bad(r, "a value was expected");
  }
  if (r->at < r->end && *r->at == '.') {
    ++r->at;
    if (!digits(r)) return bad(r, "a digit was expected");
  }
  if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
    ++r->at;
    if (r->at < r->end && (*r->at == '+' || *r->at == '-')) ++r->at;
    if (!digits(r)) return bad(r, "a digit was expected");
  }
  node->kind = FL_JSON_NUMBER;
  node->text = r->out;
  memcpy(r->out, start, (size_t)(r->at - start));
  r->out += r->at - start;
  *r->out++ = '\0';
  return FL_OK;
}

static fl_status read_word(reader* r, fl_json_node* node) {
  static const struct {
    const char* word;
    fl_json_kind kind;
    int truth;
  } words[] = {{"null", FL_JSON_NULL, 0}, {"true", FL_JSON_BOOL, 1}, {"false", FL_JSON_BOOL, 0}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
    const size_t length = strlen(words[i].word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i].word, length) != 0) continue;
    r->at += length;
    node->kind = words[i].kind;
    node->truth = words[i].truth;
    return FL_OK;
  }
  return bad(r, "a value was expected");
}

static fl_status read_value(reader* r, uint32_t* index, int depth);

static fl_status check_new(const reader* r, uint32_t parent, const char* key) {
  uint32_t child = r->json->nodes[parent].first;
  for (; child != 0; child = r->json->nodes[child].next) {
    if (strcmp(r->json->nodes[child].key, key) == 0) return fl_fail(r->error, FL_CORRUPT, "its manifest has '%s' twice", key);
  }
  return FL_OK;
}

static fl_status read_children(reader* r, uint32_t parent, int depth) {
  const int object = *r->at == '{';
  const char close = object ? '}' : ']';
  ++r->at;
  r->json->nodes[parent].kind = object ? FL_JSON_OBJECT : FL_JSON_ARRAY;
  uint32_t last = 0;
  skip_space(r);
  if (r->at < r->end && *r->at == close) {
    ++r->at;
    return FL_OK;
  }
  for (;;) {
    skip_space(r);
    const char* key = NULL;
    fl_status status = FL_OK;
    if (object) {
      if (r->json->nodes[parent].children == kMostMembers) return bad(r, "too many members");
      status = read_string(r, &key);
      if (status == FL_OK) status = check_new(r, parent, key);
      if (status != FL_OK) return status;
      skip_space(r);
      if (r->at >= r->end || *r->at != ':') return bad(r, "':' was expected");
      ++r->at;
    }
    uint32_t child = 0;
    status = read_value(r, &child, depth + 1);
    if (status != FL_OK) return status;
    r->json->nodes[child].key = key;
    if (last == 0) {
      r->json->nodes[parent].first = child;
    } else {
      r->json->nodes[last].next = child;
    }
    last = child;
    ++r->json->nodes[parent].children;
    skip_space(r);
    if (r->at >= r->end) return bad(r, "it is cut short");
    const char c = *r->at++;
    if (c == close) return FL_OK;
    if (c != ',') return bad(r, "',' was expected");
  }
}

static fl_status read_value(reader* r, uint32_t* index, int depth) {
  if (depth > kDeepest) return bad(r, "nested too deeply");
  const fl_status added = add_node(r, index);
  if (added != FL_OK) return added;
  skip_space(r);
  if (r->at >= r->end) return bad(r, "it is cut short");
  if (*r->at == '{' || *r->at == '[') return read_children(r, *index, depth);
  fl_json_node* const node = &r->json->nodes[*index]; /* stays where it is: nothing is added below */
  if (*r->at == '"') {
    node->kind = FL_JSON_STRING;
    return read_string(r, &node->text);
  }
  if (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')) return read_number(r, node);
  return read_word(r, node);
}

fl_status fl_json_parse(const char* text, size_t bytes, fl_json* json, fl_error* error) {
  memset(json, 0, sizeof *json);
  /* A text loses its two quotes and gains a zero; a number gains a zero and has a separator behind it, but for the very last. */
  json->text = malloc(bytes + 2);
  if (json->text == NULL) return fl_fail(error, FL_OUT_OF_MEMORY, "no memory for the manifest");
  reader r = {json, text, text + bytes, json->text, error, text};
  uint32_t root = 0;
  fl_status status = read_value(&r, &root, 0);
  if (status == FL_OK) {
    skip_space(&r);
    if (r.at != r.end) status = bad(&r, "something follows its end");
  }
  if (status != FL_OK) fl_json_free(json);
  return status;
}

void fl_json_free(fl_json* json) {
  free(json->nodes);
  free(json->text);
  memset(json, 0, sizeof *json);
}

const fl_json_node* fl_json_first(const fl_json* json, const fl_json_node* parent) {
  return parent->first == 0 ? NULL : &json->nodes[parent->first];
}

const fl_json_node* fl_json_next(const fl_json* json, const fl_json_node* node) {
  return node->next == 0 ? NULL : &json->nodes[node->next];
}

const fl_json_node* fl_json_member(const fl_json* json, const fl_json_node* object, const char* key) {
  if (object == NULL || object->kind != FL_JSON_OBJECT) return NULL;
  for (const fl_json_node* child = fl_json_first(json, object); child != NULL; child = fl_json_next(json, child)) {
    if (strcmp(child->key, key) == 0) return child;
  }
  return NULL;
}
