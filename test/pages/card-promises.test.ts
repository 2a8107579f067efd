/** The promises about cards, pages and passes: nothing of one business works in another, guesses find nothing, and an erasure ends all. */
import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newCardCode } from "../../src/credentials/card-codes.ts";
import { nameInSql } from "../../src/database/sql.ts";
import { sweepPasses } from "../../src/database/wallets/updates.ts";
import { checkDigitOf, hasWrongCheckDigit } from "../../src/domain/cards.ts";
import { GoogleWallet, googleSetUp, readJwt } from "../support/google-wallet.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { walletSetUp } from "../support/pass-certificates.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";
import { until } from "../support/webhooks.ts";
import { useWorld } from "../support/world.ts";

const google = new GoogleWallet();
const environment: Record<string, string> = { LOYALTY_WRONG_CODE_LIMIT: "20" };
beforeAll(async () => {
  await google.start();
  environment.LOYALTY_GOOGLE_WALLET_URL = google.url;
});
const world = useWorld(environment);
let shop: Sandbox;
let other: Sandbox;
beforeAll(async () => {
  [shop, other] = await Promise.all([makeShop(), makeShop()]);
});
afterAll(() => google.stop());

async function makeShop() {
  const made = await makeSandbox(world, "2026-03-02 10:00:00");
  const business = { business_id: made.businessId };
  await operatorWrite(world, "/op/apple-wallet/set-up", { ...business, ...walletSetUp() });
  await operatorWrite(world, "/op/google-wallet/set-up", { ...business, ...googleSetUp() });
  await until(async () => {
    const { body } = await asOperator(world, "/op/google-wallet/get", business);
    return body.data.google_status === "ready";
  });
  return made;
}

const get = (path: string) => world.call(path, undefined, { method: "GET" });

/** A member with a card, a page, a pass on a phone with Apple Wallet, and one at Google. */
async function makeHolder(of: Sandbox) {
  const contact_id = await of.member();
  const { card_code } = await of.write("/sp/cards/create", { contact_id, kind: "app" });
  const { page_path: page } = await of.write("/sp/members/page-link", { contact_id });
  const file = await fetch(`${world.baseUrl}${page}/card.pkpass`);
  const files = unzipSync(new Uint8Array(await file.arrayBuffer()));
  const pass = JSON.parse(Buffer.from(files["pass.json"] as Uint8Array).toString());
  const { webServiceURL, passTypeIdentifier: type, serialNumber: serial, authenticationToken: token } = pass;
  const authorization = `ApplePass ${token}`;
  const pushToken = randomBytes(16).toString("hex");
  const registration = await fetch(`${webServiceURL}/v1/devices/phone/registrations/${type}/${serial}`, {
    ...{ method: "POST", headers: { authorization }, body: JSON.stringify({ pushToken }) },
  });
  expect(registration.status).toBe(201);
  const saved = await fetch(`${world.baseUrl}${page}/google-wallet`, { redirect: "manual" });
  const claims = readJwt(saved.headers.get("location")?.split("/").at(-1) ?? "");
  const objectId: string = claims.payload.loyaltyObjects[0].id;
  await until(() => google.stored.has(objectId));
  const latest = async (businessId = of.businessId) => {
    const url = `${world.baseUrl}/wallet/apple/${businessId}/v1/passes/${type}/${serial}`;
    return fetch(url, { headers: { authorization } });
  };
  return { contact_id, card_code: card_code as string, page: page as string, objectId, pushToken, latest };
}

/** A code that could be one, made quickly. */
function guessOfCode(): string {
  const digits = `7${String(Math.floor(Math.random() * 1e14)).padStart(14, "0")}`;
  return digits + checkDigitOf(digits);
}

describe("C3", () => {
  it("lets no code, page or pass of one business work in another", async () => {
    const { card_code, page, latest } = await makeHolder(shop);
    for (const path of ["/sp/members/find", "/sp/cards/balance"])
      expect((await other.rejected(path, { card_code })).code).toBe("card_not_found");
    expect(JSON.stringify(await shop.ask("/sp/members/find", { card_code }))).toContain("contact_id");
    const elsewhere = page.replace(`/card/${shop.businessId}.`, `/card/${other.businessId}.`);
    for (const part of ["", "/card.pkpass", "/google-wallet", "/icon.svg", "/app.webmanifest"])
      expect((await get(elsewhere + part)).status, part).toBe(404);
    expect([(await latest()).status, (await latest(other.businessId)).status]).toEqual([200, 401]);
    const classes = [...google.stored.values()].filter(({ programName }) => programName !== undefined);
    expect(classes).toHaveLength(2);
  });

  it("hides every code and token among 200,000 guesses", { timeout: 180_000 }, async () => {
    const cards = 20_000;
    const codes = Array.from({ length: cards }, () => newCardCode());
    const contact_id = await shop.member();
    await world.sql`
      INSERT INTO card (business_id, card_code, contact_id, kind)
      SELECT ${shop.businessId}, code, ${contact_id}, 'app' FROM unnest(${codes}::text[]) AS code
      ON CONFLICT DO NOTHING`;
    // 20,000 codes among 4 * 10^14: 200,000 guesses find one with a probability of 1 in 100,000.
    const atOnce = 100_000;
    for (let guesses = 0; guesses < 200_000; guesses += atOnce) {
      const guessed = Array.from({ length: atOnce }, guessOfCode);
      expect(guessed.slice(0, 1000).some(hasWrongCheckDigit)).toBe(false);
      const found = await world.sql`
        SELECT FROM card JOIN unnest(${guessed}::text[]) AS guess ON card.card_code = guess
        WHERE card.business_id = ${shop.businessId}`;
      expect(found).toHaveLength(0);
    }
    // Nine of ten random numbers are no code at all, and are rejected by the rule.
    const numbers = Array.from({ length: 10_000 }, () => String(1e15 + Math.floor(Math.random() * 8e15)));
    const wrong = numbers.filter(hasWrongCheckDigit).length;
    expect(wrong).toBeGreaterThan(8_500);
    expect(wrong).toBeLessThan(9_500);
    const hashes = Array.from({ length: atOnce }, () =>
      createHash("sha256").update(randomBytes(20).toString("base64url")).digest(),
    );
    const pages = await world.sql`
      SELECT FROM member_page AS p JOIN unnest(${hashes}::bytea[]) AS guess ON p.token_hash = guess
      WHERE p.business_id = ${shop.businessId}`;
    expect(pages).toHaveLength(0);
  });

  it("ends guesses over HTTP, while other integrations keep their answers", async () => {
    const { card_code } = await makeHolder(other);
    const answers = { card_not_found: 0, rate_limited: 0, service_unavailable: 0 };
    const guess = async () => {
      const { code } = await shop.rejected("/sp/members/find", { card_code: newCardCode() });
      answers[code as keyof typeof answers] += 1;
    };
    const [rounds, atOnce] = [30, 20];
    for (let round = 0; round < rounds; round++) {
      const guesses = Array.from({ length: atOnce }, guess);
      // On a busy machine, one can have to ask again.
      await until(
        async () => (await world.ask("/sp/members/find", { card_code }, other.credentials)).status === 200,
      );
      await Promise.all(guesses);
      const page = await get(`/card/${shop.businessId}.${randomBytes(20).toString("base64url")}`);
      expect([404, 503]).toContain(page.status);
    }
    expect(answers).toEqual({
      ...{ card_not_found: expect.any(Number), rate_limited: expect.any(Number) },
      service_unavailable: expect.any(Number),
    });
    const answered = Object.values(answers).reduce((sum, count) => sum + count, 0);
    expect(answered).toBe(rounds * atOnce);
    // 20 in a minute, and those in flight when the limit is reached. A busy machine can take several minutes.
    expect(answers.card_not_found).toBeLessThan((rounds * atOnce) / 4);
    expect(answers.rate_limited).toBeGreaterThan(0);
  });
});

describe("C4", () => {
  it("shows on the page what operations answer at that moment", async () => {
    const business = { business_id: other.businessId };
    const { voucher_id } = await operatorWrite(world, "/op/vouchers/create", {
      ...{ ...business, campaign_name: "Cake", validity: 1, validity_period: "month" },
      ...{ coupon_code: "CAKE", kind: "value", coupon_value: 350 },
    });
    await operatorWrite(world, "/op/stamp-cards/create", {
      ...{ ...business, name: "Coffees", stamps_needed: 3, voucher_id, counts: "visit", status: "active" },
    });
    const at = (contact_id: number) => ({ contact_id, location_id: other.locationId });
    const amount = fc.integer({ min: 1, max: 9_999 });
    const step = fc.oneof(
      fc.record({ path: fc.constant("/sp/wallet/topup"), amount }),
      fc.record({ path: fc.constant("/sp/wallet/pay"), amount }),
      fc.record({ path: fc.constant("/sp/sales/record"), amount }),
      fc.record({ path: fc.constant("/sp/vouchers/issue") }),
    );
    let day = Date.UTC(2026, 2, 2);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), fc.nat(20), async (steps, days) => {
        const contact_id = await other.member();
        const { page_path } = await other.write("/sp/members/page-link", { contact_id });
        for (const { path, ...more } of steps) {
          const body = { ...at(contact_id), ...more, ...(path === "/sp/vouchers/issue" && { voucher_id }) };
          // A payment can be more than the wallet has.
          await world.write(path, body, other.credentials);
        }
        day += days * 86_400_000;
        if (days > 0) await other.advance(`${new Date(day).toISOString().slice(0, 10)} 10:00:00`);
        const [balances, stamps, vouchers] = await Promise.all([
          other.ask("/sp/members/balances", { contact_id }),
          other.ask("/sp/stamp-cards/list", { contact_id }),
          other.ask("/sp/vouchers/list", { contact_id, status: "held" }),
        ]);
        const { text } = await get(page_path);
        const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, value]) => value);
        const number = new Intl.NumberFormat("en");
        const money = new Intl.NumberFormat("en", { style: "currency", currency: "EUR" });
        expect(found(/<p class="large">([^<]+)<\/p>/g).slice(0, 2)).toEqual([
          ...[number.format(balances.points), money.format(balances.wallet / 100)],
        ]);
        const stampsShown = stamps.map((one: { stamps: number; stamps_needed: number }) => {
          return `${one.stamps} / ${one.stamps_needed}`;
        });
        expect(found(/<div>(\d+ \/ \d+)<\/div>/g)).toEqual(stampsShown);
        const codes = vouchers.map((one: { coupon_code: string }) => one.coupon_code);
        expect(found(/<code>([^<]+)<\/code>/g)).toEqual(codes);
      }),
      { numRuns: 8 },
    );
  });
});

describe("C5", () => {
  it("leaves no code, address, phone and push token of an erased member, and voids its passes", async () => {
    const { contact_id, card_code, page, objectId, pushToken, latest } = await makeHolder(shop);
    await operatorWrite(world, "/op/members/erase", { business_id: shop.businessId, contact_id });
    const shown = await latest();
    const files = unzipSync(new Uint8Array(await shown.arrayBuffer()));
    expect(JSON.parse(Buffer.from(files["pass.json"] as Uint8Array).toString())).toMatchObject({
      ...{ voided: true, storeCard: {} },
    });
    await until(async () => {
      await world.sql`UPDATE wallet_pass SET next_push_at = now() WHERE contact_id = ${contact_id}`;
      return google.stored.get(objectId).state === "EXPIRED";
    });
    expect(JSON.stringify(google.stored.get(objectId))).not.toContain(card_code);
    for (const part of ["", "/card.pkpass", "/google-wallet"])
      expect((await get(page + part)).status, part).toBe(404);
    // The phone can fetch the void pass for a week, also if no push reaches it.
    await until(async () => {
      await world.sql`UPDATE wallet_pass SET changed_at = now() - interval '8 days' WHERE contact_id = ${contact_id}`;
      await sweepPasses(world.sql, shop.businessId, 10);
      return (await world.sql`SELECT FROM wallet_pass WHERE contact_id = ${contact_id}`).length === 0;
    });
    expect((await latest()).status).toBe(401);
    const tables = await world.sql<{ name: string }[]>`
      SELECT c.relname AS name FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relkind = 'r'`;
    for (const { name } of tables)
      for (const secret of [card_code, pushToken]) {
        const like = `%${secret}%`;
        const rows =
          await world.sql`SELECT 1 FROM ${nameInSql(name)} AS t WHERE t::text LIKE ${like} LIMIT 1`;
        expect(rows, `${secret} in ${name}`).toHaveLength(0);
      }
    const { code } = await other.rejected("/sp/members/find", { card_code });
    expect(code).toBe("card_not_found");
  });
});
