/** Webhooks are verified as the reference implementation signs them, and nothing else passes. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook, WebhookError, type WebhookHeaders, type WebhookProblem } from "./index.ts";

const secretOf = (fill: number, length = 24) => `whsec_${Buffer.alloc(length, fill).toString("base64")}`;
const secret = secretOf(1);
const now = new Date("2026-04-17T07:30:00Z");
const at = { clock: () => now.getTime() };
const event = {
  type: "wallet.paid",
  timestamp: "2026-04-17T07:30:00.123456Z",
  data: { business_id: 1, sandbox: false, contact_id: 100001, sequence: 7, amount: 1250, entries: [] },
};
const body = JSON.stringify(event);
const id = "evt_1_7";

function headersFor(text: string, { key = secret, when = now, more = "" } = {}): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(when.getTime() / 1000)),
    "webhook-signature": `${more}${new Webhook(key).sign(id, when, text)}`,
  };
}

async function problemOf(promise: Promise<unknown>): Promise<WebhookProblem | string> {
  try {
    await promise;
    return "valid";
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    return error.reason;
  }
}

describe("a webhook", () => {
  it("is verified, and its event has the type of its kind", async () => {
    const webhook = await verifyWebhook(body, headersFor(body), secret, at);
    expect(webhook).toEqual({ id, event });
    if (webhook.event.type === "wallet.paid") {
      const amount: number = webhook.event.data.amount;
      expect(amount).toBe(1250);
    }
  });

  it.each<[string, (headers: Record<string, string>) => WebhookHeaders]>([
    ["those of fetch", (headers) => new Headers(headers)],
    ["those of Node", (headers) => headers],
    [
      "in capitals",
      (headers) =>
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      "as lists",
      (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ],
  ])("has headers: %s", async (_, form) => {
    expect(await problemOf(verifyWebhook(body, form(headersFor(body)), secret, at))).toBe("valid");
  });

  it("has a body of text or of bytes", async () => {
    const bytes = new TextEncoder().encode(body);
    for (const form of [bytes, Buffer.from(body), bytes.buffer]) {
      expect((await verifyWebhook(form, headersFor(body), secret, at)).event).toEqual(event);
    }
    const parsed = verifyWebhook(event as never, headersFor(body), secret, at);
    await expect(parsed).rejects.toThrow(
      new TypeError("verifyWebhook needs the body as it was received, as text or bytes, and not parsed"),
    );
  });

  it("may have several signatures, also of versions that are not known", async () => {
    const old = new Webhook(secretOf(2)).sign(id, now, body);
    const more = `v1a,AAAA ${old} v1,!!! v2,x `;
    expect(await problemOf(verifyWebhook(body, headersFor(body, { more }), secret, at))).toBe("valid");
    expect(await problemOf(verifyWebhook(body, headersFor(body, { more }), secretOf(2), at))).toBe("valid");
    const unknown = { ...headersFor(body), "webhook-signature": "v1a,AAAA" };
    expect(await problemOf(verifyWebhook(body, unknown, secret, at))).toBe("invalid_signature");
  });

  it("is signed with one of two secrets during a rotation", async () => {
    for (const key of [secretOf(2), secretOf(3, 64)]) {
      const headers = headersFor(body, { key });
      expect(await problemOf(verifyWebhook(body, headers, [secretOf(2), secretOf(3, 64)], at))).toBe("valid");
      expect(await problemOf(verifyWebhook(body, headers, secret, at))).toBe("invalid_signature");
    }
  });

  it.each([
    [-300, "valid"],
    [-301, "too_new"],
    [300, "valid"],
    [301, "too_old"],
    [360, "too_old"],
  ])("is rejected if it was sent more than 5 minutes before or after: %i s is %s", async (age, problem) => {
    const when = new Date(now.getTime() - age * 1000);
    expect(await problemOf(verifyWebhook(body, headersFor(body, { when }), secret, at))).toBe(problem);
    const patient = verifyWebhook(body, headersFor(body, { when }), secret, { ...at, toleranceSeconds: 400 });
    expect(await problemOf(patient)).toBe("valid");
  });

  it.each(["webhook-id", "webhook-timestamp", "webhook-signature"])("needs the header %s", async (name) => {
    const { [name]: _, ...others } = headersFor(body);
    expect(await problemOf(verifyWebhook(body, others, secret, at))).toBe("missing_header");
    expect(await problemOf(verifyWebhook(body, new Headers(others), secret, at))).toBe("missing_header");
  });

  it.each(["", "soon", "1e9", "-5", "1776411000.5", "0x10", " 5"])(
    "has a number of seconds, and not %j",
    async (time) => {
      const headers = { ...headersFor(body), "webhook-timestamp": time };
      expect(await problemOf(verifyWebhook(body, headers, secret, at))).toBe(
        time === "" ? "missing_header" : "invalid_timestamp",
      );
    },
  );

  it("is rejected after any change, as the reference implementation does", async () => {
    const change = fc.record({
      text: fc.oneof(fc.constant(body), fc.string(), fc.constant(`${body} `)),
      id: fc.oneof(fc.constant(id), fc.string({ minLength: 1 })),
      signature: fc.oneof(
        fc.constant(headersFor(body)["webhook-signature"] as string),
        fc.string({ minLength: 1 }),
        fc.base64String().map((text) => `v1,${text}`),
      ),
    });
    await fc.assert(
      fc.asyncProperty(change, async (changed) => {
        const headers = {
          ...headersFor(body),
          "webhook-id": changed.id,
          "webhook-signature": changed.signature,
        };
        const isSame =
          changed.text === body &&
          changed.id === id &&
          changed.signature === headersFor(body)["webhook-signature"];
        const problem = await problemOf(verifyWebhook(changed.text, headers, secret, at));
        expect(problem).toBe(isSame ? "valid" : "invalid_signature");
      }),
    );
  });

  it("of another program with the secret is no event", async () => {
    for (const text of ["{}", "5", "null", "not JSON", '{"type":"x"}', '{"type":1,"data":{}}']) {
      expect(await problemOf(verifyWebhook(text, headersFor(text), secret, at))).toBe("invalid_body");
    }
  });

  it("is verified as its bytes were sent", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"type":"x","data":{"name":"'),
      Buffer.from([0xff]),
      Buffer.from('"}}'),
    ]);
    const seconds = String(now.getTime() / 1000);
    const hmac = createHmac("sha256", Buffer.alloc(24, 1))
      .update(`${id}.${seconds}.`)
      .update(bytes)
      .digest("base64");
    const headers = { ...headersFor(body), "webhook-signature": `v1,${hmac}` };
    expect(await problemOf(verifyWebhook(bytes, headers, secret, at))).toBe("invalid_body");
    expect(await problemOf(verifyWebhook(bytes.toString("utf8"), headers, secret, at))).toBe(
      "invalid_signature",
    );
  });
});

it.each(["", "whsec_", "whsec_!!!", "whsec_c2hvcnQ=", undefined, 5, []])(
  "a secret is checked and not shown: %j",
  async (wrong) => {
    const verified = verifyWebhook(body, headersFor(body), wrong as string, at);
    const error = await verified.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).not.toContain("c2hvcnQ");
  },
);
