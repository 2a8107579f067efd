/** The export of a business by the last build before the first release (beside this file), imported by this one. */
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { importBusiness } from "../../src/backup/import-business.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { placeOf } from "../support/places.ts";
import { nextKey, useWorld } from "../support/world.ts";

const world = useWorld();
const { expectValidLedger } = importTools(world);
let source = "";

/** Replaces the rows of a table in the export. */
async function rewrite(table: string, change: (rows: string) => string): Promise<void> {
  const [path, manifestPath] = [join(source, `${table}.copy.gz`), join(source, "business.json")];
  const rows = change(gunzipSync(await readFile(path)).toString("utf8"));
  const bytes = gzipSync(rows);
  await writeFile(path, bytes);
  const manifest = JSON.parse(await readFile(manifestPath, "utf8"));
  const record = manifest.files.find((one: { table: string }) => one.table === table);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  Object.assign(record, { size: bytes.length, sha256, rows: rows.split("\n").length - 1 });
  await writeFile(manifestPath, JSON.stringify(manifest));
}

/** The identity of a line with a reference, as that build recorded it. */
const importedAs = (by: string, reference: string) => {
  const hex = createHash("sha256").update(`loyalty import of ${by} ${reference}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};

/** A copy of the export, for a business in dinars, which have three decimals. One sale and one member were imported. */
beforeAll(async () => {
  source = await mkdtemp(join(tmpdir(), "loyalty-earlier-"));
  await cp(join(import.meta.dirname, "earlier-build"), source, { recursive: true });
  await rewrite("business", (row) => row.replace("\tEUR\t", "\tIQD\t"));
  await rewrite("ledger_entry", (rows) =>
    rows.replace(/^2\t1\t100061\t9000\t9000\t3\t2\t/, "2\t1\t100061\t9000\t9000\t3\t\\N\t"),
  );
  await rewrite("member", (rows) =>
    rows.replace("1981-08-01\t\\N\tt\t\\N\t\\N", "1981-08-01\t\\N\tt\t\\N\tE-1"),
  );
  const [sale, member] = [
    importedAs("sales by reference_id", "SA-1"),
    importedAs("members by external_ref", "E-1"),
  ];
  const at = "2026-11-25 06:45:32+00";
  await rewrite("imported_line", () => `2\t${sale}\t${at}\t9000\t\\N\n2\t${member}\t${at}\t0\t25\n`);
});
afterAll(() => rm(source, { recursive: true }));

it("has the same balances, points and refunds, and goes on from there", async () => {
  const { businessId } = await importBusiness({
    source,
    ...placeOf(world.database),
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onRows: () => undefined,
  });
  const business = { businessId } as typeof world.home;
  await expectValidLedger(business);
  const ask = async (path: string, body: object) => {
    const reply = await asOperator(world, path, { business_id: businessId, ...body });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  expect(
    await world.sql`SELECT name, currency, currency_decimals, country FROM business WHERE business_id = ${businessId}`,
  ).toEqual([{ name: "Lantern Coffee sandbox", currency: "IQD", currency_decimals: 3, country: null }]);
  // The apostrophe was stored as it was typed.
  const [found] = await ask("/op/members/list", { search: "o'hara" });
  expect(found).toMatchObject({ first_name: "Zoë", last_name: "O’Hara" });

  const due = await world.sql`
    SELECT contact_id, day::text AS day, event, amount FROM member_due WHERE business_id = ${businessId} ORDER BY 1, 2, 3`;
  expect(due).toEqual([
    { contact_id: 100_061, day: "2026-12-05", event: "points_mature", amount: 15 },
    { contact_id: 100_061, day: "2027-06-01", event: "points_expire", amount: 45 },
    { contact_id: 100_063, day: "2027-06-01", event: "points_expire", amount: 25 },
  ]);
  const uses = await world.sql`
    SELECT sale_id AS id, uses FROM sale WHERE business_id = ${businessId} AND uses <> '[]'
    UNION ALL SELECT redemption_id, uses FROM points_redemption WHERE business_id = ${businessId} AND uses <> '[]' ORDER BY 1`;
  expect(uses).toEqual([
    { id: 10, uses: [{ lot_id: 3, points: 20 }] },
    {
      id: 13,
      uses: [
        { lot_id: 6, points: 20 },
        { lot_id: 10, points: 5 },
      ],
    },
  ]);

  // The lines that were imported are known.
  const again = async (what: string, lines: readonly object[]) =>
    operatorWrite(world, `/op/imports/${what}`, { business_id: businessId, lines });
  const sale = { line: 1, contact_id: 100_061, sold_at: "2026-11-25", amount: 9000, reference_id: "SA-1" };
  expect(await again("sales", [sale])).toMatchObject({ imported: 0, skipped: 1 });
  expect(await again("sales", [{ ...sale, amount: 1 }])).toMatchObject({
    rejected: [{ code: "amount_differs" }],
  });
  const person = { line: 1, first_name: "Mateo", last_name: "García Ríos", phone_number: "+353209100016" };
  expect(await again("members", [{ ...person, external_ref: "E-1" }])).toMatchObject({
    imported: 0,
    skipped: 1,
  });

  // A refund takes from these lots, and the sandbox's clock lets the others mature.
  const { client_id, client_secret } = await operatorWrite(world, "/op/integrations/create", {
    ...{ business_id: businessId, name: "Till", all_locations: true },
    scopes: ["wa.sales.write", "wa.sandbox.write"],
  });
  const { access_token: token } = (await world.call("/sp/auth/token", { client_id, client_secret })).body
    .data;
  const write = async (path: string, body: object) => {
    const reply = await world.call(path, { idempotency_key: nextKey(), ...body }, { token });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  const refund = await write("/sp/sales/refund", { sale_id: 10, location_id: 3 });
  expect(refund).toMatchObject({ refunded: 2000, points_back: 20 });
  await write("/sp/sandbox/clock/advance", { to: "2027-06-02" });
  await expectValidLedger(business);
});
