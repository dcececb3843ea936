"""Every operation on libraries with the official Python SDK; prints what it saw as JSON."""

import json
import sys
import time
import urllib.request

from mistralai.client import Mistral
from mistralai.client.errors import SDKError
from mistralai.client.models import File

url, key = sys.argv[1:]
client = Mistral(api_key=key, server_url=url)
libraries = client.beta.libraries
documents = libraries.documents


def status_of(call):
    try:
        call()
    except SDKError as error:
        return error.status_code


library = libraries.create(name="Mistral Models", description="A simple library.")
seen = {"listed": [one.name for one in libraries.list().data if one.id == library.id]}
content = b"<html><body><p>Grouped-query attention.</p></body></html>"
uploaded = documents.upload(library_id=library.id, file=File(file_name="mistral7b.html", content=content))
place = {"library_id": library.id, "document_id": uploaded.id}
status = documents.status(**place)
while status.processing_status == "Running":
    status = documents.status(**place)
    time.sleep(0.02)
seen["status"] = status.processing_status
document = documents.get(**place)
seen["document"] = [document.name, document.extension, document.number_of_pages, document.process_status]
seen["text"] = documents.text_content(**place, page_start=0, page_end=0).text
links = [documents.get_signed_url(**place), documents.extracted_text_signed_url(**place)]
seen["links"] = [b"attention" in urllib.request.urlopen(link).read() for link in links]
documents.libraries_documents_update_v1(**place, name="mistral.html")
seen["attributes"] = documents.update(**place, attributes={"team": "blue"}).attributes
listed = documents.list(library_id=library.id, filters_attributes='{"team":"blue"}', sort_by="size", sort_order="asc")
seen["found"] = listed.pagination.total_items
documents.reprocess(**place)
libraries.update(library_id=library.id, name="Models")
libraries.libraries_update_v1(library_id=library.id, description="Renamed.")
organization = libraries.accesses.list(library_id=library.id).data[0].org_id
entity = {"library_id": library.id, "share_with_uuid": organization, "share_with_type": "Org"}
libraries.accesses.update_or_create(**entity, level="Editor")
seen["shared"] = [sharing.role for sharing in libraries.accesses.list(library_id=library.id).data]
libraries.accesses.delete(**entity)
documents.delete(**place)
gone = [status_of(lambda: documents.get(**place))]
libraries.delete(library_id=library.id)
seen["deleted"] = [*gone, status_of(lambda: libraries.get(library_id=library.id))]
print(json.dumps(seen))
