"""The ONNX importer: files of ONNX become modules, or one error that lists everything that is not supported."""
