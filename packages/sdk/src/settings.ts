/** What a caller has to give, checked before anything is sent. What is wrong is named; its value is not shown. */

/** @throws TypeError */
export function checkedBaseUrl(baseUrl: unknown): string {
  const url = typeof baseUrl === "string" && /^https?:\/\//i.test(baseUrl) ? parsed(baseUrl) : undefined;
  if (url === undefined || url.search || url.hash || url.username || url.password) {
    throw new TypeError(
      "baseUrl must be an http or https URL such as https://loyalty.example.com/api, without credentials, query " +
        `and fragment${whatIs(baseUrl)}`,
    );
  }
  return (baseUrl as string).replace(/\/+$/, "");
}

/** @throws TypeError */
export function checkedText(name: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  throw new TypeError(`${name} must be a string that is not empty${whatIs(value)}`);
}

/** Rejects text that no header can hold: the error of fetch would quote it. @throws TypeError */
export function checkedBearer(token: string): string {
  if (/[^\t\x20-\xff]/.test(token.trim())) {
    throw new TypeError("the token holds characters that no header can hold");
  }
  return token;
}

/** @throws TypeError */
export function checkedInput(path: string, input: unknown): void {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return;
  throw new TypeError(`${path} needs its fields, as an object${whatIs(input)}`);
}

function parsed(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** Of a text that is wrong nothing is said: it may be a secret in the wrong place. */
function whatIs(value: unknown): string {
  if (value === "") return "; got an empty one";
  if (typeof value === "string") return "";
  return `; got ${value === null ? "null" : Array.isArray(value) ? "an array" : typeof value}`;
}
