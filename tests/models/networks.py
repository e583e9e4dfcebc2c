# SPDX-License-Identifier: Apache-2.0
"""Small networks with random weights, written as people write them in PyTorch: what an exporter makes of them is the test."""
import math

import torch
from torch import nn
from torch.nn import functional as F


class Residual(nn.Module):
    def __init__(self, channels, out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, out, 3, stride, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU(inplace=True),
            nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.BatchNorm2d(out))
        same = stride == 1 and channels == out
        self.short = nn.Identity() if same else nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 32, 7, 2, 3, bias=False), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.stages = nn.Sequential(Residual(32, 32, 1), Residual(32, 64, 2), Residual(64, 128, 2), Residual(128, 128, 1))
        self.head = nn.Linear(128, 100)

    def forward(self, x):
        x = self.stages(self.stem(x))
        return self.head(torch.flatten(F.adaptive_avg_pool2d(x, 1), 1))


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.down, self.up = nn.Conv2d(channels, channels // 4, 1), nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        return x * F.hardsigmoid(self.up(F.relu(self.down(x.mean((2, 3), keepdim=True)))))


class InvertedResidual(nn.Module):
    def __init__(self, channels, out, stride, excite):
        super().__init__()
        wide = channels * 4
        self.keep = stride == 1 and channels == out
        layers = [nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.Hardswish(),
                  nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.Hardswish()]
        layers += [SqueezeExcite(wide)] if excite else []
        self.body = nn.Sequential(*layers, nn.Conv2d(wide, out, 1, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        return x + self.body(x) if self.keep else self.body(x)


class MobileNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.Hardswish(), InvertedResidual(16, 24, 2, False), InvertedResidual(24, 24, 1, True),
            InvertedResidual(24, 40, 2, True), InvertedResidual(40, 40, 1, True), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(40, 100), nn.Dropout(0.2))

    def forward(self, x):
        return self.body(x)


class ConvNext(nn.Module):
    """Depthwise convolutions, LayerNorm over channels that stand last, GELU."""

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.spatial = nn.Conv2d(width, width, 7, padding=3, groups=width)
            self.norm = nn.LayerNorm(width, eps=1e-6)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.scale = nn.Parameter(torch.full((width,), 0.1))

        def forward(self, x):
            y = self.norm(self.spatial(x).permute(0, 2, 3, 1))
            return x + (self.scale * self.narrow(F.gelu(self.wide(y)))).permute(0, 3, 1, 2)

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 48, 4, 4)
        self.blocks = nn.Sequential(*(ConvNext.Block(48) for _ in range(3)))
        self.norm, self.head = nn.LayerNorm(48), nn.Linear(48, 100)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.stem(x)).mean((2, 3))))


class UNet(nn.Module):
    """Group norms, SiLU, transposed convolution, a concatenation across the valley."""

    def __init__(self):
        super().__init__()
        block = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, 1, 1), nn.GroupNorm(8, b), nn.SiLU())
        self.down, self.deep = block(3, 32), nn.Sequential(nn.MaxPool2d(2), block(32, 64), block(64, 64))
        self.up, self.out = nn.ConvTranspose2d(64, 32, 2, 2), nn.Sequential(block(64, 32), nn.Conv2d(32, 3, 1))

    def forward(self, x):
        top = self.down(x)
        return self.out(torch.cat([self.up(self.deep(top)), top], 1))


class Generator(nn.Module):
    """DCGAN's: transposed convolutions from a vector to a picture."""

    def __init__(self):
        super().__init__()
        step = lambda a, b, stride, pad: [nn.ConvTranspose2d(a, b, 4, stride, pad, bias=False), nn.BatchNorm2d(b), nn.ReLU(True)]
        self.body = nn.Sequential(*step(64, 128, 1, 0), *step(128, 64, 2, 1), *step(64, 32, 2, 1),
                                  nn.ConvTranspose2d(32, 3, 4, 2, 1, bias=False), nn.Tanh())

    def forward(self, z):
        return self.body(z)


class Upscaler(nn.Module):
    """Super-resolution: PReLU, PixelShuffle, a nearest-neighbour enlargement beside it."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 32, 5, 1, 2), nn.PReLU(32), nn.Conv2d(32, 32, 3, 1, 1), nn.PReLU(32),
                                  nn.Conv2d(32, 12, 3, 1, 1), nn.PixelShuffle(2))

    def forward(self, x):
        return self.body(x) + F.interpolate(x, scale_factor=2, mode="nearest")


class VisionTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 96, 8, 8)
        self.token, self.places = nn.Parameter(torch.zeros(1, 1, 96)), nn.Parameter(torch.randn(1, 65, 96) * 0.02)
        layer = nn.TransformerEncoderLayer(96, 4, 192, activation="gelu", batch_first=True, norm_first=True)
        self.encoder, self.head = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(96, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.encoder(x)[:, 0])


class Bert(nn.Module):
    """Embeddings, written-out attention with a mask, post-norm, erf GELU."""

    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads, self.size = heads, width // heads
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

        def split(self, x):
            return x.view(x.shape[0], x.shape[1], self.heads, self.size).permute(0, 2, 1, 3)

        def forward(self, x, mask):
            q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
            scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.size) + mask
            mixed = torch.matmul(torch.softmax(scores, -1), v).permute(0, 2, 1, 3).flatten(2)
            x = self.norm1(x + self.out(mixed))
            return self.norm2(x + self.narrow(F.gelu(self.wide(x))))

    def __init__(self, width=128, heads=4, layers=2):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(1000, width), nn.Embedding(128, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(Bert.Layer(width, heads) for _ in range(layers))
        self.pool = nn.Linear(width, width)

    def forward(self, ids, kinds, mask):
        places = torch.arange(ids.shape[1]).unsqueeze(0)
        x = self.norm(self.words(ids) + self.places(places) + self.kinds(kinds))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


class Gpt(nn.Module):
    """One matrix for Q, K and V, a causal mask, the tanh GELU, logits by the embedding's transpose."""

    class Layer(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            b, s, w = x.shape
            q, k, v = (t.view(b, s, self.heads, w // self.heads).transpose(1, 2) for t in self.qkv(self.norm1(x)).split(w, 2))
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(mixed.transpose(1, 2).reshape(b, s, w))
            return x + self.narrow(F.gelu(self.wide(self.norm2(x)), approximate="tanh"))

    def __init__(self, width=128, heads=4, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(1000, width), nn.Embedding(128, width)
        self.layers, self.norm = nn.ModuleList(Gpt.Layer(width, heads) for _ in range(layers)), nn.LayerNorm(width)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.words.weight.t()


class Llama(nn.Module):
    """RMSNorm written out, rotary embedding by halves, grouped queries, SwiGLU."""

    class Norm(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(width))

        def forward(self, x):
            return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    class Layer(nn.Module):
        def __init__(self, width, heads, shared):
            super().__init__()
            self.heads, self.shared, self.size = heads, shared, width // heads
            linear = lambda a, b: nn.Linear(a, b, bias=False)
            self.q, self.k, self.v = linear(width, width), linear(width, shared * self.size), linear(width, shared * self.size)
            self.out, self.gate, self.up, self.down = (linear(a, b) for a, b in (
                (width, width), (width, 3 * width), (width, 3 * width), (3 * width, width)))
            self.norm1, self.norm2 = Llama.Norm(width), Llama.Norm(width)

        @staticmethod
        def rotate(x, cos, sin):
            a, b = x.chunk(2, -1)
            return x * cos + torch.cat((-b, a), -1) * sin

        def forward(self, x, cos, sin, mask):
            b, s, w = x.shape
            y = self.norm1(x)
            heads = lambda t, n: t.view(b, s, n, self.size).transpose(1, 2)
            q, k = self.rotate(heads(self.q(y), self.heads), cos, sin), self.rotate(heads(self.k(y), self.shared), cos, sin)
            v = heads(self.v(y), self.shared)
            k, v = (t.repeat_interleave(self.heads // self.shared, 1) for t in (k, v))
            scores = q @ k.transpose(2, 3) / math.sqrt(self.size) + mask
            x = x + self.out((F.softmax(scores, -1) @ v).transpose(1, 2).reshape(b, s, w))
            y = self.norm2(x)
            return x + self.down(F.silu(self.gate(y)) * self.up(y))

    def __init__(self, width=128, heads=4, shared=2, layers=2, longest=64):
        super().__init__()
        self.words = nn.Embedding(1000, width)
        self.layers = nn.ModuleList(Llama.Layer(width, heads, shared) for _ in range(layers))
        self.norm, self.head = Llama.Norm(width), nn.Linear(width, 1000, bias=False)
        size = width // heads
        angles = torch.outer(torch.arange(longest).float(), 10000 ** (-torch.arange(0, size, 2).float() / size))
        angles = torch.cat((angles, angles), -1)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())

    def forward(self, ids):
        s = ids.shape[1]
        mask = torch.full((s, s), float("-inf")).triu(1)
        x = self.words(ids)
        for layer in self.layers:
            x = layer(x, self.cos[:s], self.sin[:s], mask)
        return self.head(self.norm(x))


class SpeechEncoder(nn.Module):
    """Whisper's front: two one-dimensional convolutions, then layers."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(40, 96, 3, padding=1), nn.Conv1d(96, 96, 3, 2, 1)
        layer = nn.TransformerEncoderLayer(96, 4, 192, activation="gelu", batch_first=True, norm_first=True)
        self.places, self.encoder = nn.Parameter(torch.randn(50, 96) * 0.02), nn.TransformerEncoder(layer, 1)

    def forward(self, x):
        x = F.gelu(self.conv2(F.gelu(self.conv1(x)))).transpose(1, 2) + self.places
        return self.encoder(x)


class Mixer(nn.Module):
    """MLP-Mixer: matrix products along tokens and along channels, transposes between."""

    def __init__(self):
        super().__init__()
        mlp = lambda n: nn.Sequential(nn.Linear(n, 2 * n), nn.GELU(), nn.Linear(2 * n, n))
        self.patches, self.norm1, self.norm2 = nn.Conv2d(3, 64, 8, 8), nn.LayerNorm(64), nn.LayerNorm(64)
        self.tokens, self.channels, self.head = mlp(64), mlp(64), nn.Linear(64, 10)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return self.head((x + self.channels(self.norm2(x))).mean(1))


class Detector(nn.Module):
    """A detection head: strides, leaky ReLU, sigmoid, exponential boxes, the best places."""

    def __init__(self):
        super().__init__()
        step = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.LeakyReLU(0.1))
        self.body, self.scores, self.boxes = nn.Sequential(step(3, 16), step(16, 32), step(32, 64)), nn.Conv2d(64, 5, 1), nn.Conv2d(64, 4, 1)

    def forward(self, x):
        x = self.body(x)
        scores = self.scores(x).sigmoid().flatten(2).amax(1)
        boxes = self.boxes(x).exp().clamp(max=64.0).flatten(2)
        best, places = scores.topk(10)
        return best, torch.gather(boxes, 2, places.unsqueeze(1).expand(-1, 4, -1))


def image(side):
    return (torch.randn(1, 3, side, side),)


def words(length=32):
    return (torch.randint(0, 1000, (1, length)),)


def networks():
    """Name, network, example inputs, the names of inputs, the axes that stay open."""
    seen = {0: "batch", 1: "seq"}
    ids = words()[0]
    mask = torch.ones_like(ids)
    return [
        ("resnet", ResNet(), image(64), ["image"], {}),
        ("mobilenet", MobileNet(), image(64), ["image"], {}),
        ("convnext", ConvNext(), image(64), ["image"], {}),
        ("unet", UNet(), image(32), ["image"], {}),
        ("dcgan", Generator(), (torch.randn(1, 64, 1, 1),), ["noise"], {}),
        ("upscaler", Upscaler(), image(32), ["image"], {}),
        ("vit", VisionTransformer(), image(64), ["image"], {}),
        ("mixer", Mixer(), image(64), ["image"], {}),
        ("bert", Bert(), (ids, torch.zeros_like(ids), mask), ["ids", "kinds", "mask"], {"ids": seen, "kinds": seen, "mask": seen}),
        ("gpt", Gpt(), words(), ["ids"], {"ids": seen}),
        ("llama", Llama(), words(), ["ids"], {}),
        ("speech", SpeechEncoder(), (torch.randn(1, 40, 100),), ["frames"], {}),
        ("detector", Detector(), image(64), ["image"], {}),
    ]
