"""For each family of functions, calls with arguments that mean something, and a look at what came back."""
import base64
import datetime
import importlib.util
import io
import json
import sys
import time
import urllib.request
import uuid
import wave

from pydantic import BaseModel

# Helpers that run a conversation with functions of the caller's own come with an extra of the package.
HAS_EXTRA = importlib.util.find_spec("griffe") is not None
NEED_EXTRA = [] if HAS_EXTRA else ["beta.conversations.run_async", "beta.conversations.run_stream_async"]
MESSAGES = [{"role": "user", "content": "Hi"}]


class Person(BaseModel):
    name: str
    age: int


def all_of(key, document, mcp_server, tuned, awaited):
    """Every chapter; some need to be told what to use."""

    def chat(call):
        answer = call("chat.complete", model="small", messages=MESSAGES, temperature=0, max_tokens=40, n=1)
        assert answer.choices[0].message.content == "Hello there", answer
        assert text_of(call("chat.stream", model="small", messages=MESSAGES)) == "Hello there"
        parsed = call("chat.parse", Person, model="small", messages=MESSAGES)
        assert parsed.choices[0].message.parsed == Person(name="Ada", age=36), parsed
        assert text_of(call("chat.parse_stream", Person, model="small", messages=MESSAGES)) == '{"name":"Ada","age":36}'
        middle = {"model": "small", "prompt": "def add(a, b):\n", "suffix": "\nprint(add(1, 2))", "max_tokens": 16}
        assert call("fim.complete", **middle).choices[0].message.content == "Hello there"
        assert text_of(call("fim.stream", **middle)) == "Hello there"

    def models(call):
        assert len(call("models.list").data) >= 7
        assert call("models.retrieve", model_id=tuned).type == "fine-tuned"
        assert call("models.update", model_id=tuned, name="New").name == "New"
        assert call("models.archive", model_id=tuned).archived is True
        assert call("models.unarchive", model_id=tuned).archived is False
        assert call("models.delete", model_id=tuned).deleted

    def connectors(call):
        oauth = "https://sign-in.example.com"
        made = call(
            "beta.connectors.create",
            request={
                "name": "swept",
                "description": "Pages",
                "server": mcp_server,
                "protocol": "mcp",
                "auth_methods": [
                    {
                        "method_type": "oauth2",
                        "grant_type": "authorization_code",
                        "auth_data": {"client_id": "c", "client_secret": "s"},
                        "oauth2_server_metadata": {
                            "issuer": oauth,
                            "authorization_endpoint": oauth + "/authorize",
                            "token_endpoint": oauth + "/token",
                            "code_challenge_methods_supported": ["S256"],
                        },
                    }
                ],
            },
        )
        by_id, by_name = {"connector_id": made.id}, {"connector_id_or_name": "swept"}
        change = {"protocol": "mcp", "title": "Wiki"}
        assert call("beta.connectors.update", **by_id, request_body=change).title == "Wiki"
        assert call("beta.connectors.get", **by_name).id == made.id
        assert any(one.id == made.id for one in call("beta.connectors.list", query_filters={"active": True}).items)
        for scope, kind in [("user", "user"), ("workspace", "workspace"), ("organization", "org")]:
            call("beta.connectors.deactivate_for_consumer", **by_id, consumer_scope=scope)
            call("beta.connectors.activate_for_consumer", **by_id, consumer_scope=scope)
            where = {**by_name, "consumer_scope": scope, "name": "main"}
            token = {"bearer_token": "a-token-of-the-sweep"}
            call("beta.connectors.create_credentials", **where, credentials=token)
            call("beta.connectors.update_credentials", **where, title="Main", is_default=True)
            (one,) = call(f"beta.connectors.list_{scope}_credentials", **by_name).credentials
            assert (one.name, one.title, one.scope) == ("main", "Main", kind), one
        assert call("beta.connectors.list_tools", **by_name)[0].name == "echo"
        given = {"tool_name": "echo", "arguments": {"text": "Hi"}}
        assert call("beta.connectors.call_tool", **by_name, **given).content[0].text == "You said Hi"
        assert call("beta.connectors.get_authentication_methods", **by_name)[0].method_type == "oauth2"
        assert call("beta.connectors.get_auth_url", **by_name).auth_url.startswith(oauth + "/authorize?")
        for scope in ["user", "workspace", "organization"]:
            where = {**by_name, "consumer_scope": scope, "credentials_name": "main"}
            call("beta.connectors.delete_credentials", **where)
        call("beta.connectors.delete_all_user_credentials", **by_name)
        for verb in ["share", "share_to_organization", "unshare_from_organization", "unshare"]:
            call(f"beta.connectors.{verb}", **by_id)
        call("beta.connectors.delete", **by_id)

    def ocr(call):
        with open(document, "rb") as content:
            file = call("files.upload", file={"file_name": "book.pdf", "content": content}, purpose="ocr")
        read = call(
            "ocr.process",
            model="tesseract",
            document={"type": "file", "file_id": file.id},
            include_image_base64=True,
            table_format="html",
            extract_header=True,
            extract_footer=True,
            confidence_scores_granularity="word",
        )
        assert "A page with a table and a picture." in read.pages[0].markdown, read
        assert len(read.pages[0].tables) == 1

    def users(call):
        security = {"dashboard_user_context_auth": key}
        me = call("beta.users.get_identity", security=security)
        assert len(call("beta.users.list_organizations", security=security)[0].organizations) == 1
        pages = call("beta.users.list_workspaces", security=security, limit=1)
        assert me.workspace.id in [workspace.id for page in pages for workspace in page.workspaces]

        who = call("beta.users.whoami", security={"bearer_user_context_auth": key})
        assert who.principal.principal_type == "user", who
        assert who.workspace.id == me.workspace.id, who

    def service_accounts(call):
        me = call("beta.users.get_identity", security={"dashboard_user_context_auth": key})
        place = me.workspace.id
        made = call("beta.service_accounts.create", name="swept", workspace_id=place, description="first", role_ids=[])
        named = {"service_account_id": made.id}
        assert call("beta.service_accounts.update", **named, description="second").description == "second"
        assert call("beta.service_accounts.get", **named).name == "swept"
        roles = call("beta.service_accounts.list_assignable_roles", workspace_id=place).items
        role = next(role for role in roles if role.name == "user")
        call("beta.service_accounts.set_roles", **named, role_ids=[role.uuid])
        held = call("beta.service_accounts.list_roles", **named).items
        assert [one.role_id for one in held] == [role.uuid], held
        pages = call("beta.service_accounts.list", offset=0, limit=1, workspace_id=place, q="SWEPT", order="desc")
        assert made.id in [account.id for page in pages for account in page.items], pages
        call("beta.service_accounts.delete", **named)

    told = [chat, models, ocr, users, service_accounts, connectors]
    only_awaited = [runs_of_conversations] if awaited and not NEED_EXTRA else []
    inference = [responses, embeddings, moderation, speech, transcription, voices, files, libraries, search_indexes, rag, batch]
    objects = [prompts, skills, agents, conversations, definitions, deployments, executions, schedules, observability, judges, datasets, evaluations, webhooks]
    return [*told, *inference, *objects, *only_awaited]


def observability(call):
    call("chat.complete", model="small", messages=MESSAGES)
    found = []
    while not found:
        time.sleep(0.25)
        asked = "operation_name = 'chat' AND request_model = 'small'"
        found = call("beta.observability.spans.search_spans", search_expression=asked).spans.results
    place = {"trace_id": found[0].trace_id}
    one = call("beta.observability.traces.get_span_by_id", span_id=found[0].span_id, **place)
    assert one.response_model == "small", one
    assert call("beta.observability.traces.get_trace_spans", **place).spans.results
    assert call("beta.observability.traces.get_trace_by_id", **place).span_count >= 1
    assert call("beta.observability.traces.search").traces.results
    for room, measure in [("spans", "span_id"), ("traces", "trace_id")]:
        metric = {"measure": measure, "aggregation": "count"}
        assert call(f"beta.observability.{room}.aggregate", metric=metric).data[0].metric_value > 0
    assert call("beta.observability.spans.list_span_fields").field_definitions
    assert call("beta.observability.traces.get_trace_fields").field_definitions
    assert "small" in call("beta.observability.spans.fetch_span_field_options", field_name="response_model").options
    assert call("beta.observability.traces.fetch_options", field_name="root_span_name").options
    logs(call)


def logs(call):
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "no such"}}}
    try:
        call("chat.complete", model="small", messages=MESSAGES, tools=[tool])
    except Exception:
        pass
    found = []
    while not found:
        time.sleep(0.25)
        found = call("beta.observability.logs.search", search_expression="severity_text = 'WARN'", order="asc").logs.results
    assert found[0].event_name == "request.failed", found
    assert call("beta.observability.logs.list").field_definitions
    assert "WARN" in call("beta.observability.logs.fetch_options", field_name="severity_text").options


def post(path, body):
    """What the SDKs have no function for, as any client would send it."""
    url, key = sys.argv[1:3]
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    request = urllib.request.Request(f"{url}/v1/observability/{path}", json.dumps(body).encode(), headers)
    return json.load(urllib.request.urlopen(request))


def evaluations(call):
    room = "beta.observability.evaluations"
    mark = uuid.uuid4().hex
    post("projects", {"name": mark, "slug": f"p-{mark}"})
    post(f"projects/p-{mark}/evaluations_v2", {"name": mark, "slug": f"e-{mark}"})
    dataset = call("beta.observability.datasets.create", name=mark, description="")
    payload = {"messages": [{"role": "user", "content": "Hi"}]}
    call("beta.observability.datasets.create_record", dataset_id=dataset.id, payload=payload, properties={"expected": "Hi"})
    plan = {"dataset_id": dataset.id, "evaluators": [{"check": "valid_json", "goal": {"value": 0}}]}
    system = {"kind": "model", "model": "small"}
    started = post(f"evaluations_v2/e-{mark}/runs", {**plan, "system": system, "tags": ["t"], "metadata": {"a": 1}})
    run = {"run_id": started["id"]}
    while call(f"{room}.runs.get", **run).status in ("queued", "running"):
        time.sleep(0.2)
    assert call(f"{room}.projects.list", q=mark).projects.results[0].slug == f"p-{mark}"
    assert call(f"{room}.projects.get", project_slug=f"p-{mark}").evaluations[0].slug == f"e-{mark}"
    assert call(f"{room}.list", project_slug=f"p-{mark}").evaluations.count == 1
    assert call(f"{room}.get", evaluation_slug=f"e-{mark}").name == mark
    assert call(f"{room}.runs.search", evaluation_slug=f"e-{mark}", tags={"values": ["t"]}).runs.count == 1
    assert call(f"{room}.runs.search_all", evaluation_run_filter_input={"run_ids": [started["id"]]}).runs.results[0].evaluation
    assert call(f"{room}.runs.get_statistics", **run).statistics
    assert call(f"{room}.runs.compute_statistics", input_filters={"filters": [{"value": "hi"}]}, **run).statistics
    records = call(f"{room}.records.search", goal_filters={"filters": [{"values": ["passed"]}]}, **run).records.results
    assert call(f"{room}.records.get", record_id=records[0].id, **run).output_record.generations
    grid = {**plan, "evaluation": f"e-{mark}", "name": mark, "candidates": [system], "objective": {"evaluator_name": "valid_json"}}
    optimization = {"optimization_id": post("optimizations", grid)["id"]}
    assert call(f"{room}.optimizations.list", evaluation=f"e-{mark}").optimizations.count == 1
    assert call(f"{room}.optimizations.get", **optimization).evaluation.slug == f"e-{mark}"
    assert call(f"{room}.optimizations.list_trials", **optimization).trials.results[0].observations
    output = {"type": "REGRESSION", "min": 0, "max": 1, "min_description": "no", "max_description": "yes"}
    judge = call("beta.observability.judges.create", name=mark[:20], description="", model_name="small", output=output, instructions="Good?", tools=[])
    selectors = [{"source_kind": "span", "filter": "operation_name = 'chat'"}]
    definitions = [{"slug": judge.id, "sampling": {"type": "probabilistic", "percentage": 10}}]
    pipeline = {"pipeline_id": call(f"{room}.create_pipeline", name=mark, selectors=selectors, definitions=definitions).id}
    assert call(f"{room}.list_pipelines", q=mark).pipelines.count == 1
    slug = call(f"{room}.get_pipeline", **pipeline).pipeline_configs[0].slug
    assert call(f"{room}.update_pipeline", enabled=False, **pipeline).enabled is False
    call("beta.observability.spans.search_pipeline_results", pipeline_config_slugs=[slug])
    call("beta.observability.spans.search_span_evaluations", search_expression="score_value >= 0")
    call("beta.observability.spans.search_latest_span_evaluations")
    call("beta.observability.spans.aggregate_span_evaluations", metric={"measure": "span_id", "aggregation": "count"})
    assert call("beta.observability.spans.list_span_eval_fields").field_definitions
    call("beta.observability.spans.fetch_span_eval_field_options", field_name="evaluation_name")
    call(f"{room}.delete_pipeline", **pipeline)


SCORE = {"type": "REGRESSION", "min_description": "bad", "max_description": "good"}
JUDGING = {"description": "", "model_name": "small", "output": SCORE, "instructions": "Judge it.", "tools": []}


def judges(call):
    room = "beta.observability.judges."
    definition = JUDGING
    name = f"Judge {uuid.uuid4().hex}"
    judge = {"judge_id": call(room + "create", name=name, **definition).id}
    assert call(room + "fetch", **judge).name == name
    assert call(room + "list", q=name).judges.count == 1
    call(room + "update", name=name, **definition, **judge)
    assert call(room + "judge_conversation", messages=MESSAGES, **judge).answer == 1
    call(room + "delete", **judge)


def webhooks(call):
    made = call("beta.webhooks.create", provider="github", name="Of the sweep")
    webhook = {"webhook_id": made.id}
    assert call("beta.webhooks.get", **webhook).url == made.url
    assert made.id in [one.id for one in call("beta.webhooks.list")]
    assert call("beta.webhooks.get_signing_secret", **webhook).signing_secret
    action = {"type": "start_workflow", "primitive_id": "greet"}
    trigger = call("beta.triggers.create", event_source_id=made.id, handler="workflows", action=action, owner_type="workspace", title="Of the sweep", filters="event_type == 'push'")
    one = {"trigger_id": trigger.id}
    assert call("beta.triggers.get", **one).event_source.id == made.id
    assert [found.id for found in call("beta.triggers.list", event_source_id=made.id)] == [trigger.id]
    assert call("beta.triggers.list_events", **one, limit=5).data == []
    call("beta.triggers.delete", **one)
    call("beta.webhooks.delete", **webhook)


def datasets(call):
    room = "beta.observability.datasets."
    made = call(room + "create", name="Of the sweep", description="")
    dataset = {"dataset_id": made.id}
    assert call(room + "update", description="Changed", **dataset).description == "Changed"
    assert call(room + "fetch", dataset_id=made.slug).id == made.id
    assert call(room + "list", q="sweep").datasets.count > 0
    record = call(room + "create_record", payload={"messages": MESSAGES}, **dataset)
    one = {"dataset_record_id": record.id}
    assert call(room + "list_records", **dataset).records.count == 1
    call(room + "records.update_payload", payload={"a": 1}, **one)
    call(room + "records.update_properties", properties={"b": 2}, **one)
    assert call(room + "records.fetch", **one).payload["a"] == 1
    assert call(room + "records.judge", judge_definition={"name": "Of a record", **JUDGING}, **one).answer == 1
    content = json.dumps({"messages": MESSAGES}).encode()
    file = call("files.upload", file={"file_name": "records.jsonl", "content": content}, purpose="batch")
    call(room + "import_from_file", file_id=file.id, **dataset)
    task = call(room + "import_from_dataset_records", dataset_record_ids=[record.id], **dataset)
    assert call(room + "fetch_task", task_id=task.id, **dataset).id == task.id
    call(room + "import_from_playground", conversation_ids=["conv_none"], **dataset)
    mapping = {"target_field": "a", "source_field": {"namespace": "span_attributes", "key": "a"}}
    references = [{"trace_id": "1" * 32, "span_id": "1" * 16}]
    call(room + "import_from_spans", span_references=references, mapping_contract={"mappings": [mapping]}, **dataset)
    assert call(room + "list_tasks", **dataset).tasks.count == 4
    assert call(room + "export_to_jsonl", **dataset).file_url
    call(room + "records.delete", **one)
    call(room + "records.bulk_delete", dataset_record_ids=[record.id])
    call(room + "delete", **dataset)


def search_indexes(call):
    index = {"index_name": f"winds-{uuid.uuid4().hex}"}
    room = "beta.context.search_indexes"
    custom = {"embedding": {"type": "custom", "name": "ours", "dimensions": 3}}
    call(f"{room}.create", name=index["index_name"], config=custom, schema={"document_fields": {}, "chunk_fields": {}})
    listed = call(f"{room}.list", name=index["index_name"])
    assert [one.name for page in listed for one in page.data] == [index["index_name"]], listed
    assert call(f"{room}.get", **index).name == index["index_name"]
    call(f"{room}.update", schema={"document_fields": {"year": {"type": "int"}}}, **index)
    chunk = {"content": "a cold wind", "embedding": [1, 0, 0], "start_offset": 0, "end_offset": 11}
    documents = [{"id": "a", "year": 2020, "chunks": [chunk]}]
    assert call(f"{room}.ingest_documents", documents=documents, **index).accepted == 1
    keyword = {"type": "keyword", "query": "wind"}
    nearest = {"type": "nearest_neighbour", "query_embedding": [1, 0, 0]}
    found = call(f"{room}.search", retriever={"type": "rrf", "retrievers": [keyword, nearest]}, **index)
    assert found.hits[0].chunk.source_id == "a", found
    place = {"source_id": "a", **index}
    assert call(f"{room}.read", **place).chunks[0].content == "a cold wind"
    assert call(f"{room}.grep", pattern="cold", **place).chunks
    call(f"{room}.navigate", start_offset=0, end_offset=11, direction="next", **place)
    assert call(f"{room}.get_chunk", chunk_id="a:0", **index).chunks
    summary = {"content": "Winds.", "status": "handwritten", "translated": False}
    call(f"{room}.set_index_summary", language="en", **summary, **index)
    assert call(f"{room}.get_index_summary", language="en", **index).content == "Winds."
    assert list(call(f"{room}.generate_index_summary", language="en", **index))
    assert call(f"{room}.delete_documents", document_ids=["a"], **index).deleted_document_ids == ["a"]
    call(f"{room}.delete", **index)


def rag(call):
    indexes, pipelines = "beta.rag.search_indexes", "beta.rag.ingestion_pipeline_configurations"
    fields = [{"name": "body", "type": "string", "storage": "on_disk", "ranking": "text", "index_type": "bm25", "multidimensional": False}]
    vespa = {"type": "vespa", "vespa_version": "8", "query_url": "https://vespa.example.com", "indexes": [{"name": "docs", "sd": "schema docs {}", "fields": fields}]}
    deployment_id = call(f"{indexes}.register_deployment", name="search", deployment=vespa).id
    metrics = {"status": "online", "document_count": 1, "index_metrics": [{"name": "docs", "document_count": 1}]}
    call(f"{indexes}.update_index_metrics", deployment_id=deployment_id, request_body=metrics)
    assert call(f"{indexes}.get_deployment_summaries").deployments[0].document_count == 1
    call(f"{indexes}.unregister_deployment", deployment_id=deployment_id)
    pipeline = call(f"{pipelines}.register", name="nightly", pipeline_composition={"load": "s3"})
    at = datetime.datetime(2026, 9, 1, tzinfo=datetime.timezone.utc)
    assert call(f"{pipelines}.update_run_info", id=pipeline.id, execution_time=at, chunks_count=5).last_run_chunks_count == 5
    assert pipeline.id in [one.id for one in call(f"{pipelines}.list")]


def text_of(events):
    return "".join(event.data.choices[0].delta.content or "" for event in events)


def responses(call):
    asked = {"model": "small", "instructions": "Be kind.", "metadata": {"a": "b"}, "temperature": 0.5}
    history = [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]
    answer = call("responses.create", input=history, **asked)
    assert answer.output[0].content[0].text == "Hello there", answer
    events = call("responses.create", input="Hi", stream=True, **asked)
    assert [event.data.sequence_number for event in events] == list(range(len(events))), events
    assert events[-1].data.response.usage.total_tokens == 10
    assert call("responses.count_input_tokens", model="small", input="Hi", instructions="Be kind.").input_tokens > 0


def embeddings(call):
    vectors = call("embeddings.create", model="vectors", inputs=["one", "two"], output_dimension=8)
    assert [len(vector.embedding) for vector in vectors.data] == [8, 8]


def moderation(call):
    assert len(call("classifiers.moderate", model="judge", inputs=["hello", "you"]).results) == 2
    assert len(call("classifiers.moderate_chat", model="judge", inputs=[MESSAGES, MESSAGES]).results) == 2
    classified = call("classifiers.classify", model="labels", inputs=["hello", "you"]).results
    assert classified[1]["topic"].scores["billing"] == 0.9
    assert len(call("classifiers.classify_chat", model="labels", input=[{"messages": MESSAGES}]).results) == 1


def speech(call):
    asked = {"input": "Good day.", "model": "studio", "response_format": "wav"}
    assert base64.b64decode(call("audio.speech.complete", **asked).audio_data)[:4] == b"RIFF"
    assert call("audio.speech.complete", **asked, stream=True)[-1].event == "speech.audio.done"


def transcription(call):
    file = {"file_name": "day.wav", "content": b"RIFF and some sound"}
    asked = {"model": "ear", "file": file, "language": "en", "timestamp_granularities": ["segment"]}
    assert call("audio.transcriptions.complete", **asked, context_bias=["day", "Ada"]).segments[0].end == 1
    assert call("audio.transcriptions.stream", **asked)[-1].event == "transcription.done"
    asked = {"model": "ear", "purpose": "realtime"}
    assert call("realtime.sessions.create", request=asked).client_secret.value


def voices(call):
    sample = io.BytesIO()
    with wave.open(sample, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(16000))
    audio = base64.b64encode(sample.getvalue()).decode()
    made = call("audio.voices.create", name="Eva", languages=["hu"], sample_audio=audio, sample_filename="eva.wav")
    assert call("audio.voices.update", voice_id=made.id, tags=["calm"]).tags == ["calm"]
    assert call("audio.voices.get", voice_id=made.id).name == "Eva"
    assert made.id in [voice.id for voice in call("audio.voices.list", type_="all", limit=50).items]
    pages = call("audio.voices.search", page_size=1, language=["hu"], query="eva")
    assert made.id in [voice.id for page in pages for voice in page.data]
    assert call("audio.voices.get_sample_audio", voice_id=made.id) == sample.getvalue()
    assert call("audio.voices.delete", voice_id=made.id).id == made.id


def files(call):
    content = b'{"n":1}\n'
    made = call("files.upload", file={"file_name": "a.jsonl", "content": content}, purpose="batch", expiry=5)
    assert made.id in [file.id for file in call("files.list", search="a.jsonl", include_total=True).data]
    assert call("files.retrieve", file_id=made.id).size_bytes == len(content)
    assert call("files.download", file_id=made.id) == content
    signed = call("files.get_signed_url", file_id=made.id, expiry=1)
    assert urllib.request.urlopen(signed.url).read() == content
    assert call("files.delete", file_id=made.id).deleted


def libraries(call):
    room = "beta.libraries."
    made = call(room + "create", name="Tides", description="Of the sea.", chunk_size=512, owner_type="User")
    library = {"library_id": made.id}
    assert made.id in [one.id for one in call(room + "list", search="tid", filter_owned_by_me=True, page=0).data]
    assert call(room + "update", **library, name="Seas").name == "Seas"
    call(room + "libraries_update_v1", **library, description="Of all seas.")
    assert call(room + "get", **library).description == "Of all seas."
    content = b"# Tide\n\nIt rises twice a day.\n"
    uploaded = call(room + "documents.upload", **library, file={"file_name": "tide.md", "content": content})
    place = {**library, "document_id": uploaded.id}
    while call(room + "documents.status", **place).processing_status == "Running":
        time.sleep(0.02)
    assert call(room + "documents.get", **place).process_status == "done"
    assert "rises" in call(room + "documents.text_content", **place, page_start=0, page_end=0).text
    changed = call(room + "documents.update", **place, attributes={"sea": "north", "depths": [1, 2], "open": True})
    assert changed.attributes["sea"] == "north"
    call(room + "documents.libraries_documents_update_v1", **place, name="sea.md")
    asked = {"search": "sea", "filters_attributes": '{"sea":"north"}', "sort_by": "name", "sort_order": "asc"}
    assert call(room + "documents.list", **library, **asked, page_size=10, page=0).pagination.total_items == 1
    for name in ["get_signed_url", "extracted_text_signed_url"]:
        assert b"Tide" in urllib.request.urlopen(call(room + "documents." + name, **place)).read()
    call(room + "documents.reprocess", **place)
    organization = call(room + "accesses.list", **library).data[0].org_id
    entity = {**library, "share_with_uuid": organization, "share_with_type": "Org", "org_id": organization}
    assert call(room + "accesses.update_or_create", **entity, level="Viewer").role == "Viewer"
    call(room + "accesses.delete", **entity)
    call(room + "documents.delete", **place)
    call(room + "delete", **library)


def batch(call):
    requests = [{"custom_id": name, "body": {"messages": MESSAGES}} for name in "ab"]
    path = "/v1/chat/completions"
    made = call("batch.jobs.create", endpoint=path, model="small", requests=requests, metadata={"team": "green"})
    while (job := call("batch.jobs.get", job_id=made.id, inline=True)).status != "SUCCESS":
        time.sleep(0.02)
    assert len(job.outputs) == 2
    assert made.id in [one.id for one in call("batch.jobs.list", metadata={"team": "green"}).data]
    assert call("batch.jobs.cancel", job_id=made.id).status == "SUCCESS"
    assert call("batch.jobs.delete", job_id=made.id).deleted


def registry(call, room, id_name, first, second):
    name = f"swept-{uuid.uuid4()}"
    made = call(f"{room}.create", name=name, definition=first, aliases=["live"], notes="initial")
    id = {id_name: made.id}
    assert call(f"{room}.create_version", **id, definition=second).version == 2
    assert call(f"{room}.get", **{id_name: name}, alias="live").version == 1
    assert call(f"{room}.get_version", **id, version=1).notes == "initial"
    assert len(call(f"{room}.list_versions", **id).data) == 2
    assert call(f"{room}.update_version_metadata", **id, version=2, aliases={"values": ["live"]}).version == 2
    assert call(f"{room}.update_metadata", **id, sharing_scope="workspace").sharing_scope == "workspace"
    assert made.id in [one.id for page in call(f"{room}.list", page_size=1) for one in page.data]
    call(f"{room}.delete", **id)


def prompts(call):
    first = {"content": "Hi {{who}}", "variables": [{"name": "who"}]}
    registry(call, "beta.prompts", "prompt_id", first, {"content": "Hello"})


def skills(call):
    assets = {"run.bin": {"raw_content": "AAEC", "is_executable": True}}
    first = {"description": "Use for notes.", "body": "# Notes\n", "assets": assets}
    registry(call, "beta.skills", "skill_id", first, {"description": "New.", "body": "# Two\n"})


def agents(call):
    id = call("beta.agents.create", model="small", name="Poet", instructions="Rhyme.").id
    assert call("beta.agents.update", agent_id=id, instructions="Prose.").version == 1
    assert call("beta.agents.update_version", agent_id=id, version=0).instructions == "Rhyme."
    assert len(call("beta.agents.list_versions", agent_id=id)) == 2
    assert call("beta.agents.get_version", agent_id=id, version="1").instructions == "Prose."
    assert call("beta.agents.create_version_alias", agent_id=id, alias="stable", version=1).version == 1
    assert [one.alias for one in call("beta.agents.list_version_aliases", agent_id=id)] == ["stable"]
    assert call("beta.agents.get", agent_id=id, agent_version="stable").version == 1
    call("beta.agents.delete_version_alias", agent_id=id, alias="stable")
    assert id in [agent.id for agent in call("beta.agents.list")]
    assert id in [agent.id for page in call("beta.agents.list_pages", page_size=1) for agent in page.data]
    assert call("agents.complete", agent_id=id, messages=MESSAGES).choices[0].message.content == "Hello there"
    assert text_of(call("agents.stream", agent_id=id, messages=MESSAGES)) == "Hello there"
    call("beta.agents.delete", agent_id=id)


def conversations(call):
    room = "beta.conversations."
    started = call(room + "start", model="small", inputs="Hi", metadata={"team": "green"})
    id = {"conversation_id": started.conversation_id}
    assert started.outputs[0].content == "Hello there"
    assert call(room + "append", **id, inputs=MESSAGES).outputs[0].content == "Hello there"
    streams = [
        call(room + "start_stream", model="small", inputs="Hi"),
        call(room + "append_stream", **id, inputs="Again"),
    ]
    entries = call(room + "get_history", **id).entries
    assert call(room + "restart", **id, from_entry_id=entries[1].id, inputs="Otherwise").conversation_id != id
    streams.append(call(room + "restart_stream", **id, from_entry_id=entries[1].id, inputs="Otherwise"))
    for events in streams:
        assert [events[0].event, events[-1].event] == ["conversation.response.started", "conversation.response.done"]
    assert len(call(room + "get_messages", **id).messages) >= 4
    assert call(room + "get", **id).id == started.conversation_id
    assert started.conversation_id in [one.id for one in call(room + "list", metadata={"team": "green"})]
    call(room + "delete", **id)


def runs_of_conversations(call):
    """They start a conversation and go on with it."""
    from mistralai.extra.run.context import RunContext

    said = call("beta.conversations.run", RunContext(model="small"), inputs="Hi")
    assert said.output_as_text == "Hello there", said
    streamed = call("beta.conversations.run_stream", RunContext(model="small"), inputs="Hi")
    assert streamed[-1].output_as_text == "Hello there", streamed


def definitions(call):
    pages = call("workflows.get_workflows", limit=1, active_only=True)
    assert [one.name for page in pages for one in page.workflows] == ["greet", "listen"]
    greet = {"workflow_identifier": "greet"}
    workflow = call("workflows.get_workflow", **greet).workflow
    assert call("workflows.update_workflow", **greet, display_name="Greetings", tags=["hi"]).workflow.tags == ["hi"]
    call("workflows.add_workflow_tags", **greet, tags=["there"])
    assert call("workflows.get_workflow", **greet).workflow.tags == ["hi", "there"]
    registrations = call("workflows.get_workflow_registrations", with_workflow=True, limit=10).workflow_registrations
    id = next(one.id for one in registrations if one.workflow.name == "greet")
    registration = {"workflow_registration_id": id}
    assert call("workflows.get_workflow_registration", **registration).workflow_registration.id == id
    name = {"name": "Bo"}
    ran = call("workflows.execute_workflow_registration", **registration, input=name, wait_for_result=True)
    assert ran.result == "Hello, Bo", ran
    assert call("workflows.execute_workflow_and_wait", **greet, input=name, polling_interval=0) == "Hello, Bo"
    started = call("workflows.execute_workflow", **greet, input=name)
    waited = call("workflows.wait_for_workflow_completion", execution_id=started.execution_id, polling_interval=0)
    assert waited.result == "Hello, Bo"
    assert call("workflows.archive_workflow", **greet).workflow.archived
    assert not call("workflows.unarchive_workflow", **greet).workflow.archived
    assert len(call("workflows.bulk_archive_workflows", workflow_ids=[workflow.id]).archived) == 1
    assert len(call("workflows.bulk_unarchive_workflows", workflow_ids=[workflow.id]).unarchived) == 1
    assert call("workflows.metrics.get_workflow_metrics", workflow_name="greet").execution_count.value >= 1


def executions(call):
    room = "workflows.executions."

    def start():
        return call("workflows.execute_workflow", workflow_identifier="listen", input={}).execution_id

    id = start()
    execution = {"execution_id": id}
    assert call(room + "query_workflow_execution", **execution, name="state").result == "listens"
    assert call(room + "update_workflow_execution", **execution, name="change", input={"a": 1}).result == {"a": 1}
    call(room + "signal_workflow_execution", **execution, name="go", input={"x": 1})
    streams = [
        call("workflows.events.get_stream_events", root_workflow_exec_id=id),
        call("events.get_stream_events", root_workflow_exec_id=id),
        call(room + "stream", **execution, event_source="DATABASE"),
    ]
    for events in streams:
        assert events[-1].data.data.event_type == "WORKFLOW_EXECUTION_COMPLETED", events
    for list in ["workflows.events", "events"]:
        listed = call(f"{list}.get_workflow_events", root_workflow_exec_id=id).events
        assert listed[-1].event_type == "WORKFLOW_EXECUTION_COMPLETED"
    done = call(room + "get_workflow_execution", **execution)
    assert done.status == "COMPLETED"
    assert call(room + "get_workflow_execution_history", **execution)
    # Workers say their last words a moment after the end.
    while not call(room + "get_workflow_execution_logs", **execution).results:
        time.sleep(0.05)
    assert len(call(room + "stream_workflow_execution_logs", **execution)) == 1
    assert call(room + "get_workflow_execution_trace_info", **execution).otel_trace_id
    assert call(room + "get_workflow_execution_trace_otel", **execution).otel_trace_data
    assert call(room + "get_workflow_execution_trace_summary", **execution).span_tree
    assert call(room + "get_workflow_execution_trace_events", **execution, merge_same_id_events=True).events
    assert call("workflows.runs.get_run", run_id=done.run_id).execution_id == id
    assert call("workflows.runs.get_run_history", run_id=done.run_id)
    assert len(call("workflows.runs.list_runs", root_execution_id=id)[0].executions) == 1
    call(room + "reset_workflow", **execution, event_id=4, reason="again")
    call(room + "cancel_workflow_execution", execution_id=start())
    call(room + "terminate_workflow_execution", execution_id=start())
    a, b = start(), start()
    assert call(room + "batch_cancel_workflow_executions", execution_ids=[a]).results[a].status == "success"
    assert call(room + "batch_terminate_workflow_executions", execution_ids=[b]).results[b].status == "success"


def schedules(call):
    room = "workflows.schedules."
    plan = {"input": {"name": "all"}, "cron_expressions": ["0 7 * * mon-fri"], "time_zone_name": "Europe/Paris"}
    made = call(room + "schedule_workflow", workflow_identifier="greet", schedule=plan)
    id = {"schedule_id": made.schedule_id}
    call(room + "update_schedule", **id, schedule={"policy": {"overlap": 2}})
    call(room + "pause_schedule", **id, note="soon")
    assert call(room + "get_schedule", **id).paused
    call(room + "resume_schedule", **id)
    call(room + "trigger_schedule", **id)
    pages = call(room + "get_schedules", workflow_name="greet")
    assert made.schedule_id in [one.schedule_id for page in pages for one in page.schedules]
    call(room + "unschedule_workflow", **id)


def deployments(call):
    room = "workflows.deployments."
    call("workflows.execute_workflow", workflow_identifier="listen", input={})
    assert [one.name for one in call(room + "list_deployments").deployments] == ["main"]
    main = {"name": "main"}
    assert len(call(room + "get_deployment", **main).workers) == 1
    assert len(call(room + "list_deployment_workers", **main).workers) == 1
    # It goes on for as long as the deployment does.
    assert call(room + "stream_deployment_logs", **main, most=1)[0].data
    assert call(room + "get_deployment_logs", **main).results
    # Who starts and stops workers is their operator: the answer is always the same sentence.
    for name, given in {
        "create_deployment": {"name": "x", "spec": {"github_url": "https://example.test/x"}},
        "update_deployment": main,
        "delete_deployment": main,
        "stop_deployment": main,
        "start_deployment": main,
        "restart_deployment": main,
    }.items():
        try:
            call(room + name, **given)
            raise AssertionError(f"{name} was not refused")
        except Exception as error:
            assert getattr(error, "status_code", None) == 409, error
