"""Every operation on files through the official SDK; prints what came back as one JSON object."""
import json
import sys
import urllib.request

from mistralai.client import Mistral

url, key = sys.argv[1], sys.argv[2]
files = Mistral(server_url=url, api_key=key).files
content = "été\n".encode() * 1000

created = files.upload(file={"file_name": "été.jsonl", "content": content}, purpose="batch", expiry=5, visibility="user")
signed = files.get_signed_url(file_id=created.id, expiry=2)
listed = files.list(purpose="batch", search="ÉTÉ", sample_type=["batch_request", "batch_error"], source=["upload"], page_size=5)
result = {
    "created": created.model_dump(mode="json"),
    "listed": [file.id for file in listed.data],
    "total": listed.total,
    "retrieved": files.retrieve(file_id=created.id).model_dump(mode="json"),
    "downloaded": files.download(file_id=created.id).read() == content,
    "signed": urllib.request.urlopen(signed.url).read() == content,
    "deleted": files.delete(file_id=created.id).model_dump(mode="json"),
    "left": files.list().total,
}
print(json.dumps(result))
