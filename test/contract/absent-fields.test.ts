/** What counts as absent: null for an optional field, some empty values, and unknown fields where they are ignored. */
import { beforeAll, describe, expect, it } from "vitest";
import { errors } from "../../src/contract/errors.ts";
import type { Body, Records } from "../support/engine-requests.ts";
import { asOperator, operatorWrite, validMemberLine } from "../support/operator-requests.ts";
import { makeRecords, operationsInRealTime, validBody } from "../support/requests.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const ignoring = useWorld({ LOYALTY_UNKNOWN_FIELDS: "ignore" });

async function stored(contactId: number) {
  const [row] = await world.sql`
    SELECT first_name, phone_number, email, date_of_birth FROM member WHERE contact_id = ${contactId}`;
  return row!;
}

describe("null", () => {
  it("is as good as nothing when a member is created", async () => {
    const nothing = { email: null, date_of_birth: null, password: null };
    const contact_id = await world.member(nothing as never);
    expect(await stored(contact_id)).toMatchObject({ email: null, date_of_birth: null });
  });

  it.each(["/sp/members/update", "/sp/members/profile/update"])(
    "clears the e-mail address and leaves the names: %s",
    async (path) => {
      const phone = newPerson().phone_number;
      const contact_id = await world.member({
        email: `${phone.slice(1)}@example.com`,
        date_of_birth: "1990-04-17",
      });
      const before = await stored(contact_id);
      const { status, body } = await world.write(path, { contact_id, first_name: null, email: null });
      expect(status).toBe(200);
      expect(body.data.email).toBeNull();
      expect(await stored(contact_id)).toEqual({ ...before, email: null });
    },
  );

  it("clears the date of birth", async () => {
    const contact_id = await world.member({ date_of_birth: "1990-04-17" });
    const before = await stored(contact_id);
    const cleared = { contact_id, date_of_birth: null, phone_number: null };
    expect((await world.write("/sp/members/profile/update", cleared)).status).toBe(200);
    expect(await stored(contact_id)).toEqual({ ...before, date_of_birth: null });
  });

  it("is part of what a key is bound to", async () => {
    const contact_id = await world.member();
    const idempotency_key = nextKey();
    const sent = { idempotency_key, contact_id, points: 5, adjustment_type: "credit", reason: null };
    const first = await world.write("/sp/reward-points/adjust", sent);
    const again = await world.write("/sp/reward-points/adjust", sent);
    expect(again.text).toBe(first.text);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    const { reason: _, ...without } = sent;
    const other = await world.write("/sp/reward-points/adjust", without);
    expect(other.body.error.code).toBe("idempotency_key_reused_with_different_payload");
  });

  it("is taken by the operator's operations and by the lines of imports", async () => {
    const { businessId: business_id } = world.home;
    expect((await asOperator(world, "/op/audit/list", { business_id: null, event: null })).status).toBe(200);
    const line = validMemberLine(1, {
      email: null,
      date_of_birth: null,
      external_ref: null,
      wallet_balance: null,
    });
    const nameless = validMemberLine(2, { first_name: null });
    const result = await operatorWrite(world, "/op/imports/members", {
      business_id,
      lines: [line, nameless],
      dry_run: null,
    });
    expect(result).toMatchObject({
      imported: 1,
      rejected: [{ line: 2, field: "first_name", code: "required" }],
    });
  });
});

describe("an empty value", () => {
  it("of search and event_types lists everything", async () => {
    await world.member();
    for (const [path, nothing] of [
      ["/sp/members/list", { search: "" }],
      ["/sp/transactions/list", { event_types: [] }],
    ] as const) {
      const all = await world.ask(path, {});
      expect((await world.ask(path, nothing)).text).toBe(all.text);
    }
  });

  it("of reference_id is none: one is made", async () => {
    const contact_id = await world.member();
    const location_id = world.home.locationIds[0];
    const adjustment = { contact_id, points: 50, adjustment_type: "credit", reference_id: "" };
    await world.write("/sp/reward-points/adjust", adjustment);
    const { body } = await world.write("/sp/sales/record", {
      contact_id,
      location_id,
      amount: 5,
      reference_id: "",
    });
    expect(body.data.reference_id).toBe(`SA-${body.data.sale_id}`);
    const entries = await world.ask("/sp/transactions/list", { contact_id });
    for (const { reference_id } of entries.body.data) expect(reference_id).toMatch(/^[A-Z]+-\d+$/);
    const sales = await world.ask("/sp/sales/list", { contact_id, reference_id: "" });
    expect(sales.body.data).toMatchObject([{ sale_id: body.data.sale_id }]);
  });

  it("of any other optional text is rejected, and the message says what to send instead", async () => {
    const contact_id = await world.member();
    const message = async (path: string, body: object) =>
      (await world.write(path, { contact_id, ...body })).body.error.details.errors;
    for (const path of ["/sp/members/update", "/sp/members/profile/update"]) {
      expect(await message(path, { email: "" })).toEqual([
        { field: "email", code: "too_short", message: "email must not be empty: use null to clear it." },
      ]);
    }
    expect(await message("/sp/members/profile/update", { date_of_birth: "" })).toMatchObject([
      { code: "too_short", message: "date_of_birth must not be empty: use null to clear it." },
    ]);
    const { contact_id: _, ...nobody } = { contact_id, ...newPerson() };
    const created = await world.write("/sp/members/create", { ...nobody, email: "" });
    expect(created.body.error.details.errors).toMatchObject([
      { code: "too_short", message: "email must not be empty: leave it out." },
    ]);
  });

  it("of another type is rejected: an empty array is no text, and empty text is no array", async () => {
    const contact_id = await world.member();
    const write = { idempotency_key: nextKey(), contact_id, points: 5, adjustment_type: "credit" };
    for (const [path, body, field, type] of [
      ["/sp/reward-points/adjust", { ...write, reason: [] }, "reason", "a string"],
      ["/sp/reward-points/adjust", { ...write, reference_id: [] }, "reference_id", "a string"],
      ["/sp/sales/list", { reference_id: [] }, "reference_id", "a string"],
      ["/sp/members/list", { search: [] }, "search", "a string"],
      ["/sp/transactions/list", { event_types: "" }, "event_types", "an array"],
      ["/sp/events/list", { types: "" }, "types", "an array"],
    ] as const) {
      const { body: response } = await world.ask(path, body);
      expect(response.error?.details, path).toEqual({
        errors: [{ field, code: "invalid_type", message: `${field} must be ${type}.` }],
      });
    }
  });

  it("of reason is none", async () => {
    const contact_id = await world.member();
    const adjustment = { contact_id, points: 5, adjustment_type: "credit" };
    await world.write("/sp/reward-points/adjust", { ...adjustment, reason: "" });
    await world.write("/sp/reward-points/adjust", { ...adjustment, reason: "Two\nlines" });
    const rows =
      await world.sql`SELECT reason FROM ledger_entry WHERE contact_id = ${contact_id} ORDER BY entry_no`;
    expect(rows.map(({ reason }) => reason)).toEqual([null, "Two\nlines"]);
  });
});

describe("a key that is used for two writes of one sale", () => {
  it("names both in its response", async () => {
    const contact_id = await world.member();
    const idempotency_key = nextKey();
    const points = { idempotency_key, contact_id, points: 5, adjustment_type: "credit" };
    await world.write("/sp/reward-points/adjust", points);
    const { body } = await world.write("/sp/wallet/adjust", {
      idempotency_key,
      contact_id,
      location_id: world.home.locationIds[0],
      amount: 5,
      adjustment_type: "credit",
    });
    expect(body.error.code).toBe("idempotency_key_reused_with_different_payload");
    for (const name of ["sale/2026-04-17/1/812/points", "sale/2026-04-17/1/812/wallet"]) {
      expect(body.message).toContain(name);
      expect(errors.idempotency_key_reused_with_different_payload.remedy).toContain(name);
    }
  });
});

describe("LOYALTY_UNKNOWN_FIELDS=ignore", () => {
  let records: Records;
  beforeAll(async () => {
    records = await makeRecords(ignoring, ignoring.home);
  });

  it.each(operationsInRealTime)("ignores them: $path", async (operation) => {
    const { path } = operation;
    const token = path === "/sp/auth/token" ? undefined : await ignoring.token();
    const unknown = { till_version: "1.2", nested: { business_id: 5 }, "": null };
    const body = { ...validBody(operation, ignoring.home, records), ...unknown };
    expect((await ignoring.call(path, body, { token })).body).toMatchObject({ success: true });
  });

  it("still rejects legacy fields, and updates of unknown fields alone", async () => {
    const { contact_id } = records;
    const update = (fields: Body) => ignoring.write("/sp/members/update", { contact_id, ...fields });
    expect((await update({ first_name: "A", business_id: 5 })).body.error.code).toBe(
      "legacy_field_not_allowed",
    );
    const { body } = await update({ firstname: "A" });
    expect(body.error.details.errors).toMatchObject([{ field: "", code: "no_fields_to_update" }]);
  });

  it("binds a key to the body as it was sent", async () => {
    const { contact_id } = records;
    const sent = { idempotency_key: nextKey(), contact_id, points: 5, adjustment_type: "credit", till: 1 };
    const first = await ignoring.write("/sp/reward-points/adjust", sent);
    expect((await ignoring.write("/sp/reward-points/adjust", sent)).text).toBe(first.text);
    const other = await ignoring.write("/sp/reward-points/adjust", { ...sent, till: 2 });
    expect(other.body.error.code).toBe("idempotency_key_reused_with_different_payload");
  });

  it("ignores them in the lines of imports, too", async () => {
    const lines = [validMemberLine(1, { loyalty_card: "x" })];
    const { businessId: business_id } = ignoring.home;
    const result = await operatorWrite(ignoring, "/op/imports/members", { business_id, lines });
    expect(result).toMatchObject({ imported: 1, rejected: [] });
  });
});
