"""Search by meaning: texts and a question as vectors, ranked by their cosine."""
import math
import sys

from connect import connect

TEXTS = [
    "The library opens at nine and closes at six.",
    "Bicycles may be taken on the train for free.",
    "Parking costs two euros an hour on weekdays.",
    "The swimming pool is heated from May to September.",
]


def cosine(a, b):
    return sum(x * y for x, y in zip(a, b)) / (math.hypot(*a) * math.hypot(*b))


client = connect()
question = sys.argv[1] if len(sys.argv) > 1 else "How much does parking cost?"
response = client.embeddings.create(model="mistral-embed", inputs=[question, *TEXTS])
asked, *vectors = [item.embedding for item in response.data]

for score, text in sorted(((cosine(asked, vector), text) for vector, text in zip(vectors, TEXTS)), reverse=True):
    print(f"{score:.3f}  {text}")
