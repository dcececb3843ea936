"""Meets a limit of one request a second, without and with retries, and prints as JSON what the caller sees."""
import json
import sys

from mistralai.client import Mistral, errors
from mistralai.client.utils import BackoffStrategy, RetryConfig

url, key = sys.argv[1], sys.argv[2]
messages = [{"role": "user", "content": "hello"}]
client = Mistral(server_url=url, api_key=key)


def refusal(call):
    """What the first refused call raises; the limit may have refilled before one comes."""
    for _ in range(100):
        try:
            call()
        except errors.SDKError as error:
            return {
                "status": error.status_code,
                "body": json.loads(error.body),
                "retry_after": error.headers.get("retry-after"),
            }
    return None


def stream():
    with client.chat.stream(model="small", messages=messages) as events:
        for _ in events:
            pass


plain = refusal(lambda: client.chat.complete(model="small", messages=messages))
streamed = refusal(stream)
patient = Mistral(
    server_url=url,
    api_key=key,
    retry_config=RetryConfig("backoff", BackoffStrategy(100, 5000, 1.5, 30000), False),
)
answers = [patient.chat.complete(model="small", messages=messages).choices[0].message.content for _ in range(2)]
print(json.dumps({"plain": plain, "streamed": streamed, "answers": answers}))
