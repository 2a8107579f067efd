/** Verifies webhooks, as the Standard Webhooks specification says. It needs the Web Crypto API and nothing else. */
import type { LoyaltyEvent } from "./generated/events.ts";

/** The headers of a request: of fetch, or of Node's HTTP server. */
export type WebhookHeaders =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyWebhookOptions {
  /** How many seconds the time of the webhook may differ from the clock, in both directions; 300 by default. */
  readonly toleranceSeconds?: number | undefined;
  /** The time in milliseconds; `Date.now` by default. */
  readonly clock?: (() => number) | undefined;
}

/** A webhook that the service sent. */
export interface Webhook {
  /**
   * The same on every attempt: keep it to recognize an event that you have already processed. That of a test begins with
   * `evt_test_`: respond to it, and don't process it, because its event is an example.
   */
  readonly id: string;
  readonly event: LoyaltyEvent;
}

/** Why a request is not a webhook that the service sent now. */
export type WebhookProblem =
  | "missing_header"
  | "invalid_timestamp"
  | "too_old"
  | "too_new"
  | "invalid_signature"
  | "invalid_body";

/** The request is not a webhook that the service sent now. Respond with status 400. */
export class WebhookError extends Error {
  override readonly name: string = "WebhookError";
  readonly reason: WebhookProblem;

  constructor(reason: WebhookProblem, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Verifies that the service sent a webhook, and that it did so within the last minutes.
 * @param body the body as it was received, before any parser changes it
 * @param secret of the endpoint, `whsec_…`; during a rotation, both secrets
 * @throws WebhookError when it is not a webhook of the service; TypeError when an argument can't be right
 */
export async function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, clock = Date.now }: VerifyWebhookOptions = {},
): Promise<Webhook> {
  const secrets = (typeof secret === "string" ? [secret] : secret).map(keyOf);
  if (secrets.length === 0) throw new TypeError("verifyWebhook needs the secret of the endpoint");
  const bytes = bytesOf(body);
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  checkTime(timestamp, clock() / 1000, toleranceSeconds);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  if (!(await isSigned(signed, signatures, secrets))) {
    throw new WebhookError(
      "invalid_signature",
      "No signature matches. Check that the secret is that of this endpoint, and that the body is as it was received.",
    );
  }
  return { id, event: eventOf(bytes) };
}

/** Signs a message as the service does. @param secret `whsec_…` @param message its time is in seconds */
export async function signWebhook(
  secret: string,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): Promise<string> {
  const { subtle } = crypto;
  const key = await subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const text = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signature = new Uint8Array(await subtle.sign("HMAC", key, text));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

/** The bytes of a secret. An error does not contain it. */
function keyOf(secret: unknown): Uint8Array<ArrayBuffer> {
  const problem = "the secret of a webhook endpoint is whsec_ and base64, as the service showed it";
  if (typeof secret !== "string") throw new TypeError(problem);
  const key = fromBase64(secret.replace(/^whsec_/, ""));
  if (key === undefined || key.length < 16) throw new TypeError(problem);
  return key;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError("verifyWebhook needs the body as it was received, as text or bytes, and not parsed");
}

function headerOf(headers: WebhookHeaders, name: string): string {
  let value: unknown;
  if (typeof headers.get === "function") value = headers.get(name);
  else {
    const [, found] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
    value = Array.isArray(found) ? found.join(" ") : found;
  }
  if (typeof value === "string" && value !== "") return value;
  throw new WebhookError("missing_header", `The request has no header ${name}.`);
}

function checkTime(timestamp: string, now: number, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookError("invalid_timestamp", "The header webhook-timestamp is no number of seconds.");
  }
  const age = Math.round(now - Number(timestamp));
  const check = "Check the clock of this computer.";
  if (age > tolerance) throw new WebhookError("too_old", `The webhook was sent ${age} seconds ago. ${check}`);
  if (age < -tolerance) {
    throw new WebhookError("too_new", `The webhook was sent ${-age} seconds in the future. ${check}`);
  }
}

/** Whether one of the signatures was made with one of the keys. `subtle.verify` compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  header: string,
  secrets: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  const { subtle } = crypto;
  const signatures = header.split(" ").flatMap((part) => {
    return part.startsWith("v1,") ? (fromBase64(part.slice(3)) ?? []) : [];
  });
  for (const secret of secrets) {
    const key = await subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) {
      if (await subtle.verify("HMAC", key, signature, signed)) return true;
    }
  }
  return false;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function eventOf(bytes: Uint8Array): LoyaltyEvent {
  let event: Partial<LoyaltyEvent> | null | undefined;
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The signature is valid, so this is a body of another program with the secret.
  }
  if (typeof event?.type === "string" && typeof event.data === "object" && event.data !== null) {
    return event as LoyaltyEvent;
  }
  throw new WebhookError("invalid_body", "The body is no event of the service.");
}
