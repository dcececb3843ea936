# DSPy
# install: pip dspy==3.4.1
# checks: chat, structured

import os
import dspy

lm = dspy.LM(
    "mistral/mistral-small-latest",
    api_base=os.environ["TRAMONTANE_URL"] + "/v1",
    api_key=os.environ["TRAMONTANE_API_KEY"],
)
dspy.configure(lm=lm)
print("chat:", lm("Which wind blows from the north?")[0])
# ---
from pydantic import BaseModel


class Person(BaseModel):
    name: str
    city: str


class Extract(dspy.Signature):
    """Who lives where"""

    text: str = dspy.InputField()
    person: Person = dspy.OutputField()


with dspy.context(adapter=dspy.JSONAdapter()):
    person = dspy.Predict(Extract)(text="Ada lives in Perpignan").person
print(f"structured: {person.name}, {person.city}")
