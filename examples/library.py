"""Questions about your own documents: a library reads and indexes them, and the model cites where it found the answer."""
import sys
import time
from pathlib import Path

from connect import MODEL, connect

client = connect()
libraries, conversations = client.beta.libraries, client.beta.conversations
question = sys.argv[1] if len(sys.argv) > 1 else "What is the total of the invoice?"
paths = [Path(name) for name in sys.argv[2:]] or [Path(__file__).parent / "invoice.pdf"]

library = libraries.create(name="Example", description="Made by an example.")
for path in paths:
    file = {"file_name": path.name, "content": path.read_bytes()}
    document = libraries.documents.upload(library_id=library.id, file=file)
    while document.process_status not in ("done", "error"):
        time.sleep(0.5)
        document = libraries.documents.get(library_id=library.id, document_id=document.id)
    print(f"{document.name}: {document.process_status}, {document.number_of_pages or 0} page(s)")

response = conversations.start(
    model=MODEL,
    inputs=question,
    tools=[{"type": "document_library", "library_ids": [library.id]}],
)
for entry in response.outputs:
    if entry.type != "message.output":
        continue
    content = entry.content if isinstance(entry.content, list) else []
    print("".join(part.text if part.type == "text" else f" [{part.title}]" for part in content) or entry.content)
libraries.delete(library_id=library.id)
