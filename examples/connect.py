"""The official client, pointed at your server."""
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("TRAMONTANE_URL", "http://127.0.0.1:4747")
API_KEY = os.environ.get("TRAMONTANE_API_KEY", "")
# The public name stands for the first chat model that the server has.
MODEL = os.environ.get("MODEL", "mistral-small-latest")


def connect():
    """Returns a client, or ends the program with a sentence if the server cannot be used."""
    check()
    from mistralai.client import Mistral

    return Mistral(server_url=URL, api_key=API_KEY)


def check():
    if not API_KEY:
        sys.exit(
            'Set TRAMONTANE_API_KEY to the key that the first "npm start" printed, '
            "or make one: npx tramontane keys create"
        )
    request = urllib.request.Request(f"{URL}/v1/models", headers={"authorization": f"Bearer {API_KEY}"})
    try:
        urllib.request.urlopen(request).close()
    except urllib.error.HTTPError as error:
        if error.code == 401:
            sys.exit(f"The server at {URL} does not accept the key in TRAMONTANE_API_KEY.")
        sys.exit(f"The server at {URL} answers {error.code}: {error.read().decode()}")
    except OSError:
        sys.exit(f'No server answers at {URL}. Start one with "npm start", or set TRAMONTANE_URL.')
