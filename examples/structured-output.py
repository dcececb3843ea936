"""A reply that fits a schema: the server holds the model to it, the SDK parses it."""
import sys

from connect import MODEL, connect
from pydantic import BaseModel


class Contact(BaseModel):
    name: str
    city: str
    urgent: bool


client = connect()
mail = sys.argv[1] if len(sys.argv) > 1 else (
    "Hello, this is Ada from Perpignan. The roof is leaking, please call me back today!"
)
response = client.chat.parse(
    model=MODEL,
    messages=[{"role": "user", "content": f"Who wrote this, where from, and is it urgent?\n\n{mail}"}],
    response_format=Contact,
)
contact = response.choices[0].message.parsed

print(f"{contact.name} from {contact.city}{': call back today' if contact.urgent else ''}")
