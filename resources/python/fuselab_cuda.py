# SPDX-License-Identifier: Apache-2.0
"""PyTorch's Inductor for CUDA devices that are not here. It compiles; nothing is loaded, timed or run.

PyTorch asks a device for its properties wherever it compiles for one. A stand-in answers, under names that PyTorch may change.
"""
import os
import re
from types import SimpleNamespace

from fuselab_common import Refused, write_file
from fuselab_plan import PlanOfCalls
from fuselab_torch import import_torch
from fuselab_triton import cubin_resources, import_triton


def stand_in_device(torch, device):
    """What is asked of a device while code is written for it."""
    from torch._dynamo.device_interface import CudaInterface
    properties, capability = SimpleNamespace(**device), (device["major"], device["minor"])
    answers = {"is_available": True, "device_count": 1, "current_device": 0, "get_device_properties": properties, "synchronize": None,
               "get_device_capability": capability, "get_device_name": device["name"], "_lazy_init": None, "_exchange_device": 0,
               "_maybe_exchange_device": 0, "set_device": None, "set_rng_state": None, "get_raw_stream": 0, "is_triton_capable": True,
               "get_compute_capability": 10 * capability[0] + capability[1], "raise_if_triton_unavailable": None}
    for name, value in answers.items():
        for each in (torch.cuda, CudaInterface):
            if hasattr(each, name):
                setattr(each, name, staticmethod(lambda *_, value=value, **__: value))
    torch.cuda.get_rng_state = lambda *_, **__: torch.zeros(16, dtype=torch.uint8)
    CudaInterface.Worker.get_device_properties = staticmethod(lambda *_, **__: properties)
    CudaInterface.Worker.current_device = staticmethod(lambda *_: 0)
    import triton
    from triton.backends.compiler import GPUTarget
    target = GPUTarget("cuda", 10 * capability[0] + capability[1], device["warp_size"])
    triton.runtime.driver.set_active(SimpleNamespace(get_current_target=lambda: target, get_current_device=lambda: 0))


def scattered(inp, src, view_ops):
    """What a write into a part returns. PyTorch's own compares extents by a copy, which asks the driver."""
    return inp


def compile_alone(torch, kernels):
    """Nothing that Inductor does for a device is left but writing code: no table is traced with real tensors, no kernel is loaded."""
    from torch._inductor.fx_passes import fuse_attention, joint_graph, misc_patterns, pad_mm, reinplace
    from torch._inductor.runtime import triton_helpers, triton_heuristics
    for module, name in ((pad_mm, "_pad_mm_init"), (misc_patterns, "_misc_patterns_init"), (triton_helpers, "set_driver_to_gpu")):
        setattr(module, name, lambda *_, **__: None)
    find_attention = fuse_attention._sfdp_init
    fuse_attention._sfdp_init = lambda *_: find_attention(torch.device("cpu"))
    fuse_attention._scaled_dot_product_attention = Attention(torch)
    reinplace._inplace_generalized_scatter.__code__ = scattered.__code__  # tables hold the function itself
    # It folds constants with real tensors.
    full, deduce = torch.ops.aten.full.default, joint_graph.UniformValueConstantFolder._deduce_value

    def deduce_on_processor(folder, node):
        if node.target is full and node.kwargs.get("device") is not None:
            return full([1], node.args[1], dtype=node.kwargs.get("dtype"))
        return deduce(folder, node)

    joint_graph.UniformValueConstantFolder._deduce_value = deduce_on_processor

    def precompile(tuner, *_, **__):
        # Which configuration is best, only a device tells: the first one stands for all.
        kernels.append((tuner.inductor_meta.get("kernel_name") or tuner.fn.__name__, len(tuner.configs),
                        tuner._precompile_config(tuner.configs[0]).kernel, text_of(tuner.fn.fn)))

    triton_heuristics.CachingAutotuner.precompile = precompile


class Attention:
    """Takes the place of scaled_dot_product_attention, which asks the driver which kernel to take."""

    def __init__(self, torch):
        self._schema = torch.ops.aten.scaled_dot_product_attention.default._schema
        self.torch, self.aten = torch, torch.ops.aten

    def __call__(self, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
        if enable_gqa and query.shape[-3] != key.shape[-3]:
            key, value = (each.repeat_interleave(query.shape[-3] // key.shape[-3], -3) for each in (key, value))
        in_16_bits = query.dtype in (self.torch.float16, self.torch.bfloat16)
        four = all(each.dim() == 4 for each in (query, key, value))
        same = query.shape[-1] == key.shape[-1] == value.shape[-1] <= 256
        if four and same and in_16_bits and attn_mask is None and query.shape[-1] % 8 == 0:
            return self.aten._scaled_dot_product_flash_attention(query, key, value, 0.0, is_causal, False, scale=scale)[0]
        if four and same and (in_16_bits or query.dtype == self.torch.float32):
            bias = None if attn_mask is None else attn_mask.expand(*query.shape[:-1], key.shape[-2])
            return self.aten._scaled_dot_product_efficient_attention(query, key, value, bias, False, 0.0, is_causal, scale=scale)[0]
        return self.aten._scaled_dot_product_attention_math(query, key, value, attn_mask, 0.0, is_causal, scale=scale)[0]


def start(request, state):
    """A process stands in for one device: PyTorch remembers what it asked."""
    torch = import_torch(request["kept"], state)
    import_triton()
    if "device" not in state:
        state["kernels"] = []
        stand_in_device(torch, request["device"])
        compile_alone(torch, state["kernels"])
        state["device"] = request["device"]
    if state["device"] != request["device"]:
        raise Refused("internal", "this process stands in for another device")
    return torch


def text_of(function):
    """The file that holds a kernel alone, whose lines the kernel's code names."""
    with open(function.__code__.co_filename, "rb") as file:
        return file.read()


def described(name, configs, made, text, path):
    write_file(path, made.asm["cubin"])
    return {"name": name, "configs": configs, "warps": made.metadata.num_warps, "stages": made.metadata.num_stages, "text_bytes": len(text),
            "dynamic_shared_bytes": made.metadata.shared, "bytes": len(made.asm["cubin"]), **cubin_resources(path)}


def counted(pattern, lines):
    counts = {}
    for name in (found.group(found.lastindex) for line in lines for found in re.finditer(pattern, line)):
        counts[name] = counts.get(name, 0) + 1
    return counts


def inductor_compile_cuda(request, blob, state):
    torch = start(request, state)
    from torch._inductor.graph import GraphLowering
    from torch._subclasses import FakeTensorMode
    kernels, texts = state["kernels"], []
    kernels.clear()
    GraphLowering.save_output_code = staticmethod(texts.append)
    plan = PlanOfCalls(torch, request["plan"], "cuda:0")
    attention = torch.ops.aten.scaled_dot_product_attention.default
    plan.calls = [(Attention(torch) if form is attention else form, *rest) for form, *rest in plan.calls]
    try:
        with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad(), torch._inductor.config.patch(
                {"compile_threads": 1, "use_static_cuda_launcher": False, "fx_graph_cache": False, "force_disable_caches": True}):
            program, given = plan.exported(plan.results, request["plan"]["inputs"])
            torch._inductor.compile(program.module(), list(given))
    except Refused:
        raise
    except Exception as failure:
        kind = "io" if isinstance(failure, OSError) else "memory" if isinstance(failure, MemoryError) else "compile"
        raise Refused(kind, f"{type(failure).__name__}: {failure}") from failure
    lines = [line for text in texts for line in text.splitlines() if line.startswith("  ") and not line.lstrip().startswith("#")]
    path = os.path.join(state["cache"], "kernel.cubin")
    made = [described(*each, path) for each in kernels]
    launches = counted(r"\b(triton_\w+)\.run\(", lines)
    calls = counted(r"\bextern_kernels\.(\w+)\(|\btorch\.ops\.\w+\.(\w+)(?:\.\w+)?\(", lines)
    text = "\n".join(texts).encode()
    return ({"kernels": [{**each, "launches": launches.get(each["name"], 0)} for each in made], "calls": calls},
            text + b"".join(source + made.asm["cubin"] for _, _, made, source in kernels))
