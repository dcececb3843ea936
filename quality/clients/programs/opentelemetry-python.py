# OpenTelemetry for Python
# install: pip opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.1 opentelemetry-instrumentation-openai-v2==2.4b0 opentelemetry-util-genai==1.1b0 openai==3.49.0 httpx==0.28.1
# checks: telemetry
# note: The instrumentation of OpenAI's client is of another maker; the header `traceparent` joins its span with the server's own.

import os
from openai import OpenAI
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

server, key = os.environ["TRAMONTANE_URL"], os.environ["TRAMONTANE_API_KEY"]
headers = {"authorization": f"Bearer {key}"}
tracing = TracerProvider()
exporter = OTLPSpanExporter(f"{server}/telemetry/v1/traces", headers=headers)
tracing.add_span_processor(BatchSpanProcessor(exporter))
OpenAIInstrumentor().instrument(tracer_provider=tracing)
# ---
import json
import urllib.request
from opentelemetry.propagate import inject

with tracing.get_tracer("program").start_as_current_span("work") as span:
    joined = {}
    inject(joined)
    client = OpenAI(base_url=f"{server}/openai/v1", api_key=key)
    messages = [{"role": "user", "content": "Hello"}]
    client.chat.completions.create(model="mistral-small-latest", messages=messages, extra_headers=joined)
    trace_id = format(span.get_span_context().trace_id, "032x")
tracing.shutdown()

url = f"{server}/v1/observability/traces/{trace_id}/spans"
with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as reply:
    spans = json.load(reply)["spans"]["results"]
work = next(one for one in spans if one["span_name"] == "work")
chats = [one for one in spans if one["operation_name"] == "chat"]
assert len(chats) == 2 and all(one["parent_span_id"] == work["span_id"] for one in chats), spans
assert all(one["usage_output_tokens"] > 0 for one in chats), chats
print(f"telemetry: {len(chats)} + 1 spans")
