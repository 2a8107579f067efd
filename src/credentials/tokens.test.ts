import { createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { tokenLifetimeSeconds } from "../credentials/tokens.ts";
import { createTokens } from "./tokens.ts";

const key = new Uint8Array(32).fill(7);
const claims = {
  integrationId: 3,
  businessId: 2,
  scopes: ["wa.members.read", "wa.tiers.read"],
  generation: 4,
};
const start = 1_700_000_000_000;

function clock() {
  let now = start;
  return {
    read: () => now,
    set(milliseconds: number) {
      now = milliseconds;
    },
  };
}
const expiresAt = start + tokenLifetimeSeconds * 1000;
const issued = () => createTokens(key, () => start).issue(claims, expiresAt / 1000);
const verified = async (token: string, at = start) => createTokens(key, () => at).verify(token);

it("carries what the service needs to know of its caller", async () => {
  const tokens = createTokens(key, () => start + 999);
  const token = await tokens.issue(claims, expiresAt / 1000);
  expect(await tokens.verify(token)).toEqual({
    integrationId: 3,
    businessId: 2,
    scopes: new Set(claims.scopes),
    generation: 4,
    expiresAt,
  });
});

it("is valid for exactly two hours, whether it was seen before or not", async () => {
  const time = clock();
  const tokens = createTokens(key, time.read);
  const token = await tokens.issue(claims, expiresAt / 1000);
  const fresh = () => createTokens(key, time.read).verify(token);
  for (const [at, valid] of [
    [start, true],
    [expiresAt - 1, true],
    [expiresAt, false],
    [expiresAt + 86_400_000, false],
  ] as const) {
    time.set(at);
    expect([at, (await tokens.verify(token)) !== undefined, (await fresh()) !== undefined]).toEqual([
      at,
      valid,
      valid,
    ]);
  }
});

describe("rejects a token that is", () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const decode = (part: string) =>
    JSON.parse(Buffer.from(part, "base64url").toString()) as Record<string, unknown>;
  const sign = (header: object, payload: object, algorithm: string, secret: Uint8Array) => {
    const text = `${encode(header)}.${encode(payload)}`;
    return `${text}.${createHmac(algorithm, secret).update(text).digest("base64url")}`;
  };
  const parts = async () => {
    const [header = "", payload = "", signature = ""] = (await issued()).split(".");
    return { header, payload, signature, claims: decode(payload) };
  };

  it("unsigned, in whatever spelling", async () => {
    const { payload, signature } = await parts();
    for (const alg of ["none", "None", "NONE", "nOnE", ""]) {
      const header = encode({ alg, typ: "JWT" });
      for (const tail of ["", signature])
        expect(await verified(`${header}.${payload}.${tail}`)).toBeUndefined();
    }
  });

  it("signed with another key or another algorithm", async () => {
    const { claims: payload } = await parts();
    expect(await verified(sign({ alg: "HS256", typ: "JWT" }, payload, "sha256", key))).toBeDefined();
    expect(
      await verified(sign({ alg: "HS256", typ: "JWT" }, payload, "sha256", new Uint8Array(32))),
    ).toBeUndefined();
    for (const [alg, algorithm] of [
      ["HS384", "sha384"],
      ["HS512", "sha512"],
      ["RS256", "sha256"],
    ] as const) {
      expect(await verified(sign({ alg, typ: "JWT" }, payload, algorithm, key))).toBeUndefined();
    }
  });

  it("altered in any claim under its old signature", async () => {
    const { header, signature, claims: payload } = await parts();
    const changes = {
      sub: "4",
      business: 1,
      scope: "wa.wallet.write",
      generation: 5,
      exp: 9_999_999_999,
      iat: 1,
      aud: "x",
    };
    for (const [name, value] of Object.entries(changes)) {
      expect(
        await verified(`${header}.${encode({ ...payload, [name]: value })}.${signature}`),
      ).toBeUndefined();
    }
  });

  it("incomplete, or for someone else, even with a good signature", async () => {
    const { claims: payload } = await parts();
    const signed = (changed: object) => verified(sign({ alg: "HS256", typ: "JWT" }, changed, "sha256", key));
    for (const name of Object.keys(payload)) {
      const { [name]: _, ...less } = payload;
      expect([name, await signed(less)]).toEqual([name, undefined]);
    }
    expect(await signed({ ...payload, aud: "operator" })).toBeUndefined();
    expect(await signed({ ...payload, iss: "someone else" })).toBeUndefined();
    expect(await signed({ ...payload, nbf: start / 1000 + 60 })).toBeUndefined();
  });

  it("no token at all", async () => {
    const token = await issued();
    const encrypted = await new SignJWT({})
      .setProtectedHeader({ alg: "HS256", crit: ["b64"], b64: true })
      .sign(key);
    for (const text of [
      "",
      ".",
      "..",
      "a.b.c",
      token.slice(0, -1),
      `${token}.`,
      `${token}A`,
      ` ${token}`,
      encrypted,
    ]) {
      expect(await verified(text)).toBeUndefined();
    }
  });
});

it("remembers a token by its whole text: a changed one is verified anew", async () => {
  const tokens = createTokens(key, () => start);
  const token = await tokens.issue(claims, expiresAt / 1000);
  const first = await tokens.verify(token);
  expect(tokens.verify(token)).toBe(first);
  expect(await tokens.verify(`${token.slice(0, -4)}AAAA`)).toBeUndefined();
});
