/** Members that are imported: what they bring, and what is rejected of them. */
import { describe, expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importTools, landed } from "../support/imports.ts";
import { asOperator, validMemberLine } from "../support/operator-requests.ts";
import { newPerson, useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, expectValidLedger, importLines, memberOf, transactionsOf } = importTools(world);

describe("members", () => {
  it("land with all that they bring, and can be used like any other", async () => {
    const { business } = await businessWithMember();
    const line = validMemberLine(2, { first_name: "Zoë", joined_at: "2023-08-01 08:00" });
    expect(await importLines("members", business, [line])).toEqual(landed(1));
    const member = await memberOf(business, "zoe");
    expect(member).toEqual({
      member_id: expect.any(Number),
      contact_id: expect.any(Number),
      first_name: "Zoë",
      last_name: line.last_name,
      phone_number: line.phone_number,
      email: line.email,
      date_of_birth: "1990-04-17",
      external_ref: line.external_ref,
      active: true,
      tier_id: null,
      tier_name: null,
      tier_until: null,
      tier: null,
      next_tier: null,
      keep_tier: null,
      wallet_balance: 1250,
      points_balance: 120,
      vouchers_balance: 0,
      sales_balance: 0,
      remarks: null,
      ...{ visits: 0, last_visit_on: null, average_sale: null },
      has_password: false,
      merged_into: null,
      joined_at: "2023-08-01 08:00:00",
    });
    expect(await transactionsOf(business, member.contact_id)).toMatchObject([
      {
        event_type: "reward_points_adjustment",
        amount: 120,
        balance_after: 120,
        reference_id: "opening-balance",
      },
      { event_type: "wallet_adjustment", amount: 1250, balance_after: 1250, reference_id: "opening-balance" },
    ]);
    const adjusted = await world.write(
      "/sp/wallet/adjust",
      {
        contact_id: member.contact_id,
        location_id: business.locationIds[0],
        amount: 250,
        adjustment_type: "debit",
      },
      business.everywhere,
    );
    expect(adjusted.body.data.balance_after).toBe(1000);
    await expectValidLedger(business);
  });

  it("need no more than a name and a phone number", async () => {
    const { business } = await businessWithMember();
    const line = { line: 1, ...newPerson(), first_name: "Bare" };
    expect(await importLines("members", business, [line])).toEqual(landed(1));
    const member = await memberOf(business, "bare");
    expect(member).toMatchObject({ email: null, date_of_birth: null, external_ref: null, wallet_balance: 0 });
    expect(await transactionsOf(business, member.contact_id)).toEqual([]);
    await expectValidLedger(business);
  });

  it("keep the order of their lines", async () => {
    const { business } = await businessWithMember();
    const lines = ["One", "Two", "Three"].map((first_name, n) => validMemberLine(n + 1, { first_name }));
    await importLines("members", business, lines);
    const { body } = await world.ask("/sp/members/list", { per_page: 3 }, business.everywhere);
    expect(body.data.map(({ first_name }: Body) => first_name)).toEqual(["Three", "Two", "One"]);
  });

  const rejections: [fields: Body, field: string, code: string][] = [
    [{ first_name: undefined }, "first_name", "required"],
    [{ last_name: " " }, "last_name", "too_short"],
    [{ phone_number: "600111222" }, "phone_number", "invalid_format"],
    [{ email: "ana@" }, "email", "invalid_format"],
    [{ date_of_birth: "1990-02-30" }, "date_of_birth", "invalid_format"],
    [{ date_of_birth: "1899-12-31" }, "date_of_birth", "out_of_range"],
    [{ date_of_birth: "2999-01-01" }, "date_of_birth", "out_of_range"],
    [{ joined_at: "2024-01-01 25:00" }, "joined_at", "invalid_format"],
    [{ joined_at: "2999-01-01" }, "joined_at", "out_of_range"],
    [{ wallet_balance: -1 }, "wallet_balance", "out_of_range"],
    [{ points_balance: 10 ** 12 + 1 }, "points_balance", "out_of_range"],
  ];

  it("are rejected line by line, with every reason, while the others land", async () => {
    const { business } = await businessWithMember();
    const sound = [validMemberLine(1), validMemberLine(100)];
    const wrong = rejections.map(([fields], index) => validMemberLine(10 + index, fields));
    const result = await importLines("members", business, [sound[0]!, ...wrong, sound[1]!]);
    expect(result).toMatchObject({ imported: 2, skipped: 0 });
    expect(result.rejected.map(({ line, field, code }: Body) => [line, field, code])).toEqual(
      rejections.map(([, field, code], index) => [10 + index, field, code]),
    );
    for (const { message } of result.rejected) expect(message).toMatch(/^\w.*\.$/);
    const several = validMemberLine(7, { first_name: "", email: "no", wallet_balance: -5 });
    const { rejected } = await importLines("members", business, [several]);
    expect(rejected.map(({ field }: Body) => field)).toEqual(["first_name", "email", "wallet_balance"]);
    await expectValidLedger(business);
  });

  it("are rejected when another has their phone number, e-mail address or reference", async () => {
    const { business, phone_number } = await businessWithMember();
    const first = validMemberLine(1, { email: "taken@example.com", external_ref: "TAKEN" });
    await importLines("members", business, [first]);
    const result = await importLines("members", business, [
      validMemberLine(1, { phone_number }),
      validMemberLine(2, { email: "Taken@Example.com" }),
      validMemberLine(3, { external_ref: "TAKEN" }),
      validMemberLine(4, { ...first, line: 4, external_ref: undefined }),
      validMemberLine(5, { phone_number: "+34611000001", email: "new@example.com" }),
      validMemberLine(6, { phone_number: "+34611000001" }),
      validMemberLine(7, { email: "NEW@example.com" }),
    ]);
    expect(result).toMatchObject({ imported: 1, skipped: 0 });
    const taken = "member_already_exists";
    expect(result.rejected.map(({ line, field, code }: Body) => [line, field, code])).toEqual([
      [1, "phone_number", taken],
      [2, "email", taken],
      ...["last_name", "phone_number", "email"].map((field) => [3, field, "differs"]),
      [4, "phone_number", taken],
      [4, "email", taken],
      [6, "phone_number", taken],
      [7, "email", taken],
    ]);
    const [byHand] = await world.sql<{ ref: string }[]>`
      UPDATE member SET external_ref = 'BY HAND'
      WHERE business_id = ${business.businessId} AND phone_number = ${phone_number} RETURNING external_ref AS ref`;
    expect(
      await importLines("members", business, [validMemberLine(1, { external_ref: byHand?.ref })]),
    ).toMatchObject({ imported: 0, rejected: [{ field: "external_ref", code: taken }] });
  });

  it("meet members whom partners make at the same moment, and neither is lost or doubled", async () => {
    const { business } = await businessWithMember();
    const people = Array.from({ length: 60 }, newPerson);
    const chunks = [0, 1, 2].map((chunk) =>
      people
        .slice(chunk * 20, chunk * 20 + 20)
        .map((person, n) => validMemberLine(n + 1, { ...person, email: undefined })),
    );
    const [results, made] = await Promise.all([
      Promise.all(chunks.map((lines) => importLines("members", business, lines))),
      Promise.all(people.map((person) => world.write("/sp/members/create", person, business.everywhere))),
    ]);
    const imported = results.reduce((sum, result) => sum + result.imported, 0);
    const created = made.filter(({ status }) => status === 201).length;
    expect(made.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(imported + created).toBe(people.length);
    await expectValidLedger(business);
  });

  it("are made once when they come in several requests at the same moment", async () => {
    const { business } = await businessWithMember();
    const lines = Array.from({ length: 50 }, (_, line) => validMemberLine(line + 1));
    const results = await Promise.all(
      Array.from({ length: 5 }, () => importLines("members", business, lines)),
    );
    expect(results.map(({ imported, skipped }) => [imported, skipped]).sort()).toEqual(
      [...Array(4).fill([0, 50]), [50, 0]].sort(),
    );
    await expectValidLedger(business);
  });

  it("of two files with the same people at the same moment are one's members and rejected for the other", async () => {
    const { business } = await businessWithMember();
    const lines = Array.from({ length: 50 }, (_, line) => validMemberLine(line + 1));
    const others = lines.map((line) => ({ ...line, external_ref: undefined }));
    const results = await Promise.all([lines, others].map((file) => importLines("members", business, file)));
    expect(results.map(({ imported }) => imported).sort()).toEqual([0, 50]);
    const rejected = results.flatMap(({ rejected }) => rejected);
    expect(new Set(rejected.map(({ line }) => line)).size).toBe(50);
    expect(new Set(rejected.map(({ code }) => code))).toEqual(new Set(["member_already_exists"]));
    await expectValidLedger(business);
  });
});

it("dates opening balances by the clock after that was far ahead, and the status says so", async () => {
  const { business } = await businessWithMember();
  const { businessId } = business;
  const importOne = async (line: number) =>
    expect(await importLines("members", business, [validMemberLine(line)])).toEqual(landed(1));
  await importOne(1);
  const { sql } = world;
  await sql`UPDATE ledger_entry SET created_at = created_at + interval '1 day' WHERE business_id = ${businessId}`;

  await importOne(2);
  const future = await sql`
    SELECT entry_no FROM ledger_entry WHERE business_id = ${businessId} AND created_at > clock_timestamp()
    ORDER BY entry_no`;
  expect(future).toEqual([{ entry_no: 1 }, { entry_no: 2 }]);
  const listed = await world.ask("/sp/transactions/list", {}, business.everywhere);
  const [first, second] = await sql<{ contact_id: number }[]>`
    SELECT DISTINCT contact_id FROM ledger_entry WHERE business_id = ${businessId} ORDER BY contact_id`;
  expect(listed.body.data).toMatchObject([first, first, second, second]);
  await expectValidLedger(business);

  const { body } = await asOperator(world, "/op/status/get", {});
  expect(body.data.ledger_lead_seconds).toBeGreaterThan(86_000);
});
