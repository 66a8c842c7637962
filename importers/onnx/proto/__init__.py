"""What ONNX files are made of: models, arrays, attributes, element types, and nodes as operators see them."""
