# Instructor
# install: pip instructor==1.17.0 mistralai==2.10.1
# checks: structured

import os
import instructor
from mistralai.client import Mistral
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    city: str


mistral = Mistral(server_url=os.environ["TRAMONTANE_URL"], api_key=os.environ["TRAMONTANE_API_KEY"])
client = instructor.from_mistral(mistral, model="mistral-small-latest")
question = [{"role": "user", "content": "Who lives where?"}]
person = client.create(response_model=Person, messages=question)
print(f"structured: {person.name}, {person.city}")
# ---
for partial in client.create_partial(response_model=Person, messages=question):
    pass
print(f"stream: {partial.name}, {partial.city}")
