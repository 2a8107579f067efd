/** Cards, over HTTP: a card finds its member, until it is blocked, replaced or its member erased; and in no other business. */
import { describe, expect, it } from "vitest";
import { newCardCode } from "../../src/credentials/card-codes.ts";
import { checkDigitOf } from "../../src/domain/cards.ts";
import type { Body } from "../support/engine-requests.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();

const find = (card_code: string, credentials = world.home.everywhere) =>
  world.ask("/sp/members/find", { card_code }, credentials);
const create = async (contact_id: number, more: Body = {}) => {
  const reply = await world.write("/sp/cards/create", { contact_id, kind: "plastic", ...more });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};
const errorOf = async (card_code: string, credentials = world.home.everywhere) => {
  const { status, body } = await find(card_code, credentials);
  return [status, body.error.code, body.error.details];
};
const grouped = (code: string, by: string) => code.replace(/(.{4})(?=.)/g, `$1${by}`);
const listed = async (contact_id: number) => {
  const { body } = await world.ask("/sp/cards/list", { contact_id });
  return body.data.map(({ card_code, status }: Body) => [card_code, status]);
};
const unknown = [404, "card_not_found", { reason: "unknown" }];

describe("a card", () => {
  it("finds its member with its balances, with blanks and hyphens or without", async () => {
    const contact_id = await world.member();
    await world.write("/sp/wallet/adjust", {
      ...{ contact_id, location_id: world.home.locationIds[0] },
      ...{ amount: 1250, adjustment_type: "credit" },
    });
    const { card_code } = await create(contact_id, { kind: "app" });
    for (const written of [card_code, grouped(card_code, " "), grouped(card_code, "-")]) {
      const { body } = await find(written);
      expect(body.data).toMatchObject({ contact_id, balances: { wallet: 1250, points: 0 } });
    }
  });

  it("shows no balances to an integration without their scope, and none without a card", async () => {
    const person = newPerson();
    const contact_id = await world.member(person);
    const { card_code } = await create(contact_id);
    const reader = await world.integration(world.home, { scopes: ["wa.members.read"] });
    const { body } = await find(card_code, reader);
    expect(body.data).toMatchObject({ contact_id, first_name: person.first_name });
    expect(body.data).not.toHaveProperty("balances");
    const byPhone = await world.ask("/sp/members/find", { phone_number: person.phone_number });
    expect(byPhone.body.data).not.toHaveProperty("balances");
  });

  it("with a wrong digit is told from one that nobody has", async () => {
    const { card_code } = await create(await world.member());
    const wrong = `${card_code.slice(0, -1)}${(Number(card_code.at(-1)) + 1) % 10}`;
    expect(await errorOf(wrong)).toEqual([404, "card_not_found", { reason: "check_digit" }]);
    expect(await errorOf(newCardCode())).toEqual(unknown);
  });

  it("can have a number of the business's own, which no other card there has", async () => {
    const contact_id = await world.member();
    const number = `LC ${nextKey()}`;
    const { card_code } = await create(contact_id, { card_code: number });
    expect(card_code).toBe(number.replaceAll(/[ -]/g, "").toUpperCase());
    expect((await find(number.toLowerCase())).body.data.contact_id).toBe(contact_id);
    const again = { contact_id: await world.member(), kind: "app", card_code };
    const reply = await world.write("/sp/cards/create", again);
    expect([reply.status, reply.body.error.code]).toEqual([409, "card_already_exists"]);
  });

  it("has only numbers that a barcode can have", async () => {
    const contact_id = await world.member();
    for (const card_code of ["LC-123", "CAFÉ 0004711", "x".repeat(33)]) {
      const { body } = await world.write("/sp/cards/create", { contact_id, kind: "plastic", card_code });
      const [failure] = body.error.details.errors;
      expect(failure).toMatchObject({ field: "card_code", code: "invalid_format" });
    }
  });

  it("of another business is not found, and can have the same number there", async () => {
    const { home, away } = world;
    const { card_code } = await create(await world.member());
    expect(await errorOf(card_code, away.everywhere)).toEqual(unknown);
    for (const path of ["/sp/cards/block", "/sp/cards/replace"]) {
      const { body } = await world.write(path, { card_code }, away.everywhere);
      expect(body.error.code).toBe("card_not_found");
    }
    const contact_id = await world.member({}, away.everywhere);
    const own = { contact_id, kind: "plastic", card_code };
    expect((await world.write("/sp/cards/create", own, away.everywhere)).status).toBe(201);
    expect((await find(card_code, away.everywhere)).body.data.contact_id).toBe(contact_id);
    expect((await find(card_code, home.everywhere)).body.data.contact_id).not.toBe(contact_id);
    const foreign = { contact_id, kind: "plastic" };
    expect((await world.write("/sp/cards/create", foreign)).body.error.code).toBe("member_not_found");
  });

  it("that was lost is blocked, and then replaced, once", async () => {
    const contact_id = await world.member();
    const { card_code } = await create(contact_id);
    const blocked = await world.write("/sp/cards/block", { card_code });
    expect(blocked.body.data).toMatchObject({ card_code, status: "blocked" });
    expect(await errorOf(card_code)).toEqual([409, "card_blocked", { status: "blocked" }]);
    expect((await world.write("/sp/cards/block", { card_code })).body.data.status).toBe("blocked");
    const replace = () => world.write("/sp/cards/replace", { card_code });
    const replies = await Promise.all([replace(), replace()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await errorOf(card_code)).toEqual([409, "card_blocked", { status: "replaced" }]);
    const made = replies.find(({ status }) => status === 201)?.body.data;
    expect(made).toMatchObject({ contact_id, kind: "plastic", status: "active" });
    expect((await find(made.card_code)).body.data.contact_id).toBe(contact_id);
    expect(await listed(contact_id)).toEqual([
      [made.card_code, "active"],
      [card_code, "replaced"],
    ]);
  });

  it("is made once by requests with one key, also if the first response was lost", async () => {
    const contact_id = await world.member();
    const body = { idempotency_key: nextKey(), contact_id, kind: "app" };
    const replies = await Promise.all([
      world.ask("/sp/cards/create", body),
      world.ask("/sp/cards/create", body),
    ]);
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await listed(contact_id)).toHaveLength(1);
  });
});

describe("the cards of a member", () => {
  it("name the other member after a merge, and new ones are for that", async () => {
    const [from, into] = [await world.member(), await world.member()];
    const { card_code } = await create(from);
    const merge = { from_contact_id: from, contact_id: into };
    const merging = world.write("/sp/members/merge", merge);
    // A card that is replaced meanwhile goes along, too.
    const [merged, replaced] = await Promise.all([merging, world.write("/sp/cards/replace", { card_code })]);
    expect([merged.status, replaced.status]).toEqual([200, 201]);
    const [row] = await world.sql<{ cards: number }[]>`
      SELECT count(*) AS cards FROM card WHERE contact_id = ${from}`;
    expect(row?.cards).toBe(0);
    expect((await find(replaced.body.data.card_code)).body.data.contact_id).toBe(into);
    expect(await listed(into)).toHaveLength(2);
    expect(await listed(from)).toHaveLength(2);
    const late = await world.write("/sp/cards/create", { contact_id: from, kind: "app" });
    expect([late.body.error.code, late.body.error.details]).toEqual([
      "member_inactive",
      { merged_into: into },
    ]);
  });

  it("are gone after an erasure, also from the responses that are stored", async () => {
    const contact_id = await world.member();
    const body = { idempotency_key: nextKey(), contact_id, kind: "app" };
    const { card_code } = (await world.ask("/sp/cards/create", body)).body.data;
    const business_id = world.home.businessId;
    await operatorWrite(world, "/op/members/erase", { business_id, contact_id });
    expect(await errorOf(card_code)).toEqual(unknown);
    expect((await world.ask("/sp/cards/create", body)).text).not.toContain(card_code);
  });

  it("are exported with the member, and the audit log and events have no codes", async () => {
    const business_id = world.home.businessId;
    await operatorWrite(world, "/op/businesses/update", { business_id, events_enabled: true });
    const contact_id = await world.member();
    const member = { business_id, contact_id };
    const made = await operatorWrite(world, "/op/cards/create", { ...member, kind: "app" });
    const { card_code } = made;
    const next = await operatorWrite(world, "/op/cards/replace", { business_id, card_code });
    await operatorWrite(world, "/op/cards/block", { business_id, card_code: next.card_code });
    const { body } = await asOperator(world, "/op/members/export", member);
    expect(body.data.records.card).toMatchObject([
      { card_code, status: "replaced" },
      { card_code: next.card_code, status: "blocked" },
    ]);
    const audit = await asOperator(world, "/op/audit/list", { ...member, per_page: 100 });
    const events = await asOperator(world, "/op/events/list", { business_id, types: ["card.*"], limit: 100 });
    expect(audit.text).toContain(`"replaced_card_id":${made.card_id}`);
    expect(events.body.data.events.map(({ type }: Body) => type)).toEqual([
      ...["card.created", "card.replaced", "card.blocked"],
    ]);
    for (const text of [audit.text, events.text])
      for (const code of [card_code, next.card_code]) expect(text).not.toContain(code);
  });

  it("come with members of files, and each number once", async () => {
    const business_id = world.home.businessId;
    const digits = "480011220033445";
    // Plastic that a business has needs no check digit, and may have a wrong one.
    const wrong = `${digits}${(Number(checkDigitOf(digits)) + 1) % 10}`;
    const lines = [wrong, grouped(wrong, " "), "short"].map((card_code, index) => ({
      ...{ line: index + 1, ...newPerson(), card_code },
    }));
    const response = await operatorWrite(world, "/op/imports/members", { business_id, lines });
    expect(response).toMatchObject({ imported: 1, skipped: 0 });
    expect(response.rejected).toMatchObject([
      { line: 2, field: "card_code", code: "member_already_exists" },
      { line: 3, field: "card_code", code: "invalid_format" },
    ]);
    expect((await find(wrong)).body.data.phone_number).toBe(lines[0]?.phone_number);
    const again = [{ line: 1, ...newPerson(), card_code: wrong }];
    const { rejected } = await operatorWrite(world, "/op/imports/members", { business_id, lines: again });
    expect(rejected).toMatchObject([{ field: "card_code", code: "member_already_exists" }]);
  });
});
