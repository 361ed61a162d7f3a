"""A BERT sentence encoder as an ONNX graph with integer weights, written node by node."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
HEADS = 12
EPSILON = 1e-12

# Processors without VNNI add two products in 16 bits; seven-bit weights cannot overflow there.
WEIGHT_LIMIT = 63
EMBEDDING_LIMIT = 127


def encoder(weights: Mapping[str, np.ndarray]) -> ModelProto:
    """Token ids and mask in, unit vectors out."""
    return _Encoder(weights).model()


def quantise(values: np.ndarray, axis: int, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """Integers and the scale of each slice; the scale keeps the other axes' largest value in range."""
    scale = np.abs(values).max(axis=axis, keepdims=True).astype(np.float32) / np.float32(limit)
    scale[scale == 0] = 1
    return np.rint(values / scale).astype(np.int8), scale


class _Encoder:
    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        self._weights = weights
        self._nodes: list[NodeProto] = []
        self._constants: list[TensorProto] = []

    def model(self) -> ModelProto:
        self._constant("one", np.array([1], np.int64))
        hidden, layer = self._embeddings(), 0
        while f"encoder.layer.{layer}.output.dense.weight" in self._weights:
            hidden = self._layer(layer, hidden)
            layer += 1
        self._pool(hidden)
        size = self._weights["embeddings.word_embeddings.weight"].shape[1]
        ids_and_mask = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "attention_mask")
        ]
        vector = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", size])
        graph = helper.make_graph(self._nodes, "encoder", ids_and_mask, [vector], self._constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="cuedeck-minilm")

    def _constant(self, name: str, values: np.ndarray) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, op: str, inputs: list[str], *outputs: str, domain: str = "", **attributes: object) -> str:
        self._nodes.append(
            helper.make_node(op, inputs, list(outputs), name=outputs[0], domain=domain, **attributes)
        )
        return outputs[0]

    def _embeddings(self) -> str:
        words, scale = quantise(self._weights["embeddings.word_embeddings.weight"], 1, EMBEDDING_LIMIT)
        self._node("Gather", [self._constant("words", words), "input_ids"], "word_integers")
        self._node("Cast", ["word_integers"], "word_floats", to=TensorProto.FLOAT)
        self._node("Gather", [self._constant("word_scales", scale), "input_ids"], "word_scale")
        self._node("Mul", ["word_floats", "word_scale"], "word")
        first_segment = self._weights["embeddings.token_type_embeddings.weight"][0]
        positions = self._weights["embeddings.position_embeddings.weight"] + first_segment
        self._node("Shape", ["input_ids"], "length", start=1, end=2)
        zero = self._constant("zero", np.array([0], np.int64))
        self._node("Slice", [self._constant("positions", positions), zero, "length", zero], "position")
        self._node("Add", ["word", "position"], "embedded")
        self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        norm = [
            self._constant(f"embeddings.{part}", self._weights[f"embeddings.LayerNorm.{part}"])
            for part in ("weight", "bias")
        ]
        return self._node("LayerNormalization", ["embedded", *norm], "hidden", axis=-1, epsilon=EPSILON)

    def _layer(self, number: int, hidden: str) -> str:
        source = f"encoder.layer.{number}."
        attended = self._attention(number, hidden)
        projected = self._linear(f"attention_output.{number}", attended, source + "attention.output.dense")
        mixed = self._norm(f"mixed.{number}", projected, hidden, source + "attention.output")
        widened = self._linear(f"intermediate.{number}", mixed, source + "intermediate.dense")
        active = self._node("Gelu", [widened], f"active.{number}", domain=MICROSOFT)
        narrowed = self._linear(f"output.{number}", active, source + "output.dense")
        return self._norm(f"hidden.{number}", narrowed, mixed, source + "output")

    def _attention(self, number: int, hidden: str) -> str:
        prefix = f"encoder.layer.{number}.attention.self."
        parts = ("query", "key", "value")
        joined = np.concatenate([self._weights[f"{prefix}{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{prefix}{part}.bias"] for part in parts])
        integers, scale = quantise(joined, 0, WEIGHT_LIMIT)
        name = f"attention.{number}"
        quantised = [f"{name}.input", f"{name}.input_scale", f"{name}.input_zero"]
        self._node("DynamicQuantizeLinear", [hidden], *quantised)
        inputs = [
            quantised[0],
            self._constant(f"{name}.weight", integers),
            self._constant(f"{name}.bias", bias),
            quantised[1],
            self._constant(f"{name}.weight_scale", scale[0]),
            "mask",
            quantised[2],
            self._constant(f"{name}.weight_zero", np.zeros(scale.shape[1], np.int8)),
        ]
        return self._node("QAttention", inputs, name, domain=MICROSOFT, num_heads=HEADS)

    def _linear(self, name: str, inputs: str, source: str) -> str:
        integers, scale = quantise(self._weights[f"{source}.weight"].T, 0, WEIGHT_LIMIT)
        operands = [
            inputs,
            self._constant(f"{name}.weight", integers),
            self._constant(f"{name}.scale", scale[0]),
            self._constant(f"{name}.zero", np.zeros(scale.shape[1], np.int8)),
            self._constant(f"{name}.bias", self._weights[f"{source}.bias"]),
        ]
        return self._node("DynamicQuantizeMatMul", operands, name, domain=MICROSOFT)

    def _norm(self, name: str, inputs: str, skip: str, source: str) -> str:
        """Two nodes: SkipLayerNormalization, which does both at once, takes five times as long."""
        weights = [
            self._constant(f"{name}.{part}", self._weights[f"{source}.LayerNorm.{part}"])
            for part in ("weight", "bias")
        ]
        added = self._node("Add", [inputs, skip], f"{name}.added")
        return self._node("LayerNormalization", [added, *weights], name, axis=-1, epsilon=EPSILON)

    def _pool(self, hidden: str) -> None:
        self._node("Cast", ["attention_mask"], "weight", to=TensorProto.FLOAT)
        self._node("Unsqueeze", ["weight", self._constant("last", np.array([-1], np.int64))], "weights")
        self._node("Mul", [hidden, "weights"], "weighted")
        self._node("ReduceSum", ["weighted", "one"], "total", keepdims=0)
        self._node("ReduceSum", ["weight", "one"], "count", keepdims=1)
        self._node("Div", ["total", "count"], "mean")
        self._node("LpNormalization", ["mean"], "embedding", axis=-1, p=2)
