/** What every line that is imported goes by: once, in one piece, and on probation. */
import { describe, expect, it } from "vitest";
import { importTools, landed } from "../support/imports.ts";
import { asOperator, soundMemberLine, soundSaleLine } from "../support/operator-requests.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, expectSoundBooks, importLines, transactionsOf } = importTools(world);

describe("a line", () => {
  it("is imported once, in whatever request it comes again", async () => {
    const { business, contact_id } = await businessWithMember();
    const lines = [1, 2, 3].map((line) => soundSaleLine(line, { contact_id }));
    expect(await importLines("sales", business, lines.slice(0, 2))).toEqual(landed(2));
    expect(await importLines("sales", business, lines)).toEqual(landed(1, 2));
    expect(await importLines("sales", business, lines)).toEqual(landed(0, 3));
    expect(await transactionsOf(business, contact_id)).toHaveLength(3);
    const members = [1, 2].map((line) => soundMemberLine(line));
    expect(await importLines("members", business, members.slice(1))).toEqual(landed(1));
    expect(await importLines("members", business, members)).toEqual(landed(1, 1));
  });

  it("is imported once when it comes twice in one request", async () => {
    const { business, contact_id } = await businessWithMember();
    const line = soundSaleLine(1, { contact_id });
    expect(await importLines("sales", business, [line, { ...line, line: 2 }])).toEqual(landed(1, 1));
  });

  it("is imported once when it comes in several requests at the same moment", async () => {
    const { business, contact_id } = await businessWithMember();
    const lines = Array.from({ length: 50 }, (_, line) => soundSaleLine(line + 1, { contact_id }));
    const results = await Promise.all(Array.from({ length: 5 }, () => importLines("sales", business, lines)));
    expect(results.map(({ imported, skipped }) => [imported, skipped]).sort()).toEqual(
      [...Array(4).fill([0, 50]), [50, 0]].sort(),
    );
    expect(await transactionsOf(business, contact_id)).toHaveLength(50);
    await expectSoundBooks(business);
  });

  it("that was refused is not held against it once it is mended", async () => {
    const { business, contact_id } = await businessWithMember();
    const line = soundSaleLine(1, { external_ref: "LATE" });
    expect((await importLines("sales", business, [line])).imported).toBe(0);
    await importLines("members", business, [soundMemberLine(1, { external_ref: "LATE" })]);
    expect(await importLines("sales", business, [line])).toEqual(landed(1));
    expect(await transactionsOf(business, contact_id)).toEqual([]);
  });

  it("of a dry run is checked like any other, but nothing is imported", async () => {
    const { business, contact_id, phone_number } = await businessWithMember();
    const sales = [soundSaleLine(1, { contact_id }), soundSaleLine(2, { contact_id, amount: 0 })];
    const members = [soundMemberLine(1), soundMemberLine(2, { phone_number })];
    for (const [what, lines] of [
      ["sales", sales],
      ["members", members],
    ] as const) {
      const dry = await importLines(what, business, lines, { dry_run: true });
      expect(dry).toMatchObject({ imported: 1, skipped: 0, rejected: [{ line: 2 }] });
      expect(await importLines(what, business, lines)).toEqual(dry);
      expect(await importLines(what, business, lines, { dry_run: true })).toMatchObject({
        imported: 0,
        skipped: 1,
      });
    }
    expect(await transactionsOf(business, contact_id)).toHaveLength(1);
    await expectSoundBooks(business);
  });
});

it("a request is answered again under its key, and its lines land once", async () => {
  const { business, contact_id } = await businessWithMember();
  const body = {
    idempotency_key: nextKey(),
    business_id: business.businessId,
    lines: [soundSaleLine(1, { contact_id }), soundSaleLine(2, { external_ref: "nobody" })],
  };
  const [first, second] = await Promise.all([
    asOperator(world, "/op/imports/sales", body),
    asOperator(world, "/op/imports/sales", body),
  ]);
  expect(first.body.data).toMatchObject({ imported: 1, skipped: 0, rejected: [{ line: 2 }] });
  expect(second.text).toBe(first.text);
  expect(await transactionsOf(business, contact_id)).toHaveLength(1);
});

it("a full chunk of two thousand lines lands", async () => {
  const { business } = await businessWithMember();
  const members = Array.from({ length: 2000 }, (_, line) =>
    soundMemberLine(line + 1, { external_ref: `M${line}`, last_name: "L".repeat(255) }),
  );
  expect(await importLines("members", business, members)).toEqual(landed(2000));
  const sales = Array.from({ length: 2000 }, (_, line) =>
    soundSaleLine(line + 1, { external_ref: `M${line}`, sold_at: `2024-0${1 + (line % 9)}-01` }),
  );
  expect(await importLines("sales", business, sales)).toEqual(landed(2000));
  const { body } = await world.ask("/sp/transactions/list", { event_types: ["sale"] }, business.everywhere);
  expect(body.meta.pagination.total).toBe(2000);
  await expectSoundBooks(business);
});
