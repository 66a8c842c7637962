"""Benchmarks of whole models: of examples/, out of ONNX files, in narrow numbers; their time and their memory."""
