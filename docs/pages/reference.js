// Makes the forms of the reference send requests, and the search find what is in the navigation.
const base = document.querySelector("[data-base]").dataset.base;
const credentials = document.querySelector("form.credentials");
const { bearer } = credentials.elements;
const storage = `loyalty ${credentials.dataset.kind}`;

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
  const answer = await (await post("/sp/auth/token", body)).json();
  if (answer.success) {
    bearer.value = answer.data.access_token;
    sessionStorage.setItem(storage, bearer.value);
  }
  say(answer.success ? "There is a token. It is valid for two hours." : answer.message);
});

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

/** JSON with the colours of its names and values, as the page shows it at first. */
function coloured(json) {
  const parts = json.split(/("(?:\\.|[^"\\])*"|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)/);
  const kindOf = (text, next) => {
    if (text.startsWith('"')) return next.startsWith(":") ? "name" : "text";
    return /^[a-z]/.test(text) ? "word" : "number";
  };
  return parts.map((text, index) => {
    if (index % 2 === 0) return text;
    const part = document.createElement("span");
    part.className = kindOf(text, parts[index + 1]);
    part.textContent = text;
    return part;
  });
}

/** Gives a write another key, so that the next try is another write. */
function renewKey(field) {
  field.value = field.value.replace(/("idempotency_key": *)"[^"]*"/, `$1"try-${crypto.randomUUID()}"`);
}

/** What one operation returns, and others take: their examples get it. */
const passedOn = [
  "sale_id",
  "redemption_id",
  "movement_id",
  "benefit_id",
  "client_id",
  "client_secret",
  "to",
];

/** A day to which a sandbox's clock can be advanced. */
function nextMonth(time) {
  if (time === undefined) return undefined;
  return new Date(Date.parse(`${time.slice(0, 10)}T00:00Z`) + 31 * 86_400_000).toISOString().slice(0, 10);
}

function passOn(values) {
  for (const name of passedOn.filter((each) => values?.[each] !== undefined)) {
    const pattern = new RegExp(`("${name}": *)(?:\\d+|"[^"]*")`);
    for (const field of document.querySelectorAll("form.try textarea")) {
      field.value = field.value.replace(pattern, (_, before) => before + JSON.stringify(values[name]));
    }
  }
}

for (const form of document.querySelectorAll("form.try")) {
  const field = form.querySelector("textarea");
  renewKey(field);
  form.querySelector(".new-key")?.addEventListener("click", () => renewKey(field));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = form.querySelector("output");
    const label = form.querySelector(".label");
    output.textContent = "…";
    try {
      const startedAt = performance.now();
      const response = await post(form.dataset.path, field.value, bearer.value);
      const text = await response.text();
      const replayed = response.headers.has("idempotent-replayed")
        ? ". Replayed: nothing was done again."
        : "";
      output.textContent = `${Math.round(performance.now() - startedAt)} ms${replayed}`;
      label.textContent = `Response, ${response.status}`;
      const answer = JSON.parse(text);
      form.querySelector("pre code").replaceChildren(...coloured(JSON.stringify(answer, null, 2)));
      passOn({ ...answer.data, to: nextMonth(answer.data?.clock_at) });
      form.dataset.status = response.status;
    } catch (error) {
      output.textContent = `No response: ${error.message}`;
    }
  });
}

const search = document.querySelector("#search");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/);
  document.querySelector("nav.list").classList.toggle("searching", search.value.trim() !== "");
  for (const item of document.querySelectorAll("nav.list li")) {
    const text = item.textContent.toLowerCase();
    item.hidden = !words.every((word) => text.includes(word));
  }
  for (const list of document.querySelectorAll("nav.list ul")) {
    const isEmpty = !list.querySelector("li:not([hidden])");
    list.hidden = isEmpty;
    if (list.previousElementSibling) list.previousElementSibling.hidden = isEmpty;
  }
});

// Marks the operation that is being read.
const entries = new Map(
  [...document.querySelectorAll("nav.list a[href^='#']")].map((link) => [
    link.getAttribute("href").slice(1),
    link,
  ]),
);
const observer = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) continue;
      for (const link of entries.values()) link.removeAttribute("aria-current");
      entries.get(target.id)?.setAttribute("aria-current", "true");
    }
  },
  { rootMargin: "-20% 0px -70% 0px" },
);
for (const section of document.querySelectorAll("section.operation")) observer.observe(section);
