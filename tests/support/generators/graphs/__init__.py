"""Random ONNX graphs: how they grow, and the steps that they grow by."""
