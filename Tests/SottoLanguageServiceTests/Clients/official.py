"""Asks the server on the given port through OpenAI's own client; prints what it got as JSON.

Arguments: port, then one of: whole, stream, schema, errors, models, leave.
"""

import json
import sys

import openai
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

client = openai.OpenAI(base_url=f"http://127.0.0.1:{sys.argv[1]}/v1", api_key="the-key", max_retries=0, timeout=60)
messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Hello?"}]}]


def whole():
    answer = client.chat.completions.with_raw_response.create(model="scripted", messages=messages, seed=3, temperature=0)
    # Every member that the client's types know, of the type that they say, and none missing.
    parsed = ChatCompletion.model_validate_json(answer.http_response.text, strict=True)
    return {
        "text": parsed.choices[0].message.content, "reason": parsed.choices[0].finish_reason, "prompt": parsed.usage.prompt_tokens,
        "completion": parsed.usage.completion_tokens, "total": parsed.usage.total_tokens, "model": parsed.model, "object": parsed.object,
        "extra": sorted(list(parsed.model_extra or {}) + list(parsed.choices[0].model_extra or {}) + list(parsed.usage.model_extra or {})),
    }


def stream():
    pieces, usage, reasons, extra = [], None, [], []
    for chunk in client.chat.completions.create(model="scripted", messages=messages, stream=True, stream_options={"include_usage": True}):
        ChatCompletionChunk.model_validate_json(chunk.model_dump_json(), strict=True)
        extra += list(chunk.model_extra or {})
        if chunk.choices:
            pieces.append(chunk.choices[0].delta.content)
            reasons.append(chunk.choices[0].finish_reason)
        else:
            usage = chunk.usage
    return {"pieces": pieces, "reasons": reasons, "total": usage.total_tokens, "completion": usage.completion_tokens, "extra": extra}


def schema():
    class Step(BaseModel):
        text: str
        score: float | None = None

    class Plan(BaseModel):
        title: str
        steps: list[Step]

    answer = client.chat.completions.parse(model="plan", messages=messages, response_format=Plan)
    plan = answer.choices[0].message.parsed
    return {"title": plan.title, "steps": [step.text for step in plan.steps]}


def errors():
    found = {}
    for name, changes in {
        "model": {"model": "gpt-none"}, "tools": {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}, "n": {"n": 2},
        "length": {"max_tokens": 100_000}, "absent": {"model": "absent"},
    }.items():
        try:
            client.chat.completions.create(**({"model": "scripted", "messages": messages} | changes))
        except openai.APIStatusError as error:
            found[name] = [type(error).__name__, error.status_code, error.code, error.param]
    try:
        for _ in client.chat.completions.create(model="failing", messages=messages, stream=True):
            pass
    except openai.APIError as error:
        found["stream"] = [type(error).__name__, error.message]
    return found


def models():
    found = [model.id for model in client.models.list()]
    one = client.models.retrieve(found[0])
    try:
        client.models.retrieve("none")
        missing = False
    except openai.NotFoundError:
        missing = True
    return {"ids": found, "owner": one.owned_by, "created": one.created, "missing": missing}


def leave():
    answer = client.chat.completions.create(model="endless", messages=messages, stream=True)
    pieces = []
    for chunk in answer:
        pieces.append(chunk.choices[0].delta.content)
        if len(pieces) == 3:
            break
    answer.close()
    return {"pieces": pieces}


print(json.dumps({"whole": whole, "stream": stream, "schema": schema, "errors": errors, "models": models, "leave": leave}[sys.argv[2]]()))
