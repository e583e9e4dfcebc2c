# SPDX-License-Identifier: Apache-2.0
"""Calls of PyTorch as a function that Inductor takes."""
import math

from fuselab_common import Refused


def functional_form(operators, overload):
    """The form of an operator that returns what another form writes into tensors that it is given."""
    wanted = [(each.name, str(each.type)) for each in overload._schema.arguments if not each.is_out]
    for name in operators.overloads():
        form = getattr(operators, name)
        if [(each.name, str(each.type)) for each in form._schema.arguments] == wanted:
            return form
    raise Refused("unsupported", f"{overload} has no form that returns its result")


class PlanOfCalls:
    """Calls as `backends/torch` makes them, on views of numbered places, as a function of tensors that returns what it writes."""

    def __init__(self, torch, plan, device="cpu"):
        self.torch, self.plan, self.device = torch, plan, device
        self.types = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i64": torch.int64, "i32": torch.int32,
                      "u8": torch.uint8, "i8": torch.int8, "bool": torch.bool}
        self.whole = {}  # place: its first tensor, which is all of it
        for index, (place, *_) in enumerate(plan["tensors"]):
            self.whole.setdefault(place, index)
        self.calls = []
        for name, overload, letters, arguments, copied_to in plan["calls"]:
            operators = getattr(torch.ops.aten, name.partition("::")[2])
            form = getattr(operators, overload or "default")
            written = [i for i, each in enumerate(form._schema.arguments) if each.is_out]
            self.calls.append((functional_form(operators, form) if written else form, letters, arguments, written, copied_to))

    def filled(self, index, value):
        _, dtype, extents, *_ = self.plan["tensors"][index]
        return self.torch.full(extents, value, dtype=self.types[dtype], device=self.device)

    def exported(self, function, places):
        """The function of this many places as a program, and tensors as it takes them."""
        class Model(self.torch.nn.Module):
            def forward(self, *given):
                return function(*given)

        given = tuple(self.filled(self.whole[place], 0) for place in range(places))
        return self.torch.export.export(Model(), given, strict=False), given

    def layout(self, index):
        """The axes of a view from the slowest to the fastest, without those that repeat or have one element."""
        _, _, extents, strides, _ = self.plan["tensors"][index]
        axes = [i for i, (extent, stride) in enumerate(zip(extents, strides)) if extent != 1 and stride != 0]
        return sorted(axes, key=lambda i: -strides[i])

    def is_all(self, index):
        place, _, extents, strides, offset = self.plan["tensors"][index]
        elements = 1
        for axis in reversed(self.layout(index)):
            if strides[axis] != elements:
                return False
            elements *= extents[axis]
        return offset == 0 and elements == math.prod(self.plan["tensors"][self.whole[place]][2])

    def as_axes(self, base, index):
        """A part of dense memory as axes whose strides divide each other: a slice of each, which Inductor looks through."""
        _, _, extents, strides, offset = self.plan["tensors"][index]
        left = base.numel()
        sizes, starts = [], []
        for axis in self.layout(index):
            if left % strides[axis] != 0:
                return None
            sizes.append(left // strides[axis])
            starts.append(offset // strides[axis])
            offset, left = offset % strides[axis], strides[axis]
        if any(start + extents[axis] > size for start, axis, size in zip(starts, self.layout(index), sizes)):
            return None
        part = base.reshape([*sizes, left]).select(len(sizes), offset)
        for position, axis in enumerate(self.layout(index)):
            if sizes[position] != extents[axis]:
                part = part.narrow(position, starts[position], extents[axis])
        return part

    def read(self, index):
        place, dtype, extents, strides, offset = self.plan["tensors"][index]
        if place not in self.values:
            self.values[place] = self.filled(self.whole[place], 0)
        base = self.values[place]
        if index == self.whole[place]:
            return base
        part = self.as_axes(base, index)
        if part is None:
            return base.reshape(-1).as_strided(extents, strides, offset)
        axes = self.layout(index)
        part = part.permute([axes.index(i) for i in sorted(axes)])
        return part.reshape([extent if i in axes else 1 for i, extent in enumerate(extents)]).expand(extents)

    def write(self, index, result):
        place, dtype, extents, strides, offset = self.plan["tensors"][index]
        if 0 in extents:
            return
        result = result.to(self.types[dtype]).expand(extents)
        whole = self.plan["tensors"][self.whole[place]][2]
        if index == self.whole[place]:
            self.values[place] = result
        elif self.is_all(index):
            axes = self.layout(index)
            kept = result.reshape([extents[i] for i in sorted(axes)])
            self.values[place] = kept.permute([sorted(axes).index(i) for i in axes]).reshape(whole)
        elif len(whole) == len(extents):
            base = self.values.get(place, self.filled(self.whole[place], 0))
            self.values[place] = self.torch.as_strided_scatter(base, result, extents, strides, offset)
        else:
            raise Refused("unsupported", "a part of memory is written under other axes")

    def argument(self, letter, value):
        if value is not None and letter in "to":
            return self.read(value)
        if letter in "vw":
            return [None if each is None else self.read(each) for each in value]
        return float.fromhex(value) if isinstance(value, str) and letter in "fgc" else value

    def into_given(self, *given):
        """Writes results where the caller wants them: as in PyTorch's own `out=`, no copy follows."""
        inputs = self.plan["inputs"]
        for destination, result in zip(given[inputs:], self.results(*given[:inputs])):
            destination.copy_(result)
        return given[0].new_empty(0)

    def results(self, *given):
        self.values = dict(enumerate(given))
        for place, value in self.plan["numbers"]:
            self.values[place] = self.filled(self.whole[place], float.fromhex(value))
        for form, letters, arguments, written, copied_to in self.calls:
            if form is self.torch.ops.aten.copy_.default or form is self.torch.ops.aten.fill_.Tensor:
                self.write(arguments[0], self.read(arguments[1]))
                continue
            # In a schema what is written comes last, by name.
            passed = {each.name: self.argument(letters[i], arguments[i]) for i, each in enumerate(form._schema.arguments)}
            positional = [passed.pop(each.name) for each in form._schema.arguments if not each.kwarg_only]
            results = form(*positional, **passed)
            results = results if isinstance(results, (tuple, list)) else (results,)
            for position, index in enumerate(written):
                self.write(arguments[index], results[position])
            if copied_to >= 0:
                self.write(copied_to, results[0])
        return tuple(self.values[place] for place in range(self.plan["inputs"], self.plan["arguments"]))
