#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_model.py LIBRARY BUNDLE KEY [FILE...]: what run_model.c does, through ctypes. LIBRARY is libfuselab_loader.so."""
import ctypes
import pathlib
import sys


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("message", ctypes.c_char * 256)]


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_char_p), ("rank", ctypes.c_size_t), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_size_t)]


class Model(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("binding", ctypes.c_char_p), ("input_count", ctypes.c_size_t), ("output_count", ctypes.c_size_t),
                ("inputs", ctypes.POINTER(Tensor)), ("outputs", ctypes.POINTER(Tensor)), ("scratch_bytes", ctypes.c_size_t), ("threads", ctypes.c_int)]


def aligned(size):
    """A buffer at a multiple of 64 bytes: the array that owns it, and the address."""
    owner = ctypes.create_string_buffer(size + 64)
    return owner, ctypes.addressof(owner) + -ctypes.addressof(owner) % 64


def main():
    library, bundle_file, key, *files = sys.argv[1:]
    loader, error = ctypes.CDLL(library), Error()
    loader.fl_model_at.restype = ctypes.POINTER(Model)

    def check(status):
        if status != 0:
            sys.exit(error.message.decode())

    bundle, context = ctypes.c_void_p(), ctypes.c_void_p()
    keys = (ctypes.c_char_p * 1)(key.encode())
    check(loader.fl_open(bundle_file.encode(), keys, ctypes.c_size_t(1), 0, ctypes.byref(bundle), ctypes.byref(error)))
    first, inputs, index = loader.fl_model_at(bundle, ctypes.c_size_t(0)).contents, [pathlib.Path(file).read_bytes() for file in files], ctypes.c_size_t()
    if len(inputs) > first.input_count:
        sys.exit(f"the model has {first.input_count} inputs, {len(inputs)} files were given")
    # Shapes are compared where there are any, and sizes in bytes; at other extents the inputs have the same names.
    given = (Tensor * len(inputs))(*(Tensor(name=first.inputs[i].name, bytes=len(data)) for i, data in enumerate(inputs)))
    check(loader.fl_find_fitting(bundle, None, given, ctypes.c_size_t(len(inputs)), ctypes.byref(index), ctypes.byref(error)))
    check(loader.fl_context_create(bundle, index, None, None, ctypes.byref(context), ctypes.byref(error)))
    model = loader.fl_model_at(bundle, index).contents
    held = []
    for tensor, data in zip(given, inputs):
        held.append(aligned(len(data)))
        ctypes.memmove(held[-1][1], data, len(data))
        check(loader.fl_bind_input(context, tensor.name, ctypes.c_void_p(held[-1][1]), ctypes.c_size_t(len(data)), ctypes.byref(error)))
    outputs = [aligned(model.outputs[i].bytes) for i in range(model.output_count)]
    for i, (_, address) in enumerate(outputs):
        tensor = model.outputs[i]
        check(loader.fl_bind_output(context, tensor.name, ctypes.c_void_p(address), ctypes.c_size_t(tensor.bytes), ctypes.byref(error)))
    check(loader.fl_run(context, ctypes.byref(error)))
    for i, (_, address) in enumerate(outputs):
        pathlib.Path(f"output-{i}.bin").write_bytes(ctypes.string_at(address, model.outputs[i].bytes))
    loader.fl_context_destroy(context)
    loader.fl_close(bundle)


if __name__ == "__main__":
    main()
