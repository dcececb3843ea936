# OpenInference
# install: pip openinference-instrumentation-openai==0.1.66 opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.1 openai==3.49.0
# checks: chat, telemetry

import os
from openai import OpenAI
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

server, key = os.environ["TRAMONTANE_URL"], os.environ["TRAMONTANE_API_KEY"]
headers = {"authorization": f"Bearer {key}"}
tracing = TracerProvider()
exporter = OTLPSpanExporter(f"{server}/telemetry/v1/traces", headers=headers)
tracing.add_span_processor(SimpleSpanProcessor(exporter))
OpenAIInstrumentor().instrument(tracer_provider=tracing)
# ---
import json
import urllib.request

with tracing.get_tracer("program").start_as_current_span("work") as span:
    client = OpenAI(base_url=f"{server}/openai/v1", api_key=key)
    messages = [{"role": "user", "content": "Which wind blows from the north?"}]
    reply = client.chat.completions.create(model="mistral-small-latest", messages=messages)
    print("chat:", reply.choices[0].message.content)
    trace_id = format(span.get_span_context().trace_id, "032x")
tracing.shutdown()

url = f"{server}/v1/observability/traces/{trace_id}/spans"
with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as reply:
    spans = json.load(reply)["spans"]["results"]
names = sorted(one["span_name"] for one in spans)
assert names == ["ChatCompletion", "work"], names
# What it says of the model is an attribute of its own making; what was said is kept only where the workspace keeps it.
told = next(one for one in spans if one["span_name"] == "ChatCompletion")
assert told["span_attributes"]["llm.model_name"], told
assert "tramontane" not in json.dumps(told["span_attributes"].get("input.value", "")), told
print(f"telemetry: 1 + {len(spans) - 1} spans")
