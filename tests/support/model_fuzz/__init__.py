"""Differential fuzzing of models: random ONNX graphs, compiled whole and run, beside onnxruntime node by node."""
