"""Makes the tiny networks of these tests: no weights of anybody's, a few hundred bytes each, with behavior that can be told beforehand.

    python3 make.py        needs the packages onnx 1.23.2 and numpy; writes into the folder it lies in

tones/      a streaming transducer of the LSTM type of sherpa-onnx. Each 40 ms of log-mel features become one decision: LOW when the loudest
            band below the middle is loud, HIGH when it is one above it, nothing else. A token is never said twice in a row (its
            predictor forbids it), so a stream that keeps the last token as context across an endpoint loses a repeated one. It looks at
            13 frames for one step of 8: the last 50 ms of a recording come out only with padding.
zipformer/  the same decisions in the form of a streaming Zipformer: its type, its properties, and the states of one layer that it passes on.
damaged/    tones/ without one of the encoder's properties: the library ends the process over it.
speaker/    ZipVoice's three networks by their inputs and outputs: 20 frames of 256 samples a token; the sound is a tone.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
F, I = TensorProto.FLOAT, TensorProto.INT64


def save(path, nodes, inputs, outputs, constants=(), metadata=()):
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info(*i) for i in inputs], [helper.make_tensor_value_info(*o) for o in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="")
    for key, value in metadata:
        entry = model.metadata_props.add()
        entry.key, entry.value = key, str(value)
    onnx.checker.check_model(model)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(model.SerializeToString())


def i64(*values):
    return np.array(values, dtype=np.int64)


def tones():
    frames, chunk, blank = 13, 8, 2.0
    nodes = [
        helper.make_node("Slice", ["x", "zero", "chunk", "one"], ["kept"]),
        helper.make_node("Reshape", ["kept", "shape"], ["groups"]),                        # 1, 2 decisions, 4 frames, 2 halves, 40 bands
        helper.make_node("ReduceMax", ["groups"], ["halves"], axes=[2, 4], keepdims=0),    # 1, 2, 2
        helper.make_node("Concat", ["blank", "halves"], ["encoder_out"], axis=2),
        helper.make_node("Identity", ["h"], ["new_h"]), helper.make_node("Identity", ["c"], ["new_c"]),
    ]
    constants = [("zero", i64(0)), ("chunk", i64(chunk)), ("one", i64(1)), ("shape", i64(1, 2, 4, 2, 40)),
                 ("blank", np.full((1, 2, 1), blank, dtype=np.float32))]
    inputs = [("x", F, [1, frames, 80]), ("h", F, [1, 1, 1]), ("c", F, [1, 1, 1])]
    outputs = [("encoder_out", F, [1, 2, 3]), ("new_h", F, [1, 1, 1]), ("new_c", F, [1, 1, 1])]
    metadata = [("model_type", "lstm"), ("version", 1), ("num_encoder_layers", 1), ("T", frames), ("decode_chunk_len", chunk),
                ("rnn_hidden_size", 1), ("d_model", 1)]
    save(HERE / "tones/encoder.onnx", nodes, inputs, outputs, constants, metadata)
    states = [("cached_key_0", F, [2, 1, 1]), ("cached_nonlin_attn_0", F, [1, 1, 2, 3]), ("cached_val1_0", F, [2, 1, 1]), ("cached_val2_0", F, [2, 1, 1]),
              ("cached_conv1_0", F, [1, 4, 1]), ("cached_conv2_0", F, [1, 4, 1]), ("embed_states", F, [1, 128, 3, 19]), ("processed_lens", I, [1])]
    save(HERE / "zipformer/encoder-epoch-1-avg-1.onnx",
         nodes[:4] + [helper.make_node("Identity", [name], ["new_" + name]) for name, _, _ in states[:-1]]
         + [helper.make_node("Add", ["processed_lens", "chunk"], ["new_processed_lens"])],
         inputs[:1] + states, outputs[:1] + [("new_" + name, kind, shape) for name, kind, shape in states], constants,
         [("model_type", "zipformer2"), ("version", 1), ("encoder_dims", "4"), ("query_head_dims", "1"), ("value_head_dims", "1"), ("num_heads", "1"),
          ("num_encoder_layers", "1"), ("cnn_module_kernels", "3"), ("left_context_len", "2"), ("T", frames), ("decode_chunk_len", chunk)])
    save(HERE / "damaged/encoder.onnx", nodes, inputs, outputs, constants, metadata[:2] + metadata[3:])

    never_again = np.array([[0, 0, 0], [0, -100, 0], [0, 0, -100]], dtype=np.float32)
    for folder, tail in (("tones", ""), ("damaged", ""), ("zipformer", "-epoch-1-avg-1")):
        save(HERE / folder / f"decoder{tail}.onnx",
             [helper.make_node("Gather", ["y", "last"], ["newest"], axis=1), helper.make_node("Gather", ["table", "newest"], ["decoder_out"], axis=0)],
             [("y", I, ["N", 2])], [("decoder_out", F, ["N", 3])], [("last", np.array(1, dtype=np.int64)), ("table", never_again)],
             [("vocab_size", 3), ("context_size", 2)])
        save(HERE / folder / f"joiner{tail}.onnx", [helper.make_node("Add", ["encoder_out", "decoder_out"], ["logit"])],
             [("encoder_out", F, ["N", 3]), ("decoder_out", F, ["N", 3])], [("logit", F, ["N", 3])], (), [("joiner_dim", 3)])
        (HERE / folder / "tokens.txt").write_text("<blk> 0\n▁LOW 1\n▁HIGH 2\n", encoding="utf-8")


def speaker():
    mels, per_token = 100, 20
    save(HERE / "speaker/encoder.onnx",
         [
             helper.make_node("Shape", ["tokens"], ["token_shape"]), helper.make_node("Slice", ["token_shape", "one", "two"], ["count"]),
             helper.make_node("Cast", ["count"], ["count_f"], to=F), helper.make_node("Mul", ["count_f", "per_token"], ["plain"]),
             helper.make_node("Div", ["plain", "speed"], ["paced"]), helper.make_node("Cast", ["paced"], ["frames"], to=I),
             helper.make_node("Add", ["frames", "prompt_features_len"], ["all"]),
             helper.make_node("Concat", ["one", "all", "mels"], ["shape"], axis=0),
             # So that the prompt's words are an input in earnest.
             helper.make_node("Cast", ["prompt_tokens"], ["prompt_f"], to=F), helper.make_node("ReduceMean", ["prompt_f"], ["level"], keepdims=0),
             helper.make_node("Expand", ["level", "shape"], ["text_condition"]),
         ],
         [("tokens", I, [1, "N"]), ("prompt_tokens", I, [1, "M"]), ("prompt_features_len", I, [1]), ("speed", F, [1])],
         [("text_condition", F, [1, "T", mels])],
         [("one", i64(1)), ("two", i64(2)), ("mels", i64(mels)), ("per_token", np.array([per_token], dtype=np.float32))], [("use_espeak", 1)])
    save(HERE / "speaker/decoder.onnx",
         [helper.make_node("Sub", ["speech_condition", "x"], ["v0"]), helper.make_node("Mul", ["v0", "guidance_scale"], ["v1"]),
          helper.make_node("Mul", ["text_condition", "nothing"], ["v2"]), helper.make_node("Add", ["v1", "v2"], ["v3"]),
          helper.make_node("Mul", ["t", "nothing"], ["v4"]), helper.make_node("Add", ["v3", "v4"], ["v"])],
         [("t", F, [1]), ("x", F, [1, "T", mels]), ("text_condition", F, [1, "T", mels]), ("speech_condition", F, [1, "T", mels]), ("guidance_scale", F, [1])],
         [("v", F, [1, "T", mels])], [("nothing", np.array([0], dtype=np.float32))],
         [("version", 1), ("feat_dim", mels), ("sample_rate", 24000), ("n_fft", 1024), ("hop_length", 256), ("window_length", 1024), ("num_mels", mels)])
    tone = np.zeros((1, 513, 1), dtype=np.float32)
    tone[0, 24] = 40
    save(HERE / "speaker/vocos.onnx",
         [helper.make_node("ReduceMean", ["mels"], ["mean"], axes=[1], keepdims=1), helper.make_node("Mul", ["mean", "nothing"], ["none"]),
          helper.make_node("Add", ["none", "tone"], ["mag"]), helper.make_node("Add", ["none", "ones"], ["x"]), helper.make_node("Add", ["none", "zeros"], ["y"])],
         [("mels", F, [1, mels, "T"])], [("mag", F, [1, 513, "T"]), ("x", F, [1, 513, "T"]), ("y", F, [1, 513, "T"])],
         [("nothing", np.array([0], dtype=np.float32)), ("tone", tone), ("ones", np.ones((1, 513, 1), dtype=np.float32)), ("zeros", np.zeros((1, 513, 1), dtype=np.float32))],
         [("model_type", "vocos"), ("version", 1), ("sample_rate", 24000), ("n_fft", 1024), ("hop_length", 256), ("win_length", 1024), ("center", 1),
          ("window_type", "hann"), ("normalized", 0), ("pad_mode", "reflect")])
    names = ["_", " ", ".", ","] + list("abcdefghijklmnopqrstuvwxyzˈˌːəɪʊɛɔæʌɑɹŋθðʃʒɡɚɐɾᵻɜ")
    (HERE / "speaker/tokens.txt").write_text("".join(f"{name}\t{index}\n" for index, name in enumerate(names)), encoding="utf-8")
    (HERE / "speaker/lexicon.txt").write_text("hello h ə l ˈ o ʊ\n", encoding="utf-8")


tones()
speaker()
