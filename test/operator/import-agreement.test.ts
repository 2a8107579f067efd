/** A check says what the import then does, line by line, wherever a chunk ends; and a file that is imported again changes nothing. */
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { linesAtOnce } from "../../src/imports/read-lines.ts";
import type { Body } from "../support/engine-requests.ts";
import { type ImportId, importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { runs } from "../support/random-cases.ts";
import { makeSandbox } from "../support/sandbox.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
const { upload, preview, start } = importJobs(world);

const { most } = linesAtOnce;
linesAtOnce.most = 3;
afterAll(() => {
  linesAtOnce.most = most;
});

type Cells = Readonly<Record<string, fc.Arbitrary<string>>>;
/** Files of few values, so that lines often share some. A cell can be empty. */
const some = (...values: string[]) => fc.constantFrom(...values);
const phones = ["+34600000001", "+34600000002", "600 00 00 03", "+34600000003", "+34600000004"];
const emails = ["a@example.com", "A@Example.com", "b@example.com", "c@example.com"];
const cards = ["AB-1234", "ab 1234", "CD-5678", "EF-9012"];
const persons = ["P1", "P2", "P3", "P4"];
const days = ["2026-01-03", "2026-01-04", "2026-01-04 09:30"];
const naming: Cells = {
  phone_number: some("", ...phones),
  external_ref: some("", ...persons),
  card_code: some("", ...cards),
  email: some("", "", ...emails),
};
const kinds: Record<string, { columns: Cells; options: fc.Arbitrary<Body> }> = {
  members: {
    columns: {
      first_name: some("Ana", "Ana", "Eva"),
      last_name: some("Gil", "Gil", ""),
      ...naming,
      phone_number: some(...phones),
      date_of_birth: some("", "1990-05-01", "1991-05-01"),
      joined_at: some("", "2025-05-01"),
      wallet_balance: some("", "0", "5", "7"),
      points_balance: some("", "3"),
    },
    options: fc.constant({}),
  },
  sales: {
    columns: {
      ...naming,
      sold_at: some(...days),
      amount: some("5", "5", "8", "-3", "-5", "x"),
      reference_id: some("", "R-1", "R-2", "R-3", "R-3"),
      location_id: some("", "", "home", "999"),
    },
    options: fc.record({
      earn: fc.boolean(),
      earn_imported: fc.boolean(),
      reference_per: fc.subarray(["day", "location"]),
      batch: fc.option(fc.constant("till-2"), { nil: undefined }),
      location_id: fc.option(fc.constant("home"), { nil: undefined, freq: 3 }),
    }),
  },
  vouchers: {
    columns: {
      ...naming,
      coupon_code: some("SPRING", "spring ", "CUP", "NONE"),
      coupon_value: some("", "5", "7"),
      issued_on: some("", "2025-12-01", "2026-01-02"),
      valid_through: some("", "2026-03-01"),
      reference_id: some("", "V-1", "V-2"),
    },
    options: fc.constant({}),
  },
};

const file = fc.constantFrom("members", "sales", "sales", "vouchers").chain((kind) => {
  const { columns, options } = kinds[kind] as (typeof kinds)[string];
  const lines = fc.array(fc.record(columns), { minLength: 1, maxLength: 24 });
  return fc.record({ kind: fc.constant(kind), lines, options });
});

const figures = ["lines", "imported", "skipped", "rejected", "left_out", "without_points", "points_added"];
/** What a check or an import did: its counts, its sums, and the fields for which lines are rejected. */
async function outcomeOf(id: ImportId, { result, problem }: Body) {
  if (problem !== null) throw new Error(String(problem));
  const { sums, ...counts } = result as Readonly<Record<string, number>> & { readonly sums: Body };
  const { lines } = (await asOperator(world, "/op/imports/rejected", id)).body.data;
  const named: string[] = lines.map(({ line, reasons }: { line: number; reasons: Body[] }) => {
    const texts = reasons.map(({ field, message }) => `${field} ${message}`);
    return `${line}: ${texts.sort().join("; ")}`;
  });
  return {
    ...Object.fromEntries(figures.map((name) => [name, counts[name]])),
    sums,
    rejections: named
      .map((text) => text.replace(/ is (?:another member's|the same as in line \d+)\./g, " is taken."))
      // A check keeps no texts, and an import finds what it has recorded.
      .map((text) => text.replace(/(?:was imported|is in line \d+) with [^;]*\./g, "differs.")),
  };
}

const numberOf = (rejection: string) => Number.parseInt(rejection, 10);

async function recordedIn(businessId: number) {
  const [row] = await world.sql<Record<string, number>[]>`
    SELECT (SELECT count(*) FROM member WHERE business_id = ${businessId}) AS members,
      (SELECT count(*) FROM imported_line WHERE business_id = ${businessId}) AS lines,
      (SELECT count(*) FROM ledger_entry WHERE business_id = ${businessId}) AS entries,
      (SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entry
        WHERE business_id = ${businessId} AND account = 'sales' AND amount > 0) AS sold`;
  return row as Record<string, number>;
}

/** Checks and imports a file. @returns what the check said, which is what the import did */
async function imported(businessId: number, kind: string, rows: string[], options: Body = {}) {
  const id = await upload(businessId, `${rows.join("\n")}\n`);
  const check = async () => outcomeOf(id, await preview(id, { kind, country: "ES", ...options }));
  const checked = await check();
  expect(await outcomeOf(id, await start(id))).toEqual(checked);
  return { id, checked, check };
}

it("a line of a check is compared with those of earlier chunks as with records", async () => {
  const { businessId, locationId } = await makeSandbox(world, "2026-01-10");
  const members = [
    "external_ref,first_name,last_name,phone_number,email",
    ...["A,Ana,Gil,600000001,a@example.com", "B,Bo,Lee,600000002,", "C,Cy,Orr,600000003,"],
    // Another person, who takes no phone number; the same one, with fewer values; and the phone number, which is free.
    ...[
      "A,Eva,Gil,600000009,",
      "A,Ana,Gil,600000001,",
      "D,Di,Fox,600000009,A@Example.com",
      "E,Di,Fox,600000009,",
    ],
  ];
  const { checked } = await imported(businessId, "members", members);
  expect(checked).toMatchObject({ imported: 4, skipped: 1, rejected: 2 });
  expect(checked.rejections).toEqual([
    "5: first_name first_name is Eva, but external_ref A differs.; phone_number phone_number is +34600000009, but external_ref A differs.",
    "7: email email is taken.",
  ]);
  const sales = [
    "phone_number,sold_at,amount,reference_id",
    ...["600000001,2026-01-03,10.00,1", "600000001,2026-01-04,10.00,2", "600000002,2026-01-04,10.00,3"],
    ...["600000002,2026-01-05,5.00,3", "600000002,2026-01-04,10.00,3", "600000001,2026-01-05,-6.00,1"],
    ...["600000001,2026-01-06,-6.00,1", "600000001,2026-01-06,-4.00,1", "600000003,2026-01-06,-1.00,2"],
  ];
  const options = { amount_unit: "major", earn: true, location_id: locationId };
  const ofSales = await imported(businessId, "sales", sales, options);
  expect(ofSales.checked).toMatchObject({ imported: 5, skipped: 1, rejected: 3, sums: { amount: 3000 } });
  expect(ofSales.checked.rejections.map(numberOf)).toEqual([5, 8, 10]);
  // With reference_per, an import finds the sale of another day as it finds those of tills.
  const perDay = { ...options, reference_per: ["day"], batch: "2" };
  const days = await imported(
    businessId,
    "sales",
    sales.map((row) => row.replace(/(\d)$/, "D$1")),
    perDay,
  );
  expect(days.checked).toMatchObject({ imported: 6, skipped: 1, rejected: 2 });
  await expectValidLedger({ businessId });
});

it("a check says what the import does, and importing a file again changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
      const { businessId, locationId } = await makeSandbox(world, "2026-01-10");
      const define = (coupon_code: string) =>
        operatorWrite(world, "/op/vouchers/create", {
          business_id: businessId,
          ...{ campaign_name: coupon_code, coupon_code, coupon_value: 5 },
        });
      await Promise.all(["SPRING", "CUP"].map(define));
      const home = String(locationId);
      for (const { kind, lines, options } of [membersFile, ...files]) {
        const header = Object.keys((kinds[kind] as (typeof kinds)[string]).columns);
        const rows = lines.map((line: Record<string, string>) =>
          header.map((name) => (line[name] as string).replace("home", home)).join(","),
        );
        const given = {
          ...options,
          ...(options.location_id === undefined ? {} : { location_id: locationId }),
          ...(options.earn_imported === true ? { earn: true } : {}),
        };
        const before = await recordedIn(businessId);
        const { id, checked, check } = await imported(businessId, kind, [header.join(","), ...rows], given);
        const after = await recordedIn(businessId);
        if (kind === "sales")
          expect((after.sold as number) - (before.sold as number)).toBe(checked.sums.amount);
        const again = await check();
        // A sale with a wrong location can be one that is recorded.
        expect(again).toMatchObject({ imported: 0, points_added: 0 });
        const rejected = checked.rejections.map(numberOf);
        expect(rejected).toEqual(expect.arrayContaining(again.rejections.map(numberOf)));
        expect(await outcomeOf(id, await start(id))).toEqual(again);
        expect(await recordedIn(businessId)).toEqual(after);
      }
      await expectValidLedger({ businessId });
    }),
    { numRuns: runs(6) },
  );
});

const firstMembers = [1, 2, 3].map((nth) => ({
  ...{ first_name: "Ana", last_name: "Gil", phone_number: `+3460000000${nth}`, external_ref: `P${nth}` },
  ...{ card_code: cards[nth], email: `${"abc"[nth - 1]}@example.com`, date_of_birth: "", joined_at: "" },
  ...{ wallet_balance: "5", points_balance: "" },
})) as Record<string, string>[];
const membersFile = { kind: "members", options: {} as Body, lines: firstMembers };
