"""A client for the loyalty API, made from the service's own OpenAPI document. Python 3.9 or newer, no packages.

Every operation is a method: `membersCreate` in the document is `client.members_create(first_name="Ana", ...)`.
Fields are keyword arguments. A method returns the `data` of the response, or raises LoyaltyError. The method of a list returns
one page; `client.members_list.every(search="lopez")` goes through all items.
"""
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid


class LoyaltyError(Exception):
    """The service rejected a request. `code` is stable; `details` depends on the code."""

    def __init__(self, status, body):
        error = body.get("error", {})
        self.status, self.code, self.details = status, error.get("code"), error.get("details", {})
        super().__init__(f"{status} {self.code}: {body.get('message')} {self.details}")


class LoyaltyClient:
    def __init__(self, base_url, client_id, client_secret, attempts=5):
        self._credentials = {"client_id": client_id, "client_secret": client_secret}
        self._attempts, self._token, self._token_ends = attempts, None, 0.0
        document_url = base_url.rstrip("/") + "/openapi.json"
        with urllib.request.urlopen(document_url, timeout=30) as response:
            document = json.load(response)
        server = urllib.parse.urljoin(document_url, document["servers"][0]["url"])
        for path, item in document["paths"].items():
            operation = item["post"]
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
            name = re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), operation["operationId"])
            setattr(self, name, self._method(name, server + path, operation, schema))

    def _method(self, name, url, operation, schema):
        fields, is_write = set(schema["properties"]), "idempotency_key" in schema["properties"]

        def response(body):
            unknown = set(body) - fields
            if unknown:
                raise TypeError(f"{name} has no field {sorted(unknown)}; it has {sorted(fields)}")
            if is_write:
                # One key for all attempts. Pass your own, such as "sale/2026-04-17/1/812", to be safe across restarts.
                body.setdefault("idempotency_key", str(uuid.uuid4()))
            return self._send(url, body, authenticated=bool(operation["security"]))

        def call(**body):
            return response(body)["data"]

        def every(**body):
            """Each item of a list once, also if others are added meanwhile."""
            page = response({"per_page": 100, **body})
            yield from page["data"]
            while page["meta"]["next"] is not None:
                page = response({"per_page": 100, **body, "after": page["meta"]["next"]})
                yield from page["data"]

        call.__name__, call.__doc__, call.every = name, operation["summary"], every
        return call

    def _send(self, url, body, authenticated):
        for attempt in range(1, self._attempts + 1):
            headers = {"Content-Type": "application/json"}
            if authenticated:
                headers["Authorization"] = "Bearer " + self._valid_token()
            request = urllib.request.Request(url, json.dumps(body).encode(), headers)
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    return json.load(response)
            except urllib.error.HTTPError as failure:
                error = LoyaltyError(failure.code, self._error_body(failure))
                wait = failure.headers.get("Retry-After", "")
                if error.code == "unauthorized" and attempt == 1:
                    self._token = None
                elif failure.code != 429 and failure.code < 500:
                    raise error
            except (OSError, http.client.HTTPException, ValueError) as failure:
                # No response: the outcome is unknown. The same key makes it safe to send again.
                error, wait = failure, ""
            if attempt == self._attempts:
                raise error
            time.sleep(max(int(wait) if wait.isdigit() else 0, 0.25 * 2**attempt))

    @staticmethod
    def _error_body(response):
        try:
            body = json.load(response)
        except ValueError:
            body = None  # A proxy's page.
        return body if isinstance(body, dict) else {"message": "no JSON in the response"}

    def _valid_token(self):
        if self._token is None or time.monotonic() > self._token_ends:
            issued = self.auth_token(**self._credentials)
            self._token, self._token_ends = issued["access_token"], time.monotonic() + issued["expires_in"] - 60
        return self._token
