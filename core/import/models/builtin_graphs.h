// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/models/onnx_writer.h"

namespace fuselab::onnx {

// These return the built-in models, operator by operator as exporters write them.
OnnxWriter resnet50();
OnnxWriter bert_layer();
OnnxWriter llama_layer();
// Decodes one token with a cache of 127 earlier ones.
OnnxWriter llama_decode();

}  // namespace fuselab::onnx
