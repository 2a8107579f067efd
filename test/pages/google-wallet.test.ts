/** Passes for Google Wallet: their set-up, what a person adds, and how Google is told of changes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeTold, sweepPasses } from "../../src/database/wallets/updates.ts";
import {
  exampleAccount,
  exampleIssuer,
  GoogleWallet,
  googleSetUp,
  keyFile,
  readJwt,
} from "../support/google-wallet.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/webhooks.ts";
import { nextKey, useWorld } from "../support/world.ts";

const google = new GoogleWallet();
const environment: Record<string, string> = {};
beforeAll(async () => {
  await google.start();
  environment.LOYALTY_GOOGLE_WALLET_URL = google.url;
});
const world = useWorld(environment);
let shop: Sandbox;
afterAll(() => google.stop());

const status = async (of: Sandbox) =>
  (await asOperator(world, "/op/google-wallet/get", { business_id: of.businessId })).body.data;
const setUp = (of: Sandbox, body: object = googleSetUp()) =>
  operatorWrite(world, "/op/google-wallet/set-up", { business_id: of.businessId, ...body });
async function makeShop() {
  const made = await makeSandbox(world, "2026-03-02 10:00:00");
  await setUp(made);
  await until(async () => (await status(made)).google_status === "ready");
  return made;
}
beforeAll(async () => {
  shop = await makeShop();
});

const pageOf = async (contact_id: number, of = shop): Promise<string> =>
  (await of.write("/sp/members/page-link", { contact_id })).page_path;

/** Follows the link of a page as a browser does, but not to Google. @returns the claims of the signed link */
async function save(page: string) {
  const reply = await fetch(`${world.baseUrl}${page}/google-wallet`, { redirect: "manual" });
  expect([reply.status, reply.headers.get("cache-control"), await reply.text()]).toEqual([
    303,
    "no-store",
    "",
  ]);
  const location = reply.headers.get("location") ?? "";
  const [, jwt = ""] = /^https:\/\/pay\.google\.com\/gp\/v\/save\/([\w.-]+)$/.exec(location) ?? [];
  // Browsers cut off longer links.
  expect(jwt.length).toBeLessThan(1800);
  return readJwt(jwt);
}

/** A member whose pass Google has. */
async function makePass(of = shop) {
  const contact_id = await of.member();
  const { card_code } = await of.write("/sp/cards/create", { contact_id, kind: "app" });
  const page = await pageOf(contact_id, of);
  const claims = await save(page);
  const { id } = claims.payload.loyaltyObjects[0];
  await until(() => google.stored.has(id));
  return { contact_id, card_code, page, claims, id: id as string };
}
const topUp = (contact_id: number, amount: number, of = shop) =>
  of.write("/sp/wallet/topup", { contact_id, location_id: of.locationId, amount });
/** Lets the pauses between two updates of a pass end. */
const endPauses = () => world.sql`UPDATE wallet_pass SET next_push_at = now() WHERE kind = 'google'`;
const stored = (id: string) => google.stored.get(id);

describe("the set-up", () => {
  it("asks Google, stores the key encrypted, and offers passes once Google accepts them", async () => {
    const sandbox = await makeSandbox(world, "2026-03-02 10:00:00");
    const business = { business_id: sandbox.businessId };
    await operatorWrite(world, "/op/businesses/update", { ...business, events_enabled: false });
    const page = await pageOf(await sandbox.member(), sandbox);
    const offers = async () =>
      (await world.call(page, undefined, { method: "GET" })).text.includes("/google-wallet");
    const unset = { issuer_id: null, service_account: null, pass_logo_url: null, google_problem: null };
    expect(await status(sandbox)).toEqual({ google_status: "none", ...unset, passes: 0 });
    expect(await offers()).toBe(false);
    expect((await world.call(`${page}/google-wallet`, undefined, { method: "GET" })).status).toBe(404);
    google.faults.loyaltyClass = { status: 503 };
    expect(await setUp(sandbox)).toEqual({
      ...{ google_status: "checking", google_problem: null, issuer_id: exampleIssuer, passes: 0 },
      ...{ service_account: exampleAccount, pass_logo_url: "https://www.example.com/logo.png" },
      events_switched_on: true,
    });
    expect(await offers()).toBe(false);
    delete google.faults.loyaltyClass;
    await setUp(sandbox, { ...googleSetUp(), pass_logo_url: "https://www.example.com/new.png" });
    await until(async () => (await status(sandbox)).google_status === "ready");
    expect(await offers()).toBe(true);
    const classes = [...google.stored].filter(
      ([id, { programLogo }]) =>
        id.startsWith(exampleIssuer) && programLogo?.sourceUri.uri === "https://www.example.com/new.png",
    );
    expect(classes).toEqual([
      [
        expect.stringMatching(/^\d+\.[\w-]{27}$/),
        {
          ...{
            id: classes[0]?.[0],
            issuerName: "Sandbox",
            programName: "Sandbox",
            reviewStatus: "UNDER_REVIEW",
          },
          programLogo: { sourceUri: { uri: "https://www.example.com/new.png" } },
          hexBackgroundColor: "#0b7285",
        },
      ],
    ]);
    const [row] = await world.sql<{ text: string }[]>`
      SELECT w::text AS text FROM wallet_issuer AS w WHERE business_id = ${sandbox.businessId}`;
    expect(row?.text).not.toContain("PRIVATE KEY");
    await operatorWrite(world, "/op/google-wallet/delete", business);
    expect(await offers()).toBe(false);
    expect((await status(sandbox)).google_status).toBe("none");
  });

  it("says what is wrong with the key", async () => {
    const noRsa = "-----BEGIN PRIVATE KEY-----\nbroken\n-----END PRIVATE KEY-----\n";
    const cases: readonly (readonly [string, RegExp])[] = [
      ["not JSON", /is not JSON/],
      ["null", /is not JSON/],
      [JSON.stringify({ installed: { client_id: "1" } }), /not the key of a service account/],
      [JSON.stringify(keyFile({ type: "authorized_user" })), /not the key of a service account/],
      [JSON.stringify(keyFile({ client_email: undefined })), /lacks client_email/],
      [JSON.stringify(keyFile({ private_key: noRsa })), /can't be read/],
      ...[1024, 5120].map(
        (bits) => [JSON.stringify(keyFile({}, bits)), /RSA with 2048 to 4096 bits/] as const,
      ),
    ];
    for (const [service_account_key, problem] of cases) {
      const sent = { ...googleSetUp(), service_account_key, business_id: shop.businessId };
      const reply = await asOperator(world, "/op/google-wallet/set-up", {
        ...sent,
        idempotency_key: nextKey(),
      });
      expect(reply.body.error?.details.errors, service_account_key.slice(0, 50)).toEqual([
        expect.objectContaining({ field: "service_account_key", message: expect.stringMatching(problem) }),
      ]);
      expect(reply.text).not.toMatch(/BEGIN|broken/);
    }
    expect((await status(shop)).google_status).toBe("ready");
  });

  it("says what Google does not accept, and asks again by itself", async () => {
    const sandbox = await makeSandbox(world, "2026-03-02 10:00:00");
    const problemOf = async (body: object) => {
      await setUp(sandbox, body);
      await until(async () => (await status(sandbox)).google_status !== "checking");
      const { google_status, google_problem } = await status(sandbox);
      expect(google_status).toBe("failing");
      return google_problem;
    };
    expect(await problemOf(googleSetUp(keyFile({}, 2048)))).toMatch(
      /^Google does not accept the key\. .* Google says: Invalid JWT Signature\.$/,
    );
    expect(await problemOf({ ...googleSetUp(), issuer_id: "3388000000099999999" })).toMatch(
      new RegExp(`^${exampleAccount} may not use the issuer 3388000000099999999\\. .*Permission denied`),
    );
    const faults = [
      [400, "Invalid logo", /does not accept what passes show \(400\)\. Google says: Invalid logo$/],
      [401, undefined, /may not use the issuer/],
      [429, undefined, /no more requests/],
      [500, undefined, /has a problem \(500\)/],
    ] as const;
    for (const [code, message, problem] of faults) {
      google.faults.loyaltyClass = { status: code, ...(message !== undefined && { message }) };
      expect(await problemOf(googleSetUp())).toMatch(problem);
    }
    delete google.faults.loyaltyClass;
    await setUp(sandbox);
    await until(async () => (await status(sandbox)).google_status === "ready");
  });
});

describe("a pass", () => {
  it("is added by a signed link, and shows what the page shows", async () => {
    const contact_id = await shop.member();
    const { card_code } = await shop.write("/sp/cards/create", { contact_id, kind: "app" });
    const at = { contact_id, location_id: shop.locationId };
    await topUp(contact_id, 2550);
    await shop.write("/sp/sales/record", { ...at, amount: 4200 });
    await shop.advance("2026-03-20 10:00:00");
    const page = await pageOf(contact_id);
    const html = (await world.call(page, undefined, { method: "GET" })).text;
    expect(html).toContain(`href="/api${page}/google-wallet">Add to Google Wallet</a>`);
    const claims = await save(page);
    const balances = await shop.ask("/sp/members/balances", { contact_id });
    const [{ id, classId, ...linked }] = claims.payload.loyaltyObjects;
    const shown = {
      state: "ACTIVE",
      barcode: {
        ...{ type: "QR_CODE", value: card_code },
        alternateText: card_code.replace(/\d{4}(?=\d)/g, "$& "),
      },
      loyaltyPoints: {
        localizedLabel: expect.objectContaining({ defaultValue: { language: "en", value: "Stars" } }),
        balance: { int: balances.points },
      },
    };
    expect(claims).toMatchObject({
      ...{ iss: exampleAccount, aud: "google", typ: "savetowallet", origins: [] },
      header: { alg: "RS256", kid: "0f8fad5b" },
    });
    expect(linked).toEqual(shown);
    expect(stored(classId)).toMatchObject({ programName: "Sandbox" });
    await until(() => stored(id) !== undefined);
    expect(stored(id)).toEqual({
      ...{ id, classId, ...shown },
      secondaryLoyaltyPoints: {
        localizedLabel: expect.objectContaining({
          translatedValues: expect.arrayContaining([{ language: "de", value: "Guthaben" }]),
        }),
        balance: { money: { micros: "25500000", currencyCode: "EUR" } },
      },
      textModulesData: expect.arrayContaining([
        {
          id: "worth",
          localizedHeader: expect.objectContaining({ defaultValue: { language: "en", value: "Worth" } }),
          localizedBody: {
            defaultValue: { language: "en", value: `€${(balances.points_amount / 100).toFixed(2)}` },
            translatedValues: expect.arrayContaining([
              { language: "fr", value: expect.stringContaining("€") },
            ]),
          },
        },
      ]),
    });
    const member = await shop.ask("/sp/members/get", { contact_id });
    for (const personal of [member.first_name, member.last_name, member.phone_number])
      expect(JSON.stringify([claims, stored(id)])).not.toContain(personal);
    // The same pass again, which is not sent again.
    expect((await save(page)).payload.loyaltyObjects[0].id).toBe(id);
    expect((await status(shop)).passes).toBeGreaterThan(0);
  });

  it("follows what happens to the member, at most once in five minutes", async () => {
    const { contact_id, id } = await makePass();
    await endPauses();
    const startedAt = google.count(id);
    await topUp(contact_id, 100);
    const micros = () => stored(id).secondaryLoyaltyPoints.balance.money.micros;
    await until(() => micros() === "1000000");
    await topUp(contact_id, 200);
    // Another pass is told of meanwhile, so the loop has looked at both.
    await makePass();
    expect([google.count(id) - startedAt, micros()]).toEqual([1, "1000000"]);
    await endPauses();
    await until(() => micros() === "3000000");
  });

  it("is stored once when the person and the service add it at the same time", async () => {
    google.raced = true;
    const { id } = await makePass();
    google.raced = false;
    // After a failure, another set-up is tried at once.
    await setUp(shop);
    await until(async () => {
      await endPauses();
      const [row] = await world.sql`
        SELECT FROM wallet_pass WHERE ${id} LIKE '%.' || serial_number AND changes = pushed_changes`;
      return row !== undefined;
    });
    expect(stored(id).state).toBe("ACTIVE");
  });

  it("is void and without anything personal after an erasure, a merge, a deactivation and another address", async () => {
    const business = { business_id: shop.businessId };
    const ends: Readonly<Record<string, (contact_id: number) => Promise<unknown>>> = {
      erase: (contact_id) => operatorWrite(world, "/op/members/erase", { ...business, contact_id }),
      deactivate: (contact_id) => operatorWrite(world, "/op/members/deactivate", { ...business, contact_id }),
      merge: async (from_contact_id) =>
        shop.write("/sp/members/merge", { contact_id: await shop.member(), from_contact_id }),
      replace: (contact_id) => shop.write("/sp/members/page-link", { contact_id, replace: true }),
    };
    for (const [name, end] of Object.entries(ends)) {
      const { contact_id, id, page, card_code } = await makePass();
      await end(contact_id);
      await until(async () => {
        await endPauses();
        return stored(id).state === "EXPIRED";
      });
      const { classId } = stored(id);
      expect(stored(id), name).toEqual({ id, classId, state: "EXPIRED" });
      expect(JSON.stringify(stored(id))).not.toContain(card_code);
      const reply = await fetch(`${world.baseUrl}${page}/google-wallet`, { redirect: "manual" });
      expect([reply.status, reply.headers.get("location")], name).toEqual([404, null]);
    }
  });

  it("that Google does not accept holds up no other, and is sent after a growing time", async () => {
    const own = await makeShop();
    const [bad, good] = [await makePass(own), await makePass(own)];
    google.faults.loyaltyObject = { status: 400, onlyOf: bad.id };
    const serial = bad.id.split(".")[1] as string;
    /** Until the next time at which it is sent is so many seconds away. */
    const waits = async (from: number, to: number) => {
      await endPauses();
      await until(async () => {
        const [row] = await world.sql`
          SELECT FROM wallet_pass WHERE serial_number = ${serial} AND changes > pushed_changes
            AND extract(epoch FROM next_push_at - now()) BETWEEN ${from} AND ${to}`;
        return row !== undefined;
      });
    };
    const changedAgo = (minutes: number) => world.sql`
      UPDATE wallet_pass SET changed_at = now() - make_interval(mins => ${minutes}) WHERE serial_number = ${serial}`;
    await topUp(bad.contact_id, 100, own);
    await waits(1, 60);
    // It was alone, and Google accepts the next one at once.
    await topUp(good.contact_id, 100, own);
    await endPauses();
    await until(() => stored(good.id).secondaryLoyaltyPoints.balance.money.micros === "1000000");
    await changedAgo(30);
    await waits(1700, 1900);
    await changedAgo(60 * 24 * 30);
    await waits(3500, 3600);
    delete google.faults.loyaltyObject;
    await endPauses();
    await until(() => stored(bad.id).secondaryLoyaltyPoints.balance.money.micros === "1000000");
  });

  it("keeps what Google said, and is told of soon, when the service stops meanwhile", async () => {
    const own = await makeShop();
    const { id } = await makePass(own);
    const serial_number = id.split(".")[1] as string;
    const [{ set_up }] = (await world.sql`
      SELECT md5(sealed) AS set_up FROM wallet_issuer WHERE business_id = ${own.businessId} AND kind = 'google'`) as [
      { set_up: string },
    ];
    const work = { business_id: own.businessId, kind: "google" as const, set_up, has_marks: false };
    const outcome = { told: [], failed: [serial_number], deadTokens: [], isRefused: true, classShown: null };
    const store = (problem: string, isStopped: boolean) =>
      world.sql.begin((tx) => storeTold(tx, work, { ...outcome, problem }, { retrySeconds: 10, isStopped }));
    await store("It stops.", true);
    const [pass] = (await world.sql`
      SELECT next_push_at < now() + interval '11 seconds' AS is_soon FROM wallet_pass WHERE serial_number = ${serial_number}`) as [
      { is_soon: boolean },
    ];
    expect([(await status(own)).google_problem, pass.is_soon]).toEqual([null, true]);
    await store("It does not respond.", false);
    expect((await status(own)).google_problem).toBe("It does not respond.");
  });

  it("is kept until Google has been told that it is void", async () => {
    const { contact_id, id } = await makePass();
    google.faults.loyaltyObject = { status: 500 };
    await operatorWrite(world, "/op/members/erase", { business_id: shop.businessId, contact_id });
    const age = () => world.sql`
      UPDATE wallet_pass SET changed_at = now() - interval '8 days' WHERE contact_id = ${contact_id}`;
    await until(async () => {
      const [row] = await world.sql`
        SELECT FROM wallet_pass WHERE contact_id = ${contact_id} AND changes > pushed_changes`;
      return row !== undefined;
    });
    await age();
    expect(await sweepPasses(world.sql, shop.businessId, 10)).toBe(0);
    delete google.faults.loyaltyObject;
    await setUp(shop);
    await until(async () => {
      await endPauses();
      return stored(id).state === "EXPIRED";
    });
    await until(async () => {
      await age();
      return (await sweepPasses(world.sql, shop.businessId, 10)) === 1;
    });
  });
});

it("shows another name and color on all passes and on the class, by the next look", async () => {
  const own = await makeShop();
  const { id, contact_id } = await makePass(own);
  const { classId } = stored(id);
  const before = google.count(id);
  await operatorWrite(world, "/op/businesses/update", {
    ...{ business_id: own.businessId, name: "New name", color: "#112233" },
  });
  await until(async () => {
    await endPauses();
    return stored(classId).programName === "New name" && google.count(id) > before;
  });
  expect(stored(classId).hexBackgroundColor).toBe("#112233");
  expect((await status(own)).google_status).toBe("ready");
  await topUp(contact_id, 100, own);
});
