// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/content_hash.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab {

// The one text form of a graph. It serves as key, file format, repro line and command-line argument. One line:
//
//   graph(i0: f32[batch,768], p0: param f32[768]) { v0 = Add(i0, p0); v1 = Gelu(v0, approximate="tanh"); return v1 }
//
// Attributes: integers 1, reals 1.0 (shortest text that reads back exactly), strings "x", lists [1,2].
// Several outputs: `v0, v1 = Split(i0, axis=-1)`. An opaque node: `v0: f32[2,3] = Opaque:MyOp(i0)`.
// Annotations about fusing (graph.h): `v1 = Gelu(v0) @NoFusion("why");`, `… @Fusible(max_operations=4, priority=1);`.
// White space is free and `#` comments to the end of a line are skipped when parsing.

// Returns the canonical text: inputs i0…, params p0…, nodes v0… in the order of a depth-first walk from the outputs; nodes that
// reach no output are left out; attributes equal to the ONNX default and annotations are left out. Two graphs that compute the same
// by construction, whatever their names and listing order, have the same text.
std::string canonical_text(const Graph& graph);

// Returns the text for people: the same syntax with the graph's own value names (made unique and valid).
std::string named_text(const Graph& graph);

// Reads either form. The text is untrusted: time and memory are linear in its length, at most 16 MiB.
// Fails with the line, the column and what was expected.
Result<Graph> parse_graph(std::string_view text);

// Returns the SHA-256 of the canonical text.
ContentHash graph_key(const Graph& graph);

}  // namespace fuselab
