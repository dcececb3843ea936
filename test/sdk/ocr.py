"""OCR through the official SDK; prints what came back as one JSON object."""
import json
import sys

from mistralai.client import Mistral

url, key, path = sys.argv[1], sys.argv[2], sys.argv[3]
client = Mistral(server_url=url, api_key=key)
with open(path, "rb") as document:
    uploaded = client.files.upload(file={"file_name": "book.pdf", "content": document}, purpose="ocr")
signed = client.files.get_signed_url(file_id=uploaded.id)
whole = client.ocr.process(
    model="mistral-ocr-latest",
    document={"type": "document_url", "document_url": signed.url},
    include_image_base64=True,
    table_format="html",
    extract_header=True,
    extract_footer=True,
    confidence_scores_granularity="word",
)
by_file = client.ocr.process(model="tesseract", document={"type": "file", "file_id": uploaded.id}, pages=[1])
print(json.dumps({"whole": whole.model_dump(mode="json"), "by_file": by_file.model_dump(mode="json")}))
