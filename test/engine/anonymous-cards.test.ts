/** Anonymous cards, over HTTP: issued with money, used like a member, in no list of members, and claimed once. */
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../src/domain/access/access.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { type Business, type Credentials, newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
let shop: Business;
let business: { business_id: number };
let location_id: number;

beforeAll(async () => {
  shop = await world.business("Anonymous cards", "Europe/Dublin");
  business = { business_id: shop.businessId };
  location_id = shop.locationIds[0] as number;
  const program = { membership_name: "Club", maximum_points_per_order: 500 };
  const rate = { earn_points: 1, earn_amount: 100, earn_minimum_amount: 0 };
  const { program_id } = await operatorWrite(world, "/op/programs/create", {
    ...business,
    ...program,
    ...rate,
  });
  await operatorWrite(world, "/op/reward-settings/update", { ...business, enable_rp: true });
  await setRules({ default_program_id: program_id, value_points: 1, value_amount: 1 });
});

const setRules = (rules: Body) =>
  operatorWrite(world, "/op/reward-settings/rules/update", { ...business, ...rules });
const write = (path: string, body: Body) => world.write(path, body, shop.everywhere);
const ask = (path: string, body: Body) => world.ask(path, body, shop.everywhere);
const done = async (path: string, body: Body) => {
  const reply = await write(path, body);
  expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300);
  return reply.body.data;
};
const issue = (more: Body = {}) => done("/sp/cards/issue", { location_id, kind: "plastic", ...more });
const balancesOf = async (card_code: string) =>
  (await ask("/sp/cards/balance", { card_code })).body.data.balances;
const errorOf = async (path: string, body: Body) => {
  const { status, body: reply } = await write(path, body);
  return [status, reply.error?.code];
};
const person = () => world.member({}, shop.everywhere);
const sell = (contact_id: number, amount: number, more: Body = {}) =>
  done("/sp/sales/record", { contact_id, location_id, amount, ...more });

describe("an anonymous card", () => {
  it("is made with its member and its money at once, and a till finds it by its code", async () => {
    const card = await issue({ amount: 2500 });
    expect(card).toMatchObject({ status: "active", amount: 2500, promo_amount: 0, balance_after: 2500 });
    const { body } = await ask("/sp/members/find", { card_code: card.card_code });
    expect(body.data).toMatchObject({ contact_id: card.contact_id, balances: { wallet: 2500, points: 0 } });
    const { data } = (await ask("/sp/transactions/list", { contact_id: card.contact_id })).body;
    expect(data).toMatchObject([
      { event_type: "wallet_topup", amount: 2500, reference_id: card.reference_id },
    ]);
    expect((await issue()).balance_after).toBe(0);
  });

  it("gets the bonus of an offer, which its location sells", async () => {
    const offer = { title: "Fifty", amount: 5000, promo_amount: 500 };
    const { benefit_id } = await done("/sp/wallet/topup-benefits/create", { ...offer, location_id });
    expect(await issue({ benefit_id })).toMatchObject({
      amount: 5000,
      promo_amount: 500,
      balance_after: 5500,
    });
    const elsewhere = { location_id: shop.locationIds[1], kind: "plastic", benefit_id };
    expect(await errorOf("/sp/cards/issue", elsewhere)).toEqual([422, "validation_failed"]);
    expect(await errorOf("/sp/cards/issue", { location_id, kind: "plastic", benefit_id, amount: 1 })).toEqual(
      [422, "validation_failed"],
    );
  });

  it("that can't be topped up is not made", async () => {
    const [before] = await world.sql<
      { n: number }[]
    >`SELECT count(*) AS n FROM member WHERE business_id = ${shop.businessId}`;
    const body = { location_id, kind: "plastic", benefit_id: 999_999_999 };
    expect(await errorOf("/sp/cards/issue", body)).toEqual([404, "benefit_not_found"]);
    const { card_code } = await issue();
    expect(await errorOf("/sp/cards/issue", { location_id, kind: "app", card_code })).toEqual([
      409,
      "card_already_exists",
    ]);
    const [after] = await world.sql<
      { n: number }[]
    >`SELECT count(*) AS n FROM member WHERE business_id = ${shop.businessId}`;
    expect(after?.n).toBe((before?.n as number) + 1);
  });

  it("is issued once by requests with one key", async () => {
    const body = { idempotency_key: nextKey(), location_id, kind: "plastic", amount: 700 };
    const replies = await Promise.all([ask("/sp/cards/issue", body), ask("/sp/cards/issue", body)]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  });

  it("earns, pays and gets refunds like a member", async () => {
    const { contact_id, card_code } = await issue({ amount: 1000 });
    const sale = await sell(contact_id, 1500, { use_wallet: 1000 });
    expect(sale).toMatchObject({ wallet_used: 1000, amount_due: 500, points_earned: 15 });
    expect(await balancesOf(card_code)).toMatchObject({ wallet: 0, points: 15 });
    await done("/sp/sales/refund", { sale_id: sale.sale_id, location_id, amount: 1500 });
    expect(await balancesOf(card_code)).toMatchObject({ wallet: 1000, points: 0 });
  });

  it("earns nothing if the business says so, and can still pay", async () => {
    await setRules({ anonymous_cards_earn: false });
    const { contact_id } = await issue({ amount: 1000 });
    const { body } = await ask("/sp/sales/quote", { contact_id, location_id, amount: 1000 });
    expect(body.data).toMatchObject({ points_earned: 0, program: null, why: [{ code: "no_program" }] });
    const sale = await sell(contact_id, 1000, { use_wallet: 400 });
    expect(sale).toMatchObject({ points_earned: 0, wallet_used: 400 });
    expect((await sell(await person(), 1000)).points_earned).toBe(10);
    await setRules({ anonymous_cards_earn: true });
    expect((await sell(contact_id, 1000)).points_earned).toBe(10);
  });

  it("is in no list of members, search or count of new members", async () => {
    const counted = async () => {
      const { body } = await ask("/sp/members/list", { include_inactive: true, per_page: 1 });
      return body.meta.pagination.total;
    };
    const before = await counted();
    const { contact_id } = await issue();
    expect(await counted()).toBe(before);
    for (const search of [String(contact_id), "Anonymous", "Card"])
      expect((await ask("/sp/members/list", { search, include_inactive: true })).body.data).toEqual([]);
    const { body } = await asOperator(world, "/op/members/list", { ...business, search: String(contact_id) });
    expect(body.data).toEqual([]);
    const active = await operatorWrite(world, "/op/members/deactivate", { ...business, contact_id });
    expect(active.active).toBe(false);
    const verified = await asOperator(world, "/op/ledger/verify", { ...business, part: "member_counts" });
    expect(verified.body.data.mismatches).toEqual([]);
  });

  it("has no fields of a person, and nobody can be merged into it", async () => {
    const { contact_id } = await issue();
    expect(await errorOf("/sp/members/update", { contact_id, first_name: "Ana" })).toEqual([
      404,
      "member_not_found",
    ]);
    const merge = { from_contact_id: await person(), contact_id };
    expect(await errorOf("/sp/members/merge", merge)).toEqual([409, "member_anonymous"]);
  });

  it("is listed for operators, with its money, by code, kind and status", async () => {
    const card = await issue({ amount: 900 });
    const list = async (filter: Body) =>
      (await asOperator(world, "/op/cards/list", { ...business, ...filter })).body.data;
    expect(await list({ card_code: card.card_code })).toMatchObject([{ anonymous: true, wallet: 900 }]);
    const contact_id = await person();
    const own = await done("/sp/cards/create", { contact_id, kind: "app" });
    expect(await list({ card_code: own.card_code })).toMatchObject([{ anonymous: false, wallet: null }]);
    expect((await list({ anonymous: true })).map(({ card_id }: Body) => card_id)).not.toContain(own.card_id);
    expect((await list({ kind: "app" })).map(({ card_id }: Body) => card_id)).toContain(own.card_id);
    expect((await list({ kind: "plastic" })).map(({ card_id }: Body) => card_id)).not.toContain(own.card_id);
    const [{ card_id, created_at }] = await list({ kind: "plastic", per_page: 1 });
    await world.sql`UPDATE card SET created_at = created_at - interval '3 days' WHERE card_id = ${card_id}`;
    const since = async (day: string) =>
      (await list({ start_date: day })).map((one: Body) => one.card_id).includes(card_id);
    const dayOf = (days: number) =>
      new Date(Date.parse(`${created_at.slice(0, 10)}T00:00:00Z`) - days * 86_400_000)
        .toISOString()
        .slice(0, 10);
    expect([await since(dayOf(3)), await since(dayOf(2))]).toEqual([true, false]);
    await done("/sp/cards/block", { card_code: card.card_code });
    expect(await list({ status: "blocked" })).toMatchObject([{ card_id: card.card_id, wallet: 900 }]);
    const next = await done("/sp/cards/replace", { card_code: card.card_code });
    expect(await balancesOf(next.card_code)).toMatchObject({ wallet: 900 });
  });

  it("that an operator issues counts for the limits of the account", async () => {
    const operator = { name: "Luis", email: `${nextKey()}@example.com`, role: "support", limit_amount: 1000 };
    const key = await operatorWrite(world, "/op/operator-keys/create", { ...operator, email: undefined });
    const send = (amount: number) =>
      world.call(
        "/op/cards/issue",
        { idempotency_key: nextKey(), ...business, location_id, kind: "plastic", amount, reason: "A prize" },
        { token: key.operator_key },
      );
    expect((await send(800)).status).toBe(201);
    const { status, body } = await send(300);
    expect([status, body.error.code]).toEqual([409, "limit_exceeded"]);
    expect((await send(200)).status).toBe(201);
  });
});

describe("a claim", () => {
  it("gives a person all that is on the card, and the code names the person from then on", async () => {
    const { contact_id: from, card_code } = await issue({ amount: 1000 });
    await sell(from, 5000);
    const contact_id = await person();
    await sell(contact_id, 2000);
    const claimed = await done("/sp/cards/claim", { card_code, contact_id });
    expect(claimed).toMatchObject({
      ...{ contact_id, from_contact_id: from, merged: { wallet: 1000, points: 50, sales: 5000 } },
      balances: { wallet: 1000, points: 70, sales: 7000 },
    });
    expect((await ask("/sp/members/find", { card_code })).body.data.contact_id).toBe(contact_id);
    const again = { card_code, contact_id };
    expect(await errorOf("/sp/cards/claim", again)).toEqual([409, "card_already_claimed"]);
    const { body } = await ask("/sp/members/list", { search: String(from) });
    expect(body.data).toMatchObject([{ contact_id }]);
  });

  it("by two tills at once happens once", async () => {
    const { card_code } = await issue({ amount: 600 });
    const people = [await person(), await person(), await person()];
    const replies = await Promise.all(
      people.map((contact_id) => write("/sp/cards/claim", { card_code, contact_id })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const balances = await Promise.all(
      people.map(async (contact_id) => (await ask("/sp/members/balances", { contact_id })).body.data.wallet),
    );
    expect(balances.sort()).toEqual([0, 0, 600]);
  });

  it("is rejected for a card that is blocked, erased, of a person or of another business", async () => {
    const contact_id = await person();
    const claim = (card_code: string) => errorOf("/sp/cards/claim", { card_code, contact_id });
    const blocked = await issue({ amount: 100 });
    await done("/sp/cards/block", { card_code: blocked.card_code });
    expect(await claim(blocked.card_code)).toEqual([409, "card_blocked"]);
    const erased = await issue();
    await operatorWrite(world, "/op/members/erase", { ...business, contact_id: erased.contact_id });
    expect(await claim(erased.card_code)).toEqual([404, "card_not_found"]);
    const own = await done("/sp/cards/create", { contact_id, kind: "app" });
    expect(await claim(own.card_code)).toEqual([409, "card_already_claimed"]);
    const foreign = await world.write("/sp/cards/issue", {
      ...{ location_id: world.home.locationIds[0], kind: "plastic" },
    });
    expect(await claim(foreign.body.data.card_code)).toEqual([404, "card_not_found"]);
    const { card_code, contact_id: itself } = await issue();
    expect(await errorOf("/sp/cards/claim", { card_code, contact_id: itself })).toEqual([
      409,
      "card_already_claimed",
    ]);
    const other = { card_code, contact_id: (await issue()).contact_id };
    expect(await errorOf("/sp/cards/claim", other)).toEqual([409, "member_anonymous"]);
    const wrong = `${card_code.slice(0, -1)}${(Number(card_code.at(-1)) + 1) % 10}`;
    const { body } = await write("/sp/cards/claim", { card_code: wrong, contact_id });
    expect(body.error).toMatchObject({ code: "card_not_found", details: { reason: "check_digit" } });
  });

  it("of any life of a card leaves the sum of all balances as it was", async () => {
    const moves = fc.array(
      fc.record({
        by: fc.constantFrom("card", "person"),
        what: fc.constantFrom("topup", "sale", "pay"),
        amount: fc.integer({ min: 1, max: 3000 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const sums = async (ids: readonly number[]) => {
      const [row] = await world.sql`
        SELECT json_object_agg(account, total) AS sums FROM (
          SELECT account, sum(balance) AS total FROM account
          WHERE business_id = ${shop.businessId} AND contact_id = ANY (${ids}::bigint[]) GROUP BY account
        ) AS each`;
      return row?.sums;
    };
    await fc.assert(
      fc.asyncProperty(moves, async (life) => {
        const card = await issue({ amount: 500 });
        const contact_id = await person();
        for (const { by, what, amount } of life) {
          const own = { contact_id: by === "card" ? card.contact_id : contact_id, location_id, amount };
          if (what === "topup") await write("/sp/wallet/topup", own);
          else if (what === "sale") await write("/sp/sales/record", own);
          // Without enough money it is rejected, which changes nothing.
          else await write("/sp/wallet/pay", own);
        }
        const before = await sums([card.contact_id, contact_id]);
        await done("/sp/cards/claim", { card_code: card.card_code, contact_id });
        expect(await sums([card.contact_id, contact_id])).toEqual(before);
        expect(await sums([contact_id])).toEqual(before);
      }),
      { numRuns: 8 },
    );
    for (const part of ["accounts", "points", "member_counts", "entries"]) {
      const { body } = await asOperator(world, "/op/ledger/verify", { ...business, part });
      expect(body.data.mismatches, part).toEqual([]);
    }
  });

  it("shows its code, and gives its money, only to who may see and move money", async () => {
    const { card_code, contact_id } = await issue({ amount: 300 });
    const into = await world.member(newPerson(), shop.everywhere);
    const integration = (...scopes: Scope[]) => world.integration(shop, { scopes });
    const members = await integration("wa.members.read", "wa.members.write");
    const answers = async (credentials: Credentials) => [
      await world.ask("/sp/cards/list", { contact_id }, credentials),
      await world.write("/sp/members/page-link", { contact_id }, credentials),
      await world.write("/sp/cards/claim", { card_code, contact_id: into }, credentials),
    ];
    for (const { status, text, body } of await answers(members)) {
      expect([status, body.error.code]).toEqual([403, "sp_scope_not_granted"]);
      expect(text).not.toContain(card_code);
    }
    // Another code would find it, too.
    const made = await write("/sp/cards/create", { contact_id, kind: "app" });
    expect([made.status, made.body.error.code]).toEqual([409, "member_anonymous"]);
    expect((await world.ask("/sp/cards/list", { contact_id: into }, members)).status).toBe(200);
    expect((await world.write("/sp/members/page-link", { contact_id: into }, members)).status).toBe(200);
    const till = await integration(
      "wa.members.read",
      "wa.members.write",
      "wa.wallet.read",
      "wa.wallet.write",
    );
    expect((await answers(till)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("tells followers with an event that has no code", async () => {
    await operatorWrite(world, "/op/businesses/update", { ...business, events_enabled: true });
    const { card_code, card_id, contact_id: from } = await issue({ amount: 300 });
    const contact_id = await world.member(newPerson(), shop.everywhere);
    await done("/sp/cards/claim", { card_code, contact_id });
    const { text, body } = await asOperator(world, "/op/events/list", {
      ...{ ...business, types: ["card.*"], limit: 100 },
    });
    expect(text).not.toContain(card_code);
    const events = body.data.events.map(({ type, data }: { type: string; data: Body }) => [
      ...[type, data.card_id, data.contact_id],
    ]);
    expect(events).toEqual([
      ["card.issued", card_id, from],
      ["card.claimed", card_id, contact_id],
    ]);
  });
});
