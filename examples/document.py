"""A question about a document: OCR on the server makes it Markdown, and the model reads that."""
import sys
from pathlib import Path

from connect import MODEL, connect

client = connect()
path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "invoice.pdf"
question = sys.argv[2] if len(sys.argv) > 2 else "What is the total, and until when must it be paid?"

uploaded = client.files.upload(file={"file_name": path.name, "content": path.read_bytes()}, purpose="ocr")
read = client.ocr.process(model="mistral-ocr-latest", document={"type": "file", "file_id": uploaded.id})
client.files.delete(file_id=uploaded.id)
markdown = "\n\n".join(page.markdown for page in read.pages)
print(f"{path.name}: {len(read.pages)} page(s), {len(markdown)} characters")

response = client.chat.complete(
    model=MODEL,
    messages=[
        {"role": "system", "content": f"Answer from this document only.\n\n{markdown}"},
        {"role": "user", "content": question},
    ],
)
print(response.choices[0].message.content)
