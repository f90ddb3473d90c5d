"""ONNX models as onnxruntime runs them."""

import onnx
import onnxruntime


def run(model, feed):
    """What a model answers, by the names of its outputs; the model has to pass every check of onnx."""
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), sess_options=options, providers=["CPUExecutionProvider"]
    )
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, feed), strict=True))
