"""Other vendors' Python clients against a running server. Prints one line for each that worked."""
import asyncio
import io
import json
import os
import sys

URL, KEY = sys.argv[1], sys.argv[2]
OPENAI = f"{URL}/openai/v1"
os.environ.update(OPENAI_BASE_URL=OPENAI, OPENAI_API_KEY=KEY, OPENAI_AGENTS_DISABLE_TRACING="1")
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True")
MESSAGES = [{"role": "user", "content": "Hi"}]
TEXT = "Hello there"


def openai_sdk():
    from openai import NotFoundError, OpenAI
    from pydantic import BaseModel

    class Person(BaseModel):
        name: str

    client = OpenAI(max_retries=0)
    assert client.chat.completions.create(model="small", messages=MESSAGES).choices[0].message.content == TEXT
    chunks = list(
        client.chat.completions.create(
            model="small", messages=MESSAGES, stream=True, stream_options={"include_usage": True}
        )
    )
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == TEXT
    assert chunks[-1].usage.total_tokens == 10
    parsed = client.chat.completions.parse(model="small", messages=MESSAGES, response_format=Person)
    assert parsed.choices[0].message.parsed.name == "Ada"
    first = client.responses.create(model="small", input="Hi")
    assert first.output_text == TEXT
    second = client.responses.create(model="small", input="And?", previous_response_id=first.id)
    assert client.responses.retrieve(second.id).output_text == TEXT
    assert client.responses.parse(model="small", input="Hi", text_format=Person, store=False).output_parsed.name == "Ada"
    with client.responses.stream(model="small", input="Hi") as stream:
        for _ in stream:
            pass
        assert stream.get_final_response().output_text == TEXT
    line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "small", "messages": MESSAGES}}
    file = client.files.create(file=("in.jsonl", io.BytesIO(json.dumps(line).encode())), purpose="batch")
    batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
    assert client.batches.retrieve(batch.id).id == batch.id
    client.files.delete(file.id)
    try:
        client.chat.completions.create(model="nothing", messages=MESSAGES)
    except NotFoundError as error:
        assert error.code == "model_not_found"


def openai_agents():
    from agents import Agent, Runner, SQLiteSession, function_tool, set_default_openai_api

    @function_tool
    def weather(city: str) -> str:
        """The weather of a city."""
        return f"Sun in {city}"

    async def run():
        for api in ("responses", "chat_completions"):
            set_default_openai_api(api)
            agent = Agent(name="Helper", instructions="Use tools.", model="caller", tools=[weather])
            assert (await Runner.run(agent, "Weather in Nice?")).final_output == "Sun in Nice"
            session = SQLiteSession(f"one-{api}")
            plain = Agent(name="Plain", model="small")
            assert (await Runner.run(plain, "Hi", session=session)).final_output == TEXT
            assert (await Runner.run(plain, "Again", session=session)).final_output == TEXT
            streamed = Runner.run_streamed(plain, "Hi")
            async for _ in streamed.stream_events():
                pass
            assert streamed.final_output == TEXT

    asyncio.run(run())


def langchain_openai():
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    for more in ({}, {"use_responses_api": True}):
        model = ChatOpenAI(model="small", max_retries=0, **more)
        assert model.invoke("Hi").text == TEXT
        assert "".join(chunk.text for chunk in model.stream("Hi")) == TEXT
    vectors = OpenAIEmbeddings(model="vectors", check_embedding_ctx_length=False).embed_documents(["hello world", "hi"])
    assert len(vectors) == 2 and len(vectors[0]) == 4, vectors


def litellm():
    import litellm

    common = {"model": "openai/small", "messages": MESSAGES, "api_base": OPENAI, "api_key": KEY}
    assert litellm.completion(**common).choices[0].message.content == TEXT
    streamed = litellm.completion(**common, stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in streamed) == TEXT
    claude = litellm.completion(model="anthropic/small", messages=MESSAGES, api_base=f"{URL}/anthropic", api_key=KEY)
    assert claude.choices[0].message.content == TEXT


def anthropic_sdk():
    from anthropic import Anthropic

    client = Anthropic(base_url=f"{URL}/anthropic", api_key=KEY, max_retries=0)
    common = {"model": "small", "max_tokens": 100, "messages": MESSAGES}
    assert client.messages.create(**common).content[0].text == TEXT
    with client.messages.stream(**common) as stream:
        assert "".join(stream.text_stream) == TEXT
        assert stream.get_final_message().usage.output_tokens == 3
    assert client.messages.count_tokens(model="small", messages=MESSAGES).input_tokens > 0


for client in (openai_sdk, openai_agents, langchain_openai, litellm, anthropic_sdk):
    client()
    print(f"worked: {client.__name__}", flush=True)
