"""Sends spans, logs and a call that a third-party instrumentation sees, as any program with OpenTelemetry does."""
import logging
import os
import sys

from openai import OpenAI
from opentelemetry._logs import set_logger_provider
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor
from opentelemetry.propagate import inject
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

url, key = sys.argv[1], os.environ["KEY"]
headers = {"authorization": f"Bearer {key}"}
resource = Resource({"service.name": "python-program"})

tracing = TracerProvider(resource=resource)
tracing.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/telemetry/v1/traces", headers=headers)))
logs = LoggerProvider(resource=resource)
logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{url}/telemetry/v1/logs", headers=headers)))
set_logger_provider(logs)
logging.getLogger("program").addHandler(LoggingHandler(logger_provider=logs))

OpenAIInstrumentor().instrument(tracer_provider=tracing)
with tracing.get_tracer("program").start_as_current_span("work") as span:
    logging.getLogger("program").warning("the work began")
    client = OpenAI(base_url=f"{url}/openai/v1", api_key=key)
    headers = {}
    inject(headers)
    messages = [{"role": "user", "content": "Hello"}]
    client.chat.completions.create(model="small", messages=messages, extra_headers=headers)
    print(format(span.get_span_context().trace_id, "032x"))
tracing.shutdown()
logs.shutdown()
