/** Files in the shapes that shops have: names, times and locations in other columns than a line's fields. */
import { expect, it } from "vitest";
import type { Body } from "../support/engine-requests.ts";
import { importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, importLines, memberOf, transactionsOf, expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

const checked = async (businessId: number, kind: string, text: string, options: Body = {}) => {
  const id = await upload(businessId, text);
  return { id, found: await preview(id, { kind, ...options }) };
};

const column = (field: string, name: string) => ({ field, column: name });

it("members have one column of names, and a second one of phone numbers", async () => {
  const business = await world.business("Names", "Europe/Madrid");
  const text =
    "Name,Phone,Mobile\nAna María López,+34600000001,+34600000009\n" +
    '"Ruiz, Bo",,+34600000002\nCher,+34600000003,\n';
  const options = {
    columns: [column("other_phone_number", "Mobile")],
    defaults: [{ field: "last_name", value: "-" }],
  };
  const { id, found } = await checked(business.businessId, "members", text, options);
  expect(found).toMatchObject({ state: "checked", result: { imported: 3, rejected: 0 } });
  expect((found.form as Body).sample).toContainEqual({
    line: 3,
    values: [
      { field: "first_name", sample_value: "Bo" },
      { field: "last_name", sample_value: "Ruiz" },
      { field: "phone_number", sample_value: "+34600000002" },
    ],
  });
  await start(id);
  expect(await memberOf(business, "+34600000001")).toMatchObject({
    first_name: "Ana María",
    last_name: "López",
  });
  expect(await memberOf(business, "+34600000003")).toMatchObject({ first_name: "Cher", last_name: "-" });
});

it("sales name members by e-mail address where nothing else does, and those of nobody are left out", async () => {
  const business = await world.business("Emails", "Europe/Madrid");
  const person = { first_name: "Ana", last_name: "Vo" };
  await importLines("members", business, [
    { line: 1, phone_number: "+34600000001", email: "Ana@Example.com", ...person },
    { line: 2, phone_number: "+34600000002", ...person },
  ]);
  const { contact_id } = await memberOf(business, "+34600000001");
  const text =
    "Phone,Email,sold_at,amount\n,ANA@example.com,2026-03-02,500\n,,2026-03-02,700\n" +
    "+34600000002,ana@example.com,2026-03-02,900\n,nobody@example.com,2026-03-02,100\n";
  const { id, found } = await checked(business.businessId, "sales", text);
  expect(found).toMatchObject({
    result: { lines: 4, imported: 2, skipped: 0, rejected: 1, left_out: 1, sums: { amount: 1400 } },
  });
  expect((found.result as Body).notes).toContain("Left out: 1 line without a customer.");
  expect(await start(id)).toMatchObject({ result: { imported: 2, skipped: 0, rejected: 1, left_out: 1 } });
  expect(await transactionsOf(business, contact_id)).toMatchObject([{ amount: 500 }]);
  // The address is compared without regard to case, also with what was imported.
  const again = { line: 1, email: "ana@EXAMPLE.com", sold_at: "2026-03-02", amount: 500 };
  expect(await importLines("sales", business, [again])).toMatchObject({ imported: 0, skipped: 1 });
  const voucher = { campaign_name: "Five", coupon_code: "FIVE", coupon_value: 500 };
  const definition = { ...voucher, business_id: business.businessId };
  await operatorWrite(world, "/op/vouchers/create", definition);
  const vouchers = "email,coupon_code\nana@example.com,five\n,five\n";
  expect((await checked(business.businessId, "vouchers", vouchers)).found).toMatchObject({
    result: { imported: 1, rejected: 0, left_out: 1 },
  });
  await expectValidLedger(business);
});

it("the time of a sale is in a column of its own, and in another time zone", async () => {
  const business = await world.business("Times", "Europe/Madrid");
  const contact_id = await world.member({}, business.everywhere);
  const text =
    `contact_id,Date,Time,Time Zone,amount\n${contact_id},03/14/2026,9:30:00 PM,America/New_York,500\n` +
    `${contact_id},03/15/2026,09:30,,700\n${contact_id},03/15/2026,09:30,Mars/Base,700\n`;
  const options = { columns: [column("sold_at", "Date")] };
  const { id, found } = await checked(business.businessId, "sales", text, options);
  expect(found).toMatchObject({
    result: {
      imported: 2,
      reasons: [
        {
          reason: "time_zone must be an IANA time zone such as America/New_York.",
          lines: 1,
          first_lines: [4],
        },
      ],
    },
  });
  await start(id);
  const rows = await transactionsOf(business, contact_id);
  expect(rows.map(({ created_at }) => created_at)).toEqual(["2026-03-15 09:30:00", "2026-03-15 02:30:00"]);
  // For the whole file.
  const file = `contact_id,sold_at,amount\n${contact_id},2026-03-16 20:00,900\n`;
  const zone = { defaults: [{ field: "time_zone", value: "america/new_york" }] };
  const other = await checked(business.businessId, "sales", file, zone);
  await start(other.id);
  expect((await transactionsOf(business, contact_id))[0]).toMatchObject({
    amount: 900,
    created_at: "2026-03-17 01:00:00",
  });
});

it("locations are named; each unknown name is listed once, and mapped or left out", async () => {
  const business = await world.business("Places", "Europe/Madrid");
  const business_id = business.businessId;
  const make = async (name: string) =>
    (await operatorWrite(world, "/op/locations/create", { business_id, name })).location_id as number;
  const [main, kiosk] = [await make("Main Street"), await make("Kiosk")];
  const contact_id = await world.member({}, business.everywhere);
  const names = ["MAIN street", "Main St", "main st", "Web", "Kiosk", ""];
  const text = `contact_id,sold_at,amount,Location\n${names
    .map((name, nth) => `${contact_id},2026-03-02,${10 ** nth},${name}\n`)
    .join("")}`;
  const first = await checked(business_id, "sales", text);
  expect(first.found).toMatchObject({
    form: {
      locations: [
        { name: "Main St", lines: 2, location_id: null, left_out: false },
        { name: "MAIN street", lines: 1, location_id: main, left_out: false },
        { name: "Web", lines: 1, location_id: null },
        { name: "Kiosk", lines: 1, location_id: kiosk },
      ],
      notes: [
        'Names that are no location\'s: "Main St" (2 lines), "Web" (1 line). Say in locations what they mean.',
      ],
    },
    result: { imported: 3, rejected: 3, reasons: [{ reason: "location names no location.", lines: 3 }] },
  });
  const locations = [
    { name: "Main St", location_id: main },
    { name: "WEB", location_id: null },
  ];
  const { id, found } = await checked(business_id, "sales", text, { locations });
  expect(found).toMatchObject({
    form: { notes: [] },
    result: { imported: 5, rejected: 0, left_out: 1, sums: { amount: 110_111 } },
  });
  await start(id);
  const rows = await world.sql`
    SELECT amount, location_id FROM ledger_entry WHERE business_id = ${business_id} ORDER BY amount`;
  expect(rows).toEqual([
    { amount: 1, location_id: main },
    { amount: 10, location_id: main },
    { amount: 100, location_id: main },
    { amount: 10_000, location_id: kiosk },
    { amount: 100_000, location_id: null },
  ]);
  const wrong = {
    ...id,
    kind: "sales",
    locations: [{ name: "x", location_id: 999_999 }],
    idempotency_key: "x",
  };
  expect((await asOperator(world, "/op/imports/preview", wrong)).body.error.code).toBe("location_not_found");
});

it("a field that no line has is rejected where it was given", async () => {
  const id = await upload(world.home.businessId, "a\n");
  const wrong = { ...id, kind: "sales", defaults: [{ field: "x", value: "1" }], idempotency_key: "defaults" };
  const { error } = (await asOperator(world, "/op/imports/preview", wrong)).body;
  expect(error.details.errors).toMatchObject([{ field: "defaults", code: "not_allowed_value" }]);
});

it("most amounts tell their unit, one alone does not, and what is not clear is asked", async () => {
  const { business, contact_id } = await businessWithMember();
  const check = async (amounts: readonly string[], options: Body = {}) => {
    const lines = amounts.map((amount) => `${contact_id},2026-03-02,${amount}\n`);
    const id = await upload(business.businessId, `contact_id,sold_at,amount\n${lines.join("")}`);
    return preview(id, { amount_unit: undefined, ...options }) as Promise<{
      problem: string;
      form: Body;
      result: Body & { sums: Body };
    }>;
  };
  const spreadsheet = await check(["12.5", "8", "3.25", "0"]);
  expect(spreadsheet).toMatchObject({
    form: { amount_unit: "major" },
    result: { sums: { amount: 2375 } },
  });
  expect(spreadsheet.form.notes).toContain(
    "Amounts are in major units, also those without decimals (8 in line 3), because most are written like 12.5 in line 2.",
  );
  expect((await check(["12.50", "€ 8", '"3,000.00"'])).result.sums.amount).toBe(302_050);
  // One decimal that somebody typed must not multiply the others.
  for (const amounts of [["1250", "800", "12.50"], ["1250"], ["12.50", "8"]]) {
    const asked = await check(amounts);
    expect(asked).toMatchObject({ state: "failed", form: { amount_unit: null } });
    expect(asked.problem).toMatch(
      /^It is not clear what amounts such as \d+ in line \d mean: for [\d,]+\.00 EUR say amount_unit major, for [\d.]+ EUR say amount_unit minor\.$/,
    );
  }
  expect((await check(["1250"], { amount_unit: "major" })).result.sums.amount).toBe(125_000);
  expect(await check(["1250"], { amount_unit: "minor" })).toMatchObject({
    form: { amount_unit: "minor" },
    result: { sums: { amount: 1250 } },
  });
  const defaults = [{ field: "amount", value: "500" }];
  expect(await check([""], { defaults })).toMatchObject({ state: "failed" });
});

it("a first line of values is no header: columns have numbers, and no line is lost", async () => {
  const { business, contact_id } = await businessWithMember();
  const text = `03/14/2026;${contact_id};2.50\n03/15/2026;${contact_id};3.00\n`;
  const first = await checked(business.businessId, "sales", text);
  expect(first.found).toMatchObject({
    state: "failed",
    problem: expect.stringMatching(/for amount\. The first line is not a header, so columns have numbers\./),
    form: { header: ["1: 03/14/2026", `2: ${contact_id}`, "3: 2.50"] },
  });
  const columns = [column("sold_at", "1"), column("contact_id", "2"), column("amount", "3")];
  const { found } = await checked(business.businessId, "sales", text, { columns, amount_unit: "major" });
  expect(found).toMatchObject({
    form: { notes: expect.arrayContaining(["The first line is not a header, so columns have numbers."]) },
    result: { lines: 2, imported: 2, sums: { amount: 550 } },
  });
  const said = await checked(business.businessId, "sales", text, { no_header: false });
  expect(said.found).toMatchObject({ form: { header: ["03/14/2026", String(contact_id), "2.50"] } });
});

it("points are whole: fractions are left away and named, and thousands are found, or asked for", async () => {
  const business = await world.business("Whole numbers", "Europe/Madrid");
  const check = async (points: readonly string[], options: Body = {}, wallet = "") => {
    const text = `first_name,last_name,phone_number,points_balance,wallet_balance\n${points
      .map((balance, nth) => `Ana,Vo,+3460000000${nth},${balance},${wallet}\n`)
      .join("")}`;
    return checked(business.businessId, "members", text, { amount_unit: "major", ...options });
  };
  const { id, found: grouped } = await check(["980", "1.250", "12.000"]);
  expect(grouped).toMatchObject({
    form: { notes: ['Points have "." between thousands (1.250 in line 3).'] },
    result: { imported: 3, sums: { points: 14_230 } },
  });
  const resultOf = async (...given: Parameters<typeof check>) => (await check(...given)).found.result;
  expect(await resultOf(["1.250"], {}, '"7,50"')).toMatchObject({ sums: { points: 1250 } });
  const unclear = 'points_balance can be read in two ways: say decimal "." or decimal ",".';
  // In amounts of this file, a dot is before the decimals.
  expect(await resultOf(["1.250"], {}, "7.50")).toMatchObject({ reasons: [{ reason: unclear }] });
  expect(await resultOf(["1.250"], { decimal: "." })).toMatchObject({ sums: { points: 1 } });
  const { found } = await check(["12.00", "12.50", '"7,5"', "1.250"]);
  expect(found).toMatchObject({
    form: { notes: ["Points are whole: fractions are left away in 2 lines, such as 12.50 in line 3."] },
    result: {
      imported: 3,
      sums: { points: 31 },
      reasons: [{ reason: unclear, first_lines: [5] }],
    },
  });
  // The import reads points as the check did.
  expect(await start(id)).toMatchObject({ result: { imported: 3, sums: { points: 14_230 } } });
});

it("customers without phone numbers lead to a column of them", async () => {
  const { businessId } = await world.business("Web shop", "Europe/Paris");
  const shop =
    "ID;Title;First name;Last name;Email address;Sales;Enabled;Newsletter;Registration;Last visit\n" +
    "2;Mme;Ana;Petit;ana@example.com;90.00;1;0;2025-01-02 10:00:00;2025-02-02 10:00:00\n";
  expect((await checked(businessId, "members", shop)).found.problem).toMatch(
    /^There is no column for phone_number\. Each member has a phone number\. If another export of the system has the numbers, such as that of addresses, add them/,
  );
  const names = "Nimi;Puhelin;Phone\nAna García;1;+33612345679\n";
  expect((await checked(businessId, "members", names)).found.problem).toMatch(
    /for first_name; for last_name\. A column of whole names is the field name\. The columns are: Nimi, Puhelin, Phone\./,
  );
  const empty = "First name;Last name;Phone;Mobile\nAna;Petit;;+33612345678\n";
  const first = await checked(businessId, "members", empty);
  expect((first.found.result as Body).reasons).toMatchObject([
    { reason: expect.stringContaining("If another column has numbers, say it as other_phone_number") },
  ]);
  const columns = [column("other_phone_number", "Mobile")];
  expect((await checked(businessId, "members", empty, { columns })).found.result).toMatchObject({
    imported: 1,
  });
});

it("a phone number that can't be read says which forms can", async () => {
  const business = await world.business("Phones", "Europe/Madrid");
  const text = "first_name,last_name,phone_number\nAna,Vo,none\n";
  const resultOf = async (options: Body) =>
    (await checked(business.businessId, "members", text, options)).found.result as Body;
  const start =
    "phone_number must be an international phone number such as +34600111222, with + and the country code";
  const reasons = (reason: string) => ({ reasons: [{ reason }] });
  expect(await resultOf({})).toMatchObject(
    reasons(`${start}; with country, national numbers are understood.`),
  );
  expect(await resultOf({ country: "ES" })).toMatchObject(reasons(`${start}, or a national one of ES.`));
});

it("a report can have titles above its header, and several names of its customers", async () => {
  const { business, contact_id } = await businessWithMember();
  const text =
    "Informe de ventas\nDel 1 al 31, 2026\n\nNo tarjeta;contact_id;Fecha;Total;Ticket\n" +
    `999999;${contact_id};02/03/2026;2,50;A\n;${contact_id};15/03/2026;3,50;B\nx;"${contact_id}\n" y;16/03/2026;4,50;C\n`;
  const options = { amount_unit: "major" };
  const { id, found } = await checked(business.businessId, "sales", text, options);
  const result = { lines: 3, imported: 2, rejected: 1, sums: { amount: 600 } };
  expect(found).toMatchObject({
    form: {
      delimiter: ";",
      header: ["No tarjeta", "contact_id", "Fecha", "Total", "Ticket"],
      notes: expect.arrayContaining([
        "Line 4 is the header. What is before it is not imported.",
        "Lines name their customers by contact_id, and where it is empty by card_code. If other names are the right ones, leave contact_id out in columns.",
        "Records of several lines: 1, such as lines 7 to 8. If a record should have one line, a quote is not closed there.",
      ]),
    },
    result: { ...result, reasons: [{ reason: "The line has text behind a quoted text." }] },
  });
  expect((await start(id)).result).toMatchObject(result);
});

it("a sale whose status is not known is rejected, and not imported", async () => {
  const { business, contact_id } = await businessWithMember();
  const statuses = ["Payment accepted", "Livré", "Payment error", "En attente", "paid"];
  const text = `contact_id,Date,amount,Status\n${statuses
    .map((status, nth) => `${contact_id},2026-03-02,${10 ** nth},${status}\n`)
    .join("")}`;
  const { id, found } = await checked(business.businessId, "sales", text);
  const result = { lines: 5, imported: 3, skipped: 0, rejected: 1, left_out: 1, sums: { amount: 10_011 } };
  expect(found.result).toMatchObject({
    ...result,
    reasons: [
      {
        reason:
          "sale_status is not known: En attente (say paid, refund or cancelled, or leave sale_status out in columns).",
        first_lines: [5],
      },
    ],
  });
  expect((await start(id)).result).toMatchObject(result);
  const rows = await transactionsOf(business, contact_id);
  expect(rows.map(({ amount }) => amount)).toEqual([10_000, 10, 1]);
});

it("a column of refunds is found by its words, also if its name is not known", async () => {
  const { business, contact_id } = await businessWithMember();
  const text =
    `contact_id,Date,Order id,amount,Type,Currency\n${contact_id},2026-03-02,A,1000,Sale,EUR\n` +
    `${contact_id},2026-03-03,A,400,Refund,EUR\n${contact_id},2026-03-04,B,700,Sale,USD\n${contact_id},2026-03-04,C,0,Sale,EUR\n`;
  const { id, found } = await checked(business.businessId, "sales", text);
  const result = { lines: 4, imported: 2, rejected: 1, left_out: 1 };
  expect(found).toMatchObject({
    form: {
      columns: expect.arrayContaining([column("sale_type", "Type")]),
      unused: [],
      notes: expect.arrayContaining([expect.stringContaining("The column Type is taken as sale_type")]),
    },
    result: {
      ...result,
      reasons: [
        { reason: expect.stringContaining("currency is USD, and the currency of the business is EUR") },
      ],
      notes: expect.arrayContaining(["Refunds: 1 line, -4.00 EUR.", "Left out: 1 line with an amount of 0."]),
    },
  });
  expect((await start(id)).result).toMatchObject(result);
  const amounts = (await transactionsOf(business, contact_id)).map(({ amount }) => amount);
  expect(amounts).toEqual([-400, 1000]);
  const without = await checked(business.businessId, "sales", text, { columns: [column("sale_type", "")] });
  expect(without.found).toMatchObject({ form: { unused: ["Type"] }, result: { skipped: 1, rejected: 2 } });
});

it("hints at join_lines where a line has the reference of the line before", async () => {
  const { business, contact_id } = await businessWithMember();
  const line = (reference: string, amount: number) => `${contact_id},2026-03-02,${reference},${amount}\n`;
  const text = `contact_id,Date,Receipt,amount\n${line("A", 5)}${line("A", 5)}${line("A", 7)}${line("B", 5)}${line("A", 5)}`;
  const note = (found: Body) =>
    ((found.result as Body).notes as string[]).filter((one) =>
      one.startsWith("Lines with the reference_id of the line before"),
    );
  const { found } = await checked(business.businessId, "sales", text);
  expect(note(found)).toEqual([
    "Lines with the reference_id of the line before: 2. If the lines of a receipt are its articles, add join_lines: then they are one sale.",
  ]);
  const sorted = text.replace(/.*\n$/, "");
  const joined = await checked(business.businessId, "sales", sorted, { join_lines: true });
  expect(note(joined.found)).toEqual([]);
  expect(joined.found.result).toMatchObject({ imported: 2, sums: { amount: 22 } });
});

it("a column that is called like a refund is asked about", async () => {
  const { business, contact_id } = await businessWithMember();
  const text = `contact_id,Date,amount,Refunded\n${contact_id},2026-03-02,1000,400\n`;
  const { found } = await checked(business.businessId, "sales", text);
  expect((found.form as Body).notes).toContain(
    "The column Refunded is not imported. If it is what was refunded of a sale, say it as refunded_amount. If it says yes for sales " +
      "that were refunded, say it as sale_voided.",
  );
  const columns = [column("refunded_amount", "Refunded")];
  const said = await checked(business.businessId, "sales", text, { columns });
  expect(said.found).toMatchObject({ result: { sums: { amount: 600 } } });
  expect(String((said.found.form as Body).notes)).not.toContain("Refunded");
});
