// Makes the forms of the reference send requests, and keeps the code beside them up to date.
import { highlight, samples } from "./code.js";

const { base, ids } = document.querySelector(".api").dataset;
const credentials = document.querySelector("form.credentials");
const { bearer } = credentials.elements;
const storage = `loyalty ${credentials.dataset.kind}`;
/** Stands for the client_secret of the credentials, so that nobody can read it over a shoulder. */
const maskedSecret = "••••••••";

// For this tab alone, until it is closed.
bearer.value = sessionStorage.getItem(storage) ?? "";
bearer.addEventListener("input", () => sessionStorage.setItem(storage, bearer.value));

function say(text) {
  credentials.querySelector("output").textContent = text;
}

async function post(path, body, token) {
  const headers = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  return fetch(base + path, { method: "POST", headers, body });
}

credentials.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { client_id, client_secret } = credentials.elements;
  if (client_id === undefined) return;
  const body = JSON.stringify({ client_id: client_id.value, client_secret: client_secret.value });
  const envelope = await (await post("/sp/auth/token", body)).json();
  if (envelope.success) {
    bearer.value = envelope.data.access_token;
    sessionStorage.setItem(storage, bearer.value);
  }
  say(envelope.success ? "There is a token. It is valid for two hours." : envelope.message);
});

credentials.elements.client_id?.addEventListener("input", ({ target }) =>
  passOn({ client_id: target.value }),
);

credentials.elements.demo?.addEventListener("change", async ({ target }) => {
  try {
    const demo = JSON.parse(await target.files[0].text());
    credentials.elements.client_id.value = demo.client_id;
    credentials.elements.client_secret.value = demo.client_secret;
    passOn(demo);
    credentials.requestSubmit();
  } catch {
    say("That is not the file demo.json.");
  }
});

/** Gives a write another key, so that the next try is another write. */
function renewKey(field) {
  const [one, other] = crypto.getRandomValues(new Uint32Array(2));
  const key = `try-${one.toString(36)}${other.toString(36)}`;
  field.value = field.value.replace(/("idempotency_key": *)"[^"]*"/, `$1"${key}"`);
}

/** What one operation returns, and others take: their examples get it. */
const passedOn = [...ids.split(" "), "client_id", "to"];

/** A day to which a sandbox's clock can be advanced. */
function nextMonth(time) {
  if (time === undefined) return undefined;
  return new Date(Date.parse(`${time.slice(0, 10)}T00:00Z`) + 31 * 86_400_000).toISOString().slice(0, 10);
}

function passOn(values) {
  for (const name of passedOn.filter((each) => (values?.[each] ?? null) !== null)) {
    const pattern = new RegExp(`("${name}": *)(?:\\d+|"[^"]*")`);
    for (const form of forms) {
      const field = form.querySelector("textarea");
      if (!pattern.test(field.value)) continue;
      field.value = field.value.replace(pattern, (_, before) => before + JSON.stringify(values[name]));
      writeSamples(form);
    }
  }
}

/** The path of a form's operation stands above it. */
const pathOf = (form) => form.closest("section").querySelector(".path code").textContent;

/** The code of a form, for the request that it sends now. */
function writeSamples(form) {
  try {
    const body = JSON.parse(form.querySelector("textarea").value);
    for (const [index, { language, code }] of samples.entries()) {
      const shown = form.querySelector(`[data-sample="${index}"] code`);
      shown.innerHTML = highlight(code(pathOf(form), body), language);
    }
  } catch {
    // The request is no JSON yet. The code stays as it was.
  }
}

async function send(form) {
  const output = form.querySelector("output");
  const { value } = form.querySelector("textarea");
  const secret = JSON.stringify(credentials.elements.client_secret?.value ?? "").slice(1, -1);
  output.textContent = "…";
  try {
    const startedAt = performance.now();
    const body = value.replace(maskedSecret, () => secret);
    const response = await post(pathOf(form), body, bearer.value);
    const text = await response.text();
    const replayed = response.headers.has("idempotent-replayed") ? ". Replayed: nothing was done again." : "";
    output.textContent = `${Math.round(performance.now() - startedAt)} ms${replayed}`;
    form.querySelector(".status").textContent = `Response, ${response.status}`;
    const envelope = JSON.parse(text);
    const shown = form.querySelector(".response code");
    shown.innerHTML = highlight(JSON.stringify(envelope, null, 2), "json");
    passOn({ ...envelope.data, to: nextMonth(envelope.data?.clock_at) });
    form.dataset.status = response.status;
  } catch (error) {
    output.textContent = `No response: ${error.message}`;
  }
}

const forms = document.querySelectorAll("form.try");
for (const form of forms) {
  const field = form.querySelector("textarea");
  for (const [index, { language }] of samples.entries()) {
    const shown = form.querySelector(`[data-sample="${index}"] code`);
    shown.innerHTML = highlight(shown.textContent, language);
  }
  renewKey(field);
  form.querySelector(".new-key")?.addEventListener("click", () => {
    renewKey(field);
    form.querySelector("output").textContent = "";
  });
  field.addEventListener("input", () => writeSamples(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send(form);
  });
}

// All operations show the language that the reader has chosen.
function choose(value) {
  for (const form of forms) form.elements.view.value = value;
}

const chosen = localStorage.getItem("loyalty language");
if (chosen !== null) choose(chosen);
document.addEventListener("change", ({ target }) => {
  if (target.name !== "view") return;
  const { top } = target.getBoundingClientRect();
  choose(target.value);
  localStorage.setItem("loyalty language", target.value);
  // What is above has another height now.
  window.scrollBy(0, target.getBoundingClientRect().top - top);
});
