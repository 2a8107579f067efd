// What the forms of all operations share: the credentials, the language that was chosen, and the ids that responses gave.
import { reactive, watch } from "vue";

/** Stands for the client_secret of the credentials, so that nobody can read it over a shoulder. */
export const masked = "••••••••";

/** What one operation returned, and others take. */
export const passedOn = reactive({});

export const language = reactive({ view: 0 });

export function post(url, body, token) {
  const headers = { "content-type": "application/json" };
  if (token) headers.authorization = `Bearer ${token}`;
  return fetch(url, { method: "POST", headers, body });
}

export const credentials = reactive({
  ...{ clientId: "", clientSecret: "", token: "", key: "", note: "", isLoaded: false },

  /** Tokens and ids are kept for this tab alone, until it is closed. The secret is never stored. */
  load() {
    if (credentials.isLoaded) return;
    credentials.isLoaded = true;
    for (const name of ["token", "key"]) {
      credentials[name] = sessionStorage.getItem(`loyalty ${name}`) ?? "";
      watch(
        () => credentials[name],
        (value) => sessionStorage.setItem(`loyalty ${name}`, value),
      );
    }
    Object.assign(passedOn, JSON.parse(sessionStorage.getItem("loyalty ids") ?? "{}"));
    language.view = Number(localStorage.getItem("loyalty language") ?? 0);
    watch(language, ({ view }) => localStorage.setItem("loyalty language", view));
    watch(
      () => credentials.clientId,
      (client_id) => client_id && remember({ client_id }, ["client_id"]),
    );
  },

  async getToken(base) {
    const { clientId: client_id, clientSecret: client_secret } = credentials;
    const response = await post(`${base}/sp/auth/token`, JSON.stringify({ client_id, client_secret }));
    const envelope = await response.json();
    if (envelope.success) credentials.token = envelope.data.access_token;
    credentials.note = envelope.success ? "There is a token. It is valid for two hours." : envelope.message;
  },
});

/** Keeps the ids of a response for other requests. */
export function remember(data, names) {
  const values = { ...data, to: nextMonth(data?.clock_at) };
  for (const name of names.filter((each) => (values[each] ?? null) !== null)) passedOn[name] = values[name];
  sessionStorage.setItem("loyalty ids", JSON.stringify(passedOn));
}

/** A day to which a sandbox's clock can be advanced. */
function nextMonth(time) {
  if (time === undefined) return undefined;
  return new Date(Date.parse(`${time.slice(0, 10)}T00:00Z`) + 31 * 86_400_000).toISOString().slice(0, 10);
}

/** Reads the file of the demo business. */
export async function useDemo(file, base) {
  try {
    const demo = JSON.parse(await file.text());
    Object.assign(credentials, { clientId: demo.client_id, clientSecret: demo.client_secret });
    await credentials.getToken(base);
  } catch {
    credentials.note = "That is not the file demo.json.";
  }
}
