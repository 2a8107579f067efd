/** What every line that is imported goes by: once, in one piece, and on probation. */
import { describe, expect, it } from "vitest";
import { importTools, landed } from "../support/imports.ts";
import { asOperator, validMemberLine, validSaleLine } from "../support/operator-requests.ts";
import { newPerson, nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, expectValidLedger, importLines, transactionsOf } = importTools(world);

describe("a line", () => {
  it("is imported once, in whatever request it comes again", async () => {
    const { business, contact_id } = await businessWithMember();
    const lines = [1, 2, 3].map((line) => validSaleLine(line, { contact_id }));
    expect(await importLines("sales", business, lines.slice(0, 2))).toEqual(landed(2));
    expect(await importLines("sales", business, lines)).toEqual(landed(1, 2));
    expect(await importLines("sales", business, lines)).toEqual(landed(0, 3));
    expect(await transactionsOf(business, contact_id)).toHaveLength(3);
    const members = [1, 2].map((line) => validMemberLine(line));
    expect(await importLines("members", business, members.slice(1))).toEqual(landed(1));
    expect(await importLines("members", business, members)).toEqual(landed(1, 1));
  });

  it("is imported once when it comes twice in one request", async () => {
    const { business, contact_id } = await businessWithMember();
    const line = validSaleLine(1, { contact_id });
    expect(await importLines("sales", business, [line, { ...line, line: 2 }])).toEqual(landed(1, 1));
  });

  it("is imported once when it comes in several requests at the same moment", async () => {
    const { business, contact_id } = await businessWithMember();
    const lines = Array.from({ length: 50 }, (_, line) => validSaleLine(line + 1, { contact_id }));
    const results = await Promise.all(Array.from({ length: 5 }, () => importLines("sales", business, lines)));
    expect(results.map(({ imported, skipped }) => [imported, skipped]).sort()).toEqual(
      [...Array(4).fill([0, 50]), [50, 0]].sort(),
    );
    expect(await transactionsOf(business, contact_id)).toHaveLength(50);
    await expectValidLedger(business);
  });

  it("that was rejected is not held against it once it is mended", async () => {
    const { business, contact_id } = await businessWithMember();
    const line = validSaleLine(1, { external_ref: "LATE" });
    expect((await importLines("sales", business, [line])).imported).toBe(0);
    await importLines("members", business, [validMemberLine(1, { external_ref: "LATE" })]);
    expect(await importLines("sales", business, [line])).toEqual(landed(1));
    expect(await transactionsOf(business, contact_id)).toEqual([]);
  });

  it("that is already imported is rejected with another amount, day, member or person", async () => {
    const { business, contact_id } = await businessWithMember();
    const sale = validSaleLine(1, { contact_id, amount: 500, reference_id: "R-1" });
    const member = validMemberLine(1, { external_ref: "M-1", wallet_balance: 1250, points_balance: 120 });
    const { phone_number: other } = newPerson();
    const another = await world.member({ phone_number: other }, business.everywhere);
    expect(await importLines("sales", business, [sale])).toEqual(landed(1));
    expect(await importLines("members", business, [member])).toEqual(landed(1));
    for (const more of [{}, { dry_run: true }]) {
      const sales = [
        { ...sale, sold_at: "2024-04-17 18:00:00" },
        { ...sale, line: 2, amount: 700 },
      ];
      expect(await importLines("sales", business, sales.slice(0, 1), more)).toEqual(landed(0, 1));
      expect(await importLines("sales", business, sales.slice(1), more)).toEqual({
        imported: 0,
        skipped: 0,
        rejected: [
          {
            line: 2,
            field: "amount",
            code: "amount_differs",
            imported: 500,
            message: "amount is 700, but reference_id R-1 was imported with 500.",
          },
        ],
      });
      const others = [
        { ...sale, sold_at: "2024-04-18" },
        { ...sale, line: 2, contact_id: undefined, phone_number: other },
        { ...sale, line: 3, contact_id: undefined, phone_number: "+34999999999" },
      ];
      const ofOthers = (await importLines("sales", business, others, more)).rejected;
      expect(ofOthers.map(({ code, message }) => [code, message])).toEqual([
        ["differs", "sold_at is 2024-04-18, but reference_id R-1 was imported with 2024-04-17."],
        [
          "differs",
          `phone_number is ${other} (contact ${another}), but reference_id R-1 was imported with contact ${contact_id}.`,
        ],
        [
          "differs",
          `phone_number is +34999999999, who is no member, but reference_id R-1 was imported with contact ${contact_id}.`,
        ],
      ]);
      const { wallet_balance: _, points_balance: __, ...without } = member;
      expect(await importLines("members", business, [without], more)).toEqual(landed(0, 1));
      const changed = { ...without, first_name: "Other", date_of_birth: undefined };
      const ofPerson = (await importLines("members", business, [changed], more)).rejected;
      expect(ofPerson.map(({ code, message }) => [code, message])).toEqual([
        ["differs", `first_name is Other, but external_ref M-1 was imported with ${member.first_name}.`],
      ]);
      const { rejected } = await importLines(
        "members",
        business,
        [{ ...member, wallet_balance: 0, points_balance: 121 }],
        more,
      );
      expect(rejected).toEqual([
        {
          line: 1,
          field: "wallet_balance",
          code: "amount_differs",
          imported: 1250,
          message: "wallet_balance is 0, but external_ref M-1 was imported with 1250.",
        },
        {
          line: 1,
          field: "points_balance",
          code: "amount_differs",
          imported: 120,
          message: "points_balance is 121, but external_ref M-1 was imported with 120.",
        },
      ]);
    }
    expect(await transactionsOf(business, contact_id)).toMatchObject([{ amount: 500 }]);
    await expectValidLedger(business);
  });

  it("is rejected with another amount when it comes twice in one request", async () => {
    const { business, contact_id } = await businessWithMember();
    const line = validSaleLine(1, { contact_id, amount: 500, reference_id: "R-1" });
    const member = validMemberLine(1, { external_ref: "M-1", points_balance: 1 });
    const sales = await importLines("sales", business, [line, { ...line, line: 2, amount: 1 }]);
    expect(sales).toMatchObject({ imported: 1, skipped: 0, rejected: [{ line: 2, code: "amount_differs" }] });
    const members = await importLines("members", business, [
      member,
      { ...member, line: 2, points_balance: 2 },
      { ...member, line: 3 },
    ]);
    expect(members).toMatchObject({
      imported: 1,
      skipped: 1,
      rejected: [{ line: 2, code: "amount_differs" }],
    });
  });

  it("is rejected for every reason at once, also for those that only the database knows", async () => {
    const { business, phone_number } = await businessWithMember();
    const sales = [
      validSaleLine(1, {
        external_ref: "nobody",
        amount: 0,
        sold_at: "2999-01-01",
        location_id: 999_999_999,
      }),
      validSaleLine(2, { external_ref: "nobody", amount: undefined, unreadable: ["amount"] }),
      validSaleLine(3, { amount: 5, sold_at: undefined, unreadable: ["contact_id", "sold_at"] }),
    ];
    const members = [
      validMemberLine(1, { phone_number, email: "no", joined_at: "2999-01-01" }),
      validMemberLine(2, { unreadable: ["wallet_balance"] }),
    ];
    for (const more of [{ dry_run: true }, {}]) {
      const ofSales = await importLines("sales", business, sales, more);
      expect(ofSales.imported).toBe(0);
      expect(ofSales.rejected.map(({ line, field }) => [line, field])).toEqual([
        [1, "amount"],
        [1, "external_ref"],
        [1, "location_id"],
        [1, "sold_at"],
        [2, "external_ref"],
      ]);
      const ofMembers = await importLines("members", business, members, more);
      expect(ofMembers.imported).toBe(0);
      expect(ofMembers.rejected.map(({ line, field }) => [line, field])).toEqual([
        [1, "email"],
        [1, "phone_number"],
        [1, "joined_at"],
      ]);
    }
    // Nothing of them was claimed: corrected, they are imported.
    await importLines("members", business, [validMemberLine(9, { external_ref: "nobody" })]);
    const { unreadable: _, ...fixed } = { ...sales[1], amount: 5 } as Record<string, unknown>;
    expect(await importLines("sales", business, [fixed])).toEqual(landed(1));
  });

  it("of a dry run is checked like any other, but nothing is imported", async () => {
    const { business, contact_id, phone_number } = await businessWithMember();
    const sales = [validSaleLine(1, { contact_id }), validSaleLine(2, { contact_id, amount: 0 })];
    const members = [validMemberLine(1), validMemberLine(2, { phone_number })];
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
    await expectValidLedger(business);
  });
});

it("a request gets its response again under its key, and its lines land once", async () => {
  const { business, contact_id } = await businessWithMember();
  const body = {
    idempotency_key: nextKey(),
    business_id: business.businessId,
    lines: [validSaleLine(1, { contact_id }), validSaleLine(2, { external_ref: "nobody" })],
  };
  const [first, second] = await Promise.all([
    asOperator(world, "/op/imports/sales", body),
    asOperator(world, "/op/imports/sales", body),
  ]);
  expect(first.body.data).toMatchObject({ imported: 1, skipped: 0, rejected: [{ line: 2 }] });
  expect(second.text).toBe(first.text);
  expect(await transactionsOf(business, contact_id)).toHaveLength(1);
});

it("a dry run does not use its key", async () => {
  const { business, contact_id } = await businessWithMember();
  const line = validSaleLine(1, { contact_id, reference_id: "R-1" });
  const { businessId: business_id } = business;
  const lines = [line, { ...line, line: 2 }, validSaleLine(3, { contact_id, amount: 0 })];
  const body = { idempotency_key: nextKey(), business_id, lines };
  const dry = await asOperator(world, "/op/imports/sales", { ...body, dry_run: true });
  expect(dry.body.data).toMatchObject({ imported: 1, skipped: 1, rejected: [{ line: 3 }] });
  const real = await asOperator(world, "/op/imports/sales", body);
  expect(real.body.data).toMatchObject({ imported: 1, skipped: 1 });
  expect((await asOperator(world, "/op/imports/sales", body)).text).toBe(real.text);
  const after = { ...body, idempotency_key: nextKey(), dry_run: true };
  expect((await asOperator(world, "/op/imports/sales", after)).body.data).toMatchObject({ skipped: 2 });
});

it("a full chunk of two thousand lines lands", async () => {
  const { business } = await businessWithMember();
  const members = Array.from({ length: 2000 }, (_, line) =>
    validMemberLine(line + 1, { external_ref: `M${line}`, last_name: "L".repeat(255) }),
  );
  expect(await importLines("members", business, members)).toEqual(landed(2000));
  const sales = Array.from({ length: 2000 }, (_, line) =>
    validSaleLine(line + 1, { external_ref: `M${line}`, sold_at: `2024-0${1 + (line % 9)}-01` }),
  );
  expect(await importLines("sales", business, sales)).toEqual(landed(2000));
  const { body } = await world.ask("/sp/transactions/list", { event_types: ["sale"] }, business.everywhere);
  expect(body.meta.pagination.total).toBe(2000);
  await expectValidLedger(business);
});
