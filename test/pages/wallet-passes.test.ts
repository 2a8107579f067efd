/** Passes for Apple Wallet: their set-up, what is in them, and the service that phones ask for them. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { registerPhone } from "../../src/database/wallets/passes.ts";
import { sweepPasses } from "../../src/database/wallets/updates.ts";
import { OverloadedError } from "../../src/domain/fair-queue.ts";
import { walletPasses } from "../../src/operations/members/wallet-passes.ts";
import { pagesAt } from "../../src/pages.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import {
  examplePassType,
  issueOtherCertificate,
  issuePassCertificate,
  makeAuthority,
  walletSetUp,
} from "../support/pass-certificates.ts";
import { passesFollowed } from "../support/push-service.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/webhooks.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Sandbox;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loyalty-passes-"));
  shop = await makeSandbox(world, "2026-03-02 10:00:00");
  await operatorWrite(world, "/op/apple-wallet/set-up", { business_id: shop.businessId, ...walletSetUp() });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFile = (name: string, content: Buffer | string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const pageOf = async (contact_id: number, of = shop): Promise<string> =>
  (await of.write("/sp/members/page-link", { contact_id })).page_path;

interface Asked {
  readonly method?: string;
  readonly token?: string;
  readonly body?: object | string;
  readonly since?: string;
}

/** Asks as a phone does. */
async function ask(url: string, { method = "GET", token, body, since }: Asked = {}) {
  const reply = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `ApplePass ${token}` }),
      ...(since !== undefined && { "if-modified-since": since }),
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) };
}

async function download(contactId: number, of = shop) {
  await passesFollowed(world.sql, of.businessId);
  const { status, headers, bytes } = await ask(`${world.baseUrl}${await pageOf(contactId, of)}/card.pkpass`);
  expect([status, headers.get("content-type"), headers.get("cache-control")]).toEqual([
    ...[200, "application/vnd.apple.pkpass", "no-store"],
  ]);
  return open(bytes);
}

function open(bytes: Buffer) {
  const files = unzipSync(bytes);
  // biome-ignore lint/suspicious/noExplicitAny: the fields of a pass
  const pass = JSON.parse(Buffer.from(files["pass.json"] as Uint8Array).toString()) as any;
  const { webServiceURL, passTypeIdentifier: type, serialNumber: serial, authenticationToken: token } = pass;
  const registration = (device: string) => `${webServiceURL}/v1/devices/${device}/registrations/${type}`;
  return { files, pass, token, registration, serial, latest: `${webServiceURL}/v1/passes/${type}/${serial}` };
}

describe("the set-up of passes", () => {
  it("says whose certificate it is and when it ends, and stores it encrypted", async () => {
    const sandbox = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: sandbox.businessId };
    await operatorWrite(world, "/op/businesses/update", { ...business, events_enabled: false });
    const page = await pageOf(await sandbox.member(), sandbox);
    const offers = async () => (await world.call(page, undefined, { method: "GET" })).text.includes("pkpass");
    expect(await offers()).toBe(false);
    const unset = await asOperator(world, "/op/apple-wallet/get", business);
    expect(unset.body.data).toMatchObject({ certificate_status: "none", pass_type: null, passes: 0 });
    const path = `/wallet/apple/${sandbox.businessId}/v1`;
    const nowhere = await world.call("/nowhere", {});
    for (const [method, rest] of [
      ["POST", "/log"],
      ["GET", "/passes/pass.com.example.card/x"],
    ] as const) {
      const reply = await world.call(path + rest, method === "POST" ? {} : undefined, { method });
      expect([reply.status, reply.body?.error]).toEqual([404, nowhere.body.error]);
    }
    expect((await ask(`${world.baseUrl}${page}/card.pkpass`)).status).toBe(404);
    const set = await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    expect(set).toEqual({
      ...{ pass_type: examplePassType, team: "A1B2C3D4E5" },
      certificate_subject: expect.stringContaining(`UID=${examplePassType}, CN=Pass Type ID: `),
      ...{
        certificate_ends_on: "2120-01-01",
        certificate_status: "valid",
        apple_problem: null,
        passes: 0,
        phones: 0,
      },
      events_switched_on: true,
    });
    expect(await offers()).toBe(true);
    const [row] = await world.sql<{ text: string }[]>`
      SELECT w::text AS text FROM wallet_issuer AS w WHERE business_id = ${sandbox.businessId}`;
    expect(row?.text).not.toContain("PRIVATE KEY");
    await operatorWrite(world, "/op/apple-wallet/delete", business);
    expect(await offers()).toBe(false);
    expect((await world.call(`${path}/log`, {})).status).toBe(404);
  });

  it("takes a .p12 file with its password, and Apple's .cer file", async () => {
    const { certificate, intermediate_certificate, ...rest } = walletSetUp();
    const pem = inFile("pass.pem", certificate);
    const cer = execFileSync("openssl", [
      ...["x509", "-in", inFile("ca.pem", intermediate_certificate), "-outform", "DER"],
    ]);
    const algorithms = [[], ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"]];
    for (const algorithm of algorithms) {
      const p12 = join(folder, "pass.p12");
      execFileSync("openssl", [
        ...["pkcs12", "-export", "-in", pem, "-out", p12, "-passout", "pass:secret 1", ...algorithm],
      ]);
      const body = {
        ...{ business_id: shop.businessId, ...rest, intermediate_certificate: cer.toString("base64") },
        certificate: execFileSync("openssl", ["base64", "-in", p12]).toString().trim(),
      };
      const set = await operatorWrite(world, "/op/apple-wallet/set-up", {
        ...{ ...body, certificate_password: "secret 1" },
      });
      expect(set.certificate_status).toBe("valid");
      for (const certificate_password of ["secret 2", undefined]) {
        const wrong = await setUp({ ...body, certificate_password });
        expect(wrong).toEqual({
          certificate_password: expect.stringContaining("does not open the certificate"),
        });
      }
    }
  });

  /** @returns the problems by field */
  async function setUp(body: object): Promise<Record<string, string>> {
    const sent = { business_id: shop.businessId, idempotency_key: nextKey(), ...body };
    const reply = await asOperator(world, "/op/apple-wallet/set-up", sent);
    expect(reply.text).not.toMatch(/BEGIN|secret 1/);
    const { errors = [] } = reply.body.error?.details ?? {};
    return Object.fromEntries(
      errors.map((one: { field: string; message: string }) => [one.field, one.message]),
    );
  }

  it("says what to change about a wrong certificate", async () => {
    const good = walletSetUp();
    const [authority, other, company] = [makeAuthority(), makeAuthority(), makeAuthority("Example GmbH")];
    const ofCompany = issuePassCertificate(company);
    const own = issuePassCertificate(authority);
    const issued = { ...good, intermediate_certificate: authority.certificate };
    const expired = issuePassCertificate(authority, { from: "2024-01-01", until: "2025-01-01" });
    const future = issuePassCertificate(authority, { from: "2110-01-01" });
    const foreign = issueOtherCertificate(authority);
    const locked = execFileSync(
      "openssl",
      ["pkcs8", "-topk8", "-passout", "pass:secret 1", "-in", inFile("key.pem", own.key)],
      { stdio: ["pipe", "pipe", "ignore"] },
    ).toString();
    const cases: readonly (readonly [object, string, RegExp])[] = [
      [{ ...issued, certificate: expired.certificate + expired.key }, "certificate", /expired on 2025-01-01/],
      [{ ...issued, certificate: future.certificate + future.key }, "certificate", /only from 2110-01-01/],
      [
        { ...issued, certificate: foreign.certificate + foreign.key },
        "certificate",
        /no certificate for passes/,
      ],
      [{ ...issued, certificate: own.certificate + foreign.key }, "certificate", /does not belong/],
      [{ ...issued, certificate: own.certificate }, "certificate", /no private key/],
      [{ ...issued, certificate: own.key }, "certificate", /no certificate/],
      [{ ...issued, certificate: own.certificate + locked }, "certificate_password", /does not open/],
      [{ ...issued, certificate: "c29tZXRoaW5n" }, "certificate", /neither PEM nor/],
      [
        { ...issued, certificate: own.certificate + own.key, pass_type: "pass.com.example.other" },
        "pass_type",
        /is for pass.com.example.card/,
      ],
      [
        { ...issued, certificate: own.certificate + own.key, team: "Z9Y8X7W6V5" },
        "team",
        /belongs to A1B2C3D4E5/,
      ],
      [{ ...issued, certificate: own.certificate + own.key, team: "team" }, "team", /./],
      [{ ...good, intermediate_certificate: other.certificate }, "intermediate_certificate", /did not issue/],
      [
        {
          ...{ ...good, certificate: ofCompany.certificate + ofCompany.key },
          intermediate_certificate: company.certificate,
        },
        "intermediate_certificate",
        /is not Apple's/,
      ],
      [{ ...good, intermediate_certificate: "nothing" }, "intermediate_certificate", /no certificate in PEM/],
    ];
    for (const [body, field, problem] of cases)
      expect(await setUp(body), `${field} ${problem}`).toEqual({ [field]: expect.stringMatching(problem) });
    expect(
      await setUp({ ...issued, certificate: own.certificate + locked, certificate_password: "secret 1" }),
    ).toEqual({});
    await operatorWrite(world, "/op/apple-wallet/set-up", { business_id: shop.businessId, ...good });
  });
});

describe("a pass", () => {
  it("has every file and field that Apple requires, and a signature that openssl accepts", async () => {
    const contact_id = await shop.member();
    const { card_code } = await shop.write("/sp/cards/create", { contact_id, kind: "app" });
    const at = { contact_id, location_id: shop.locationId };
    await shop.write("/sp/wallet/topup", { ...at, amount: 2550 });
    await shop.write("/sp/sales/record", { ...at, amount: 4200 });
    await shop.advance("2026-03-20 10:00:00");
    const { files, pass } = await download(contact_id);
    const languages = ["en", "de", "fr", "es"].map((language) => `${language}.lproj/pass.strings`);
    const pictures = ["icon", "logo"].flatMap((name) =>
      ["", "@2x", "@3x"].map((size) => `${name}${size}.png`),
    );
    const listed = ["pass.json", ...pictures, ...languages];
    expect(Object.keys(files).sort()).toEqual([...listed, "manifest.json", "signature"].sort());
    const manifest = Buffer.from(files["manifest.json"] as Uint8Array);
    const digests = listed.map((name) => [
      name,
      createHash("sha1")
        .update(files[name] as Uint8Array)
        .digest("hex"),
    ]);
    expect(JSON.parse(manifest.toString())).toEqual(Object.fromEntries(digests));
    for (const [name, side] of [
      ["icon.png", 29],
      ["icon@3x.png", 87],
      ["logo@2x.png", 100],
    ] as const) {
      const png = Buffer.from(files[name] as Uint8Array);
      expect(png.subarray(1, 4).toString()).toBe("PNG");
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([side, side]);
    }
    const verify = (content: Buffer) =>
      execFileSync(
        "openssl",
        [
          ...[
            "smime",
            "-verify",
            "-binary",
            "-inform",
            "DER",
            "-in",
            inFile("signature", files.signature as never),
          ],
          ...["-content", inFile("manifest.json", content), "-purpose", "any"],
          ...["-CAfile", inFile("ca.pem", walletSetUp().intermediate_certificate)],
        ],
        { stdio: ["pipe", "pipe", "pipe"] },
      );
    expect(verify(manifest).equals(manifest)).toBe(true);
    expect(() => verify(Buffer.from(`${manifest} `))).toThrow(/digest failure/);
    const balances = await shop.ask("/sp/members/balances", { contact_id });
    expect(balances.points).toBeGreaterThan(0);
    const [next] = balances.points_expiring;
    expect(pass).toEqual({
      ...{ formatVersion: 1, passTypeIdentifier: examplePassType, teamIdentifier: "A1B2C3D4E5" },
      serialNumber: expect.stringMatching(/^[\w-]{27}$/),
      authenticationToken: expect.stringMatching(/^[\w-]{27}$/),
      webServiceURL: `${world.baseUrl}/wallet/apple/${shop.businessId}`,
      ...{
        organizationName: "Sandbox",
        description: "Sandbox",
        logoText: "Sandbox",
        sharingProhibited: true,
      },
      backgroundColor: "rgb(11, 114, 133)",
      ...{ foregroundColor: "rgb(255, 255, 255)", labelColor: "rgb(255, 255, 255)" },
      barcode: pass.barcodes[0],
      barcodes: [
        {
          ...{ message: card_code, altText: card_code.replace(/\d{4}(?=\d)/g, "$& ") },
          ...{ format: "PKBarcodeFormatQR", messageEncoding: "iso-8859-1" },
        },
      ],
      storeCard: {
        primaryFields: [
          { key: "points", label: "Stars", changeMessage: "Stars: %@", value: balances.points },
        ],
        secondaryFields: [
          {
            ...{ key: "worth", label: "Worth", changeMessage: "Worth: %@" },
            ...{ value: balances.points_amount / 100, currencyCode: "EUR" },
          },
          {
            ...{ key: "wallet", label: "Wallet", changeMessage: "Wallet: %@" },
            ...{ value: 25.5, currencyCode: "EUR" },
          },
        ],
        auxiliaryFields: next.valid_through
          ? [
              { key: "expiring", label: "Expire next", value: next.points },
              {
                ...{ key: "lastDay", label: "Last day", value: `${next.valid_through}T12:00:00Z` },
                ...{ dateStyle: "PKDateStyleMedium", ignoresTimeZone: true },
              },
            ]
          : [],
        backFields: [],
      },
    });
    expect(Buffer.from(files["de.lproj/pass.strings"] as Uint8Array).toString()).toContain(
      '"Wallet: %@" = "Guthaben: %@";\n',
    );
    const member = await shop.ask("/sp/members/get", { contact_id });
    for (const personal of [member.last_name, member.phone_number, member.email].filter(Boolean))
      expect(JSON.stringify(pass)).not.toContain(personal);
    const [row] = await world.sql<{ text: string }[]>`
      SELECT string_agg(p::text, ',') AS text FROM wallet_pass AS p WHERE business_id = ${shop.businessId}`;
    expect(row?.text).toContain(pass.serialNumber);
    expect(row?.text).not.toContain(pass.authenticationToken);
    expect((await download(contact_id)).pass).toEqual(pass);
  });
});

describe("the service that phones ask", () => {
  it("registers phones, lists changed passes, and sends the latest pass", async () => {
    const contact_id = await shop.member();
    const { registration, serial, token, latest, pass } = await download(contact_id);
    const phone = `${registration("a1b2c3")}/${serial}`;
    const body = { pushToken: "0a1b2c3d4e5f" };
    expect((await ask(phone, { method: "POST", token, body })).status).toBe(201);
    expect((await ask(phone, { method: "POST", token, body: { pushToken: "ffff0000ffff" } })).status).toBe(
      200,
    );
    const [stored] = await world.sql<{ push_token: string; text: string }[]>`
      SELECT d.push_token, d::text AS text FROM wallet_pass_device AS d WHERE serial_number = ${serial}`;
    expect(stored?.push_token).toBe("ffff0000ffff");
    expect(stored?.text).not.toContain("a1b2c3");
    const first = await ask(registration("a1b2c3"));
    expect([first.status, JSON.parse(first.bytes.toString())]).toEqual([
      ...[200, { lastUpdated: expect.stringMatching(/^\d+$/), serialNumbers: [serial] }],
    ]);
    // What has changed just now is named again: a change that is older may commit later.
    const { lastUpdated: early } = JSON.parse(first.bytes.toString());
    const since = (tag: string) => ask(`${registration("a1b2c3")}?passesUpdatedSince=${tag}`);
    expect((await since(early)).status).toBe(200);
    expect((await ask(registration("another"))).status).toBe(204);
    await world.sql`UPDATE wallet_pass SET changed_at = changed_at - interval '2 minutes' WHERE serial_number = ${serial}`;
    const { lastUpdated } = JSON.parse((await ask(registration("a1b2c3"))).bytes.toString());
    expect((await since(lastUpdated)).status).toBe(204);
    const got = await ask(latest, { token });
    expect([got.status, got.headers.get("content-type")]).toEqual([200, "application/vnd.apple.pkpass"]);
    expect(open(got.bytes).pass).toEqual(pass);
    const modified = got.headers.get("last-modified") as string;
    expect((await ask(latest, { token, since: modified })).status).toBe(304);
    await shop.write("/sp/wallet/topup", { contact_id, location_id: shop.locationId, amount: 700 });
    await passesFollowed(world.sql, shop.businessId);
    const after = await ask(latest, { token, since: modified });
    expect(after.status).toBe(200);
    expect(open(after.bytes).pass.storeCard.secondaryFields).toContainEqual(
      expect.objectContaining({ key: "wallet", value: 7 }),
    );
    const changed = await since(lastUpdated);
    expect(JSON.parse(changed.bytes.toString())).toMatchObject({ serialNumbers: [serial] });
    expect((await ask(phone, { method: "DELETE", token })).status).toBe(200);
    expect((await ask(registration("a1b2c3"))).status).toBe(204);
    const log = `${pass.webServiceURL}/v1/log`;
    expect((await ask(log, { method: "POST", body: { logs: ["a message"] } })).status).toBe(200);
  });

  it("sends the latest pass always when no events say what has changed", async () => {
    const quiet = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: quiet.businessId };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    await operatorWrite(world, "/op/businesses/update", { ...business, events_enabled: false });
    const contact_id = await quiet.member();
    const { latest, token } = await download(contact_id, quiet);
    await quiet.write("/sp/wallet/topup", { contact_id, location_id: quiet.locationId, amount: 700 });
    const since = new Date(Date.now() - 5000).toUTCString();
    const got = await ask(latest, { token, since });
    expect(open(got.bytes).pass.storeCard.secondaryFields).toContainEqual(
      expect.objectContaining({ key: "wallet", value: 7 }),
    );
  });

  it("tells nothing to others, and takes no bad body", async () => {
    const { registration, serial, token, latest } = await download(await shop.member());
    const theirs = await download(await shop.member());
    const other = await makeSandbox(world, "2026-03-02 10:00:00");
    await operatorWrite(world, "/op/apple-wallet/set-up", {
      business_id: other.businessId,
      ...walletSetUp(),
    });
    const elsewhere = (url: string) =>
      url.replace(`/apple/${shop.businessId}/`, `/apple/${other.businessId}/`);
    const phone = `${registration("a1")}/${serial}`;
    const body = { pushToken: "0a1b2c3d4e5f" };
    const wrong = [undefined, "", `${token}x`, theirs.token, "A".repeat(27), "A".repeat(2000)];
    for (const given of wrong)
      for (const [url, method] of [
        [latest, "GET"],
        [phone, "POST"],
        [phone, "DELETE"],
      ] as const) {
        const reply = await ask(url, {
          method,
          ...(given !== undefined && { token: given }),
          ...(method === "POST" && { body }),
        });
        expect([reply.status, reply.bytes.toString()], `${method} ${given}`).toEqual([401, ""]);
      }
    for (const url of [elsewhere(latest), latest.replace(examplePassType, "pass.com.other"), `${latest}x`])
      expect((await ask(url, { token })).status, url).toBe(401);
    const bad = [
      "",
      "{",
      "[]",
      "null",
      '{"pushToken":1}',
      '{"pushToken":"../x"}',
      `{"pushToken":"${"a".repeat(5000)}"}`,
    ];
    for (const content of bad)
      expect((await ask(phone, { method: "POST", token, body: content })).status, content).toBe(400);
    expect((await ask(`${registration("a1")}?passesUpdatedSince=yesterday`)).status).toBe(400);
    expect(await world.sql`SELECT FROM wallet_pass_device WHERE serial_number = ${serial}`).toHaveLength(0);
    for (let device = 0; device < 25; device++)
      await ask(`${registration(`d${device}`)}/${serial}`, { method: "POST", token, body });
    expect(await world.sql`SELECT FROM wallet_pass_device WHERE serial_number = ${serial}`).toHaveLength(20);
  });

  it("sends a void pass without anything personal after an erasure, a merge and a deactivation", async () => {
    const business = { business_id: shop.businessId };
    const ends: Readonly<Record<string, (contact_id: number) => Promise<unknown>>> = {
      erase: (contact_id) => operatorWrite(world, "/op/members/erase", { ...business, contact_id }),
      deactivate: (contact_id) => operatorWrite(world, "/op/members/deactivate", { ...business, contact_id }),
      merge: async (from_contact_id) =>
        shop.write("/sp/members/merge", { contact_id: await shop.member(), from_contact_id }),
    };
    for (const [name, end] of Object.entries(ends)) {
      const contact_id = await shop.member();
      await shop.write("/sp/cards/create", { contact_id, kind: "app" });
      const page = await pageOf(contact_id);
      const { latest, token, serial, registration } = await download(contact_id);
      const body = { pushToken: "0a1b2c3d4e5f" };
      await ask(`${registration("a1")}/${serial}`, { method: "POST", token, body });
      await end(contact_id);
      await passesFollowed(world.sql, shop.businessId);
      const { pass } = open((await ask(latest, { token })).bytes);
      expect(pass, name).toMatchObject({ voided: true, storeCard: {} });
      expect(pass).not.toHaveProperty("barcodes");
      expect((await ask(`${world.baseUrl}${page}/card.pkpass`)).status).toBe(404);
    }
  });

  it("is void when the page has another address, or passes are set up again, and a new one is another pass", async () => {
    const contactId = await shop.member();
    const first = await download(contactId);
    const latest = async () => {
      const { status, bytes } = await ask(first.latest, { token: first.token });
      return status === 200 ? open(bytes).pass.voided === true : status;
    };
    expect(await latest()).toBe(false);
    await shop.write("/sp/members/page-link", { contact_id: contactId, replace: true });
    expect(await latest()).toBe(true);
    const second = await download(contactId);
    expect([second.serial, second.token]).not.toEqual([first.serial, first.token]);
    expect(second.pass.voided).not.toBe(true);
    const business = { business_id: shop.businessId };
    await operatorWrite(world, "/op/apple-wallet/delete", business);
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    const again = await ask(second.latest, { token: second.token });
    expect(again.status).toBe(401);
    expect((await download(contactId)).serial).not.toBe(second.serial);
  });

  it("has no code of a blocked card, and no pass after the end of the certificate", async () => {
    const closing = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: closing.businessId };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    const contact_id = await closing.member();
    const { card_code } = await closing.write("/sp/cards/create", { contact_id, kind: "app" });
    const page = await pageOf(contact_id, closing);
    const { pass, latest, token, registration, serial } = await download(contact_id, closing);
    expect(pass.barcodes[0].message).toBe(card_code);
    await closing.write("/sp/cards/block", { card_code });
    await passesFollowed(world.sql, closing.businessId);
    expect(open((await ask(latest, { token })).bytes).pass).not.toHaveProperty("barcodes");
    await world.sql`UPDATE wallet_issuer SET ends_at = now() WHERE business_id = ${closing.businessId}`;
    const { body } = await asOperator(world, "/op/apple-wallet/get", business);
    expect(body.data).toMatchObject({ certificate_status: "expired", passes: 1, phones: 0 });
    expect((await ask(`${world.baseUrl}${page}/card.pkpass`)).status).toBe(404);
    expect((await world.call(page, undefined, { method: "GET" })).text).not.toContain("pkpass");
    expect((await ask(latest, { token })).status).toBe(404);
    const phone = { pushToken: "0a1b2c3d4e5f" };
    const registered = await ask(`${registration("a1")}/${serial}`, { method: "POST", token, body: phone });
    expect(registered.status).toBe(201);
    await operatorWrite(world, "/op/businesses/delete", { sandbox_business_id: closing.businessId });
    expect(await world.sql`SELECT FROM wallet_pass_device WHERE serial_number = ${serial}`).toHaveLength(0);
    expect((await ask(latest, { token })).status).toBe(404);
  });

  it("keeps a pass that has ended for seven days, whatever all passes show meanwhile", async () => {
    const own = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: own.businessId };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    const target = await own.member();
    const ends: Readonly<Record<string, (contact_id: number) => Promise<unknown>>> = {
      erase: (contact_id) => operatorWrite(world, "/op/members/erase", { ...business, contact_id }),
      merge: (from_contact_id) => own.write("/sp/members/merge", { contact_id: target, from_contact_id }),
      replace: (contact_id) => own.write("/sp/members/page-link", { contact_id, replace: true }),
    };
    const marked = async (serial: string) => {
      const [row] =
        await world.sql`SELECT changes, changed_at FROM wallet_pass WHERE serial_number = ${serial}`;
      return row;
    };
    const sweep = () => sweepPasses(world.sql, own.businessId, 10);
    const live = await download(target, own);
    for (const [name, end] of Object.entries(ends)) {
      const contact_id = await own.member();
      const { latest, token, serial } = await download(contact_id, own);
      await end(contact_id);
      await passesFollowed(world.sql, own.businessId);
      const ended = await marked(serial);
      expect(ended, name).toMatchObject({ changes: 1 });
      const before = (await marked(live.serial))?.changes as number;
      await operatorWrite(world, "/op/businesses/update", { ...business, name: `After ${name}` });
      if (name === "replace")
        await own.write("/sp/wallet/topup", { contact_id, location_id: own.locationId, amount: 700 });
      await until(async () => Number((await marked(live.serial))?.changes) > before);
      await passesFollowed(world.sql, own.businessId);
      expect(await marked(serial), name).toEqual(ended);
      const age = (days: number) => world.sql`
        UPDATE wallet_pass SET changed_at = now() - make_interval(days => ${days}) WHERE serial_number = ${serial}`;
      await age(6);
      expect([await sweep(), (await ask(latest, { token })).status], name).toEqual([0, 200]);
      await age(8);
      expect([await sweep(), (await ask(latest, { token })).status], name).toEqual([1, 401]);
    }
  });

  it("is signed anew after a renewal of the certificate", async () => {
    const own = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: own.businessId };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    const { latest, token, files } = await download(await own.member(), own);
    const first = await ask(latest, { token });
    const since = first.headers.get("last-modified") as string;
    const signature = (bytes: Buffer) => Buffer.from(open(bytes).files.signature as Uint8Array);
    expect(signature(first.bytes).equals(files.signature as Uint8Array)).toBe(true);
    const authority = makeAuthority();
    const { certificate, key } = issuePassCertificate(authority);
    const renewed = { certificate: certificate + key, intermediate_certificate: authority.certificate };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp(), ...renewed });
    const second = await ask(latest, { token, since });
    expect([second.status, open(second.bytes).pass]).toEqual([200, open(first.bytes).pass]);
    const der = (pem: string) => Buffer.from(pem.replaceAll(/-----.*-----/g, ""), "base64");
    expect(signature(first.bytes).includes(der(certificate))).toBe(false);
    expect(signature(second.bytes).includes(der(certificate))).toBe(true);
  });

  it("shows another name at the next request, and tells phones of it", async () => {
    const own = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: own.businessId };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    const { latest, token, serial } = await download(await own.member(), own);
    const first = await ask(latest, { token });
    const since = first.headers.get("last-modified") as string;
    expect((await ask(latest, { token, since })).status).toBe(304);
    await operatorWrite(world, "/op/businesses/update", { ...business, name: "New name", color: "#112233" });
    const { pass } = open((await ask(latest, { token, since })).bytes);
    expect(pass).toMatchObject({ logoText: "New name", backgroundColor: "rgb(17, 34, 51)" });
    // A phone that does not ask is told.
    await until(async () => {
      const [row] = await world.sql`SELECT FROM wallet_pass WHERE serial_number = ${serial} AND changes > 0`;
      return row !== undefined;
    });
  });

  it("stores nothing while the business moves to another database", async () => {
    const moving = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: moving.businessId };
    await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
    const { serial } = await download(await moving.member(), moving);
    const page = await pageOf(await moving.member(), moving);
    const file = `${world.baseUrl}${page}/card.pkpass`;
    const phone = () => registerPhone(world.sql, moving.businessId, serial, Buffer.alloc(32), "0a1b2c3d4e5f");
    await world.sql`UPDATE ledger SET move_state = 'left', move_database = gen_random_uuid() WHERE business_id = ${moving.businessId}`;
    const later = await ask(file);
    expect([later.status, await phone()]).toEqual([503, undefined]);
    expect(later.bytes.toString()).toContain("This page can’t be shown now");
    const passes = () => world.sql`SELECT FROM wallet_pass WHERE business_id = ${moving.businessId}`;
    expect(await passes()).toHaveLength(1);
    await world.sql`UPDATE ledger SET move_state = NULL, move_database = NULL WHERE business_id = ${moving.businessId}`;
    expect([(await ask(file)).status, await phone()]).toEqual([200, true]);
    expect(await passes()).toHaveLength(2);
  });

  it("is offered only where phones can reach it: by https, and for trials on the same machine", async () => {
    const page = await pageOf(await shop.member());
    const shown = (host: string, path: string) =>
      new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        const { hostname, port, pathname } = new URL(world.baseUrl + path);
        get({ hostname, port, path: pathname, headers: { host } }, (reply) => {
          let text = "";
          reply.setEncoding("utf8").on("data", (part: string) => {
            text += part;
          });
          reply.on("end", () => resolve({ status: reply.statusCode, text }));
        }).on("error", reject);
      });
    expect((await shown("127.0.0.1:3000", page)).text).toContain("card.pkpass");
    world.faults.take();
    const outside = await shown("shop.example", page);
    expect([outside.status, outside.text.includes("card.pkpass")]).toEqual([200, false]);
    expect((await shown("shop.example", `${page}/card.pkpass`)).status).toBe(404);
    expect(world.faults.take().join()).toContain("phones need https");
  });

  it("asks phones to come back later when the service is busy", async () => {
    const busy = () => Promise.reject(new OverloadedError(1));
    const passes = walletPasses((() => busy) as never, {} as never, {} as never);
    const { findPage: find } = pagesAt(
      "/api",
      { shareOf: () => busy } as never,
      {} as never,
      passes,
      world.log,
    );
    const page = find("/api/wallet/apple/1/v1/passes/pass.com.example.card/x", undefined, "GET");
    expect(await page?.({}, undefined, {} as never)).toMatchObject({ status: 503, body: "" });
  });

  it("withstands whatever paths and headers are sent", async () => {
    const { pass } = await download(await shop.member());
    const text = fc.stringMatching(/^[\w./-]{0,40}$/);
    const kinds = [
      "devices",
      "registrations",
      "passes",
      "log",
      "v1",
      "v2",
      examplePassType,
      pass.serialNumber,
    ];
    const part = fc.oneof(fc.constantFrom(...kinds), text);
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 6 }),
        fc.constantFrom("GET", "POST", "DELETE", "PUT", "HEAD"),
        fc.stringMatching(/^[\x21-\x7e]{0,60}$/),
        async (parts, method, token) => {
          const url = `${pass.webServiceURL}/v1/${parts.join("/")}`;
          const body = ["POST", "PUT"].includes(method) ? token : undefined;
          const { status } = await ask(url, { method, token, ...(body !== undefined && { body }) });
          expect([200, 204, 400, 401, 404]).toContain(status);
          if (status === 200) expect(new URL(url).pathname).toMatch(/\/v1\/log$/);
        },
      ),
      { numRuns: 150 },
    );
  });
});
