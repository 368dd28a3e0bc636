"""The networks whose training steps and layers are measured. An entry has the function that makes the network,
the shape of its input, and the loss of its training. If torchvision has a network, it is taken from torchvision.
The other networks are written here after the paper or the configuration that `source` names."""

import dataclasses
from collections.abc import Callable

import torch


def cross_entropy(output):
    """Returns the cross entropy of the output with random classes. The output has the shape [N, classes,
    ...]."""
    labels = torch.randint(output.shape[1], [output.shape[0], *output.shape[2:]], device=output.device)
    return torch.nn.functional.cross_entropy(output, labels)


def mean_square(output):
    """Returns the mean of the squares of all outputs together."""
    outputs = output if isinstance(output, (list, tuple)) else [output]
    return sum(one.float().square().mean() for one in outputs)


@dataclasses.dataclass(frozen=True)
class Network:
    source: str
    kind: str
    make: Callable  # () -> torch.nn.Module
    shape: tuple  # the shape of one input, without the batch
    batch: int  # the batch of a training step on a device with 80 GB
    # Computes the loss from the network's output. This function must not wait for the device.
    loss: Callable = cross_entropy

    def inputs(self, batch=None, device="cuda"):
        return torch.randn([batch or self.batch, *self.shape], device=device)


def memory_format(dims, last):
    """Returns the memory format for tensors of this many dimensions: channels last or channels first. Tensors
    with one spatial dimension are always channels first."""
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return formats.get(dims, torch.contiguous_format) if last else torch.contiguous_format


def in_format(model, last):
    """Returns the model with each parameter in the memory format for its dimensions. A model may have filters of
    two and of three spatial dimensions."""
    for parameter in model.parameters():
        parameter.data = parameter.data.contiguous(memory_format=memory_format(parameter.dim(), last))
    return model


def all_networks():
    """Returns the names and networks, in the order in which they are measured."""
    from . import decoders, segmentation, speech, super_resolution, vision
    return {**vision.NETWORKS, **segmentation.NETWORKS, **decoders.NETWORKS, **speech.NETWORKS,
            **super_resolution.NETWORKS}
