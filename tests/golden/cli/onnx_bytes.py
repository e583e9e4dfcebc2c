# SPDX-License-Identifier: Apache-2.0
"""Writes small ONNX models and NumPy's array files with nothing but Python's own library."""
import struct

FLOAT, INT64 = 1, 7


def field(number, content):
    """One field of a protobuf message: a number, a text or a message."""
    def varint(rest):
        return bytes([rest]) if rest < 128 else bytes([rest % 128 + 128]) + varint(rest // 128)
    if isinstance(content, int):
        return varint(number * 8) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number * 8 + 2) + varint(len(content)) + content


def value(name, extents, element=FLOAT):
    """ValueInfoProto; an extent is a number, a name, or None where it has neither."""
    dimensions = b"".join(field(1, b"" if each is None else field(1 if isinstance(each, int) else 2, each)) for each in extents)
    return field(1, name) + field(2, field(1, field(1, element) + field(2, dimensions)))


def tensor(name, extents, numbers, element=FLOAT):
    """TensorProto with its numbers."""
    packed = struct.pack(f"<{len(numbers)}{'f' if element == FLOAT else 'q'}", *numbers)
    return b"".join(field(1, each) for each in extents) + field(2, element) + field(8, name) + field(9, packed)


def node(operator, inputs, outputs, domain=""):
    named = field(3, "n_" + outputs[0])
    return b"".join(field(1, each) for each in inputs) + b"".join(field(2, each) for each in outputs) + named + field(4, operator) + field(7, domain)


def model(nodes, inputs, outputs, weights=(), opsets=(("", 18),)):
    """ModelProto of one graph."""
    parts = [(1, nodes), (5, weights), (11, inputs), (12, outputs)]
    graph = field(2, "g") + b"".join(field(number, each) for number, several in parts for each in several)
    return field(1, 9) + field(7, graph) + b"".join(field(8, field(1, domain) + field(2, version)) for domain, version in opsets)


def npy(extents, numbers, kind="<f4"):
    """An array file: '<f4' or '<i8'."""
    shape = "".join(f"{each}, " for each in extents)
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}{'f' if kind == '<f4' else 'q'}", *numbers)
