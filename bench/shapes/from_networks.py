"""Writes bench/shapes/networks.txt: the layers in which the networks of bench/cuda/networks spend their time.

    python3 bench/shapes/from_networks.py [--check]

The program needs torch and torchvision, but no device. Each network runs once on PyTorch's meta device (shapes without
data), and a hook records each convolution. From each network the program takes the distinct layers with the largest
share of the network's time. It also takes, of each special kind (transposed, dilated or asymmetric filter), the layer
with the largest share. The time of a layer is estimated by the floor (the least time that a device allows) of its
forward pass in bf16, times the number of such layers. --check writes nothing, and exits with status 1 if the file
differs.
"""

import collections
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cuda"))

import networks  # noqa: E402
from shapes import Layer, floor_ms  # noqa: E402

FILE = HERE / "networks.txt"

# For each network: its short name, its batch and the number of layers that are taken. Batches of 1 and 8 stand for
# inference.
PARTS = (
    ("densenet121", "densenet", 128, 4), ("inception_v3", "inception", 128, 3), ("r2plus1d_18", "r2plus1d", 16, 3),
    ("fcos_resnet50", "fcos", 4, 4), ("deeplabv3_resnet50", "deeplab", 8, 4), ("nnunet_3d", "nnunet", 2, 6),
    ("image_decoder", "imagedec", 4, 4), ("video_decoder", "videodec", 1, 4), ("wav2vec2", "wav2vec2", 8, 2),
    ("hifigan", "hifigan", 16, 5), ("edsr", "edsr", 4, 3), ("resnet50", "resnet_b1", 1, 3),
    ("resnet50", "resnet_b8", 8, 3), ("efficientnet_b0", "effnet_b8", 8, 4),
)

HEADER = """\
# Layers of networks that public.txt lacks. Written by bench/shapes/from_networks.py: do not edit.
#
# The columns are those of public.txt. A value of pad, stride and dil may be a list with commas, one for each spatial
# dimension. The comment of a row has the number of such layers in the network, and the share that they have of the time of
# all its convolutions, estimated by floors (bf16, forward).
"""


def text(values):
    """Returns one number if the values of all dimensions are equal, otherwise a list."""
    return str(values[0]) if len(set(values)) == 1 else ",".join(map(str, values))


def columns(module, shape):
    """Returns the columns of a convolution with this input. A transposed convolution is the gradient (backward-data) of
    another convolution, and is written as this other convolution."""
    n, _, *extents = shape
    kernel, pad, stride, dil = (list(values) for values in (module.kernel_size, module.padding, module.stride, module.dilation))
    inputs, outputs = module.in_channels, module.out_channels
    if module.transposed:
        extents = [(e - 1) * s - 2 * p + d * (k - 1) + o + 1 for e, s, p, d, k, o in
                   zip(extents, stride, pad, dil, kernel, module.output_padding)]
        inputs, outputs = outputs, inputs
    if len(extents) == 1:  # a layer with one spatial dimension gets a height of 1 and a kernel height of 1
        extents, kernel = [1, *extents], [1, *kernel]
    depth = [] if len(extents) == 3 else [0]
    return " ".join(map(str, [n, inputs, *depth, *extents, outputs, *depth, *kernel, text(pad), text(stride), text(dil),
                              module.groups]))


def layers_of(name, batch):
    """Counts how often a network has each convolution: (transposed, columns) and the number."""
    network, found = networks.all_networks()[name], collections.Counter()

    def note(module, arguments, _):
        if isinstance(module, torch.nn.modules.conv._ConvNd):
            found[module.transposed, columns(module, arguments[0].shape)] += 1

    model = network.make().to("meta").eval()
    for module in model.modules():
        module.register_forward_hook(note)
    with torch.no_grad():
        model(network.inputs(batch, device="meta"))
    return found


def kind(key):
    """Returns whether the convolution is transposed, whether it is dilated, and in which
    dimensions the filter is longer than 1."""
    transposed, shape = key
    layer = Layer(f"layer {shape}")
    deep = tuple(extent > 1 for extent, size in zip(layer.kernel, layer.input) if size > 1)
    return transposed, max(layer.dil) > 1, deep if len(set(deep)) > 1 else None


def chosen(keys, wanted):
    """Returns the first `wanted` convolutions, and the first convolution of each special kind. The keys have to be
    sorted by decreasing time."""
    firsts = {}
    for key in keys:
        firsts.setdefault(kind(key), key)
    return [key for key in keys if key in keys[:wanted] or key in firsts.values()]


def rows(name, short, batch, wanted):
    found = layers_of(name, batch)
    times = {key: count * floor_ms(Layer(f"layer {key[1]}"), "forward", "bf16") for key, count in found.items()}
    yield f"# --- {networks.all_networks()[name].source}; batch {batch} ---"
    for i, key in enumerate(chosen(sorted(times, key=times.get, reverse=True), wanted), 1):
        transposed, shape = key
        yield (f"{'tconv_' if transposed else ''}{short}_{i} {shape}  # x{found[key]}, "
               f"{100 * times[key] / sum(times.values()):.1f} %")


def main():
    text_of_file = HEADER + "\n".join(line for part in PARTS for line in rows(*part)) + "\n"
    if sys.argv[1:] == ["--check"]:
        sys.exit(FILE.read_text() != text_of_file)
    FILE.write_text(text_of_file)


if __name__ == "__main__":
    main()
