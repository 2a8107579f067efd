/** Files that are imported by jobs of the service. */
import { gzipSync } from "node:zlib";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { Connection } from "../../src/database/connection.ts";
import { holdMoveLock } from "../../src/database/moving.ts";
import { sweepFiles } from "../../src/sweeper.ts";
import type { Body } from "../support/engine-requests.ts";
import { base64, type ImportId, importJobs } from "../support/import-jobs.ts";
import { importTools } from "../support/imports.ts";
import { asOperator, operatorWrite } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, expectValidLedger } = importTools(world);
const { jobOf, ended, upload, preview, start } = importJobs(world);

async function shop() {
  const { business, contact_id } = await businessWithMember();
  const sold = async () => {
    const [row] = await world.sql<{ entries: number; sum: number }[]>`
      SELECT count(*) AS entries, coalesce(sum(amount), 0)::bigint AS sum FROM ledger_entry
      WHERE business_id = ${business.businessId} AND event_type = 'sale'`;
    return row;
  };
  return { business, business_id: business.businessId, contact_id, sold };
}

it("sales that a file with another column would record twice are counted in its check", async () => {
  const { business_id, contact_id, sold } = await shop();
  const file = `contact_id,sold_at,amount,No,When\n${contact_id},2025-12-31,1250,R1,18:45\n${contact_id},2026-01-02,990,R2,09:30\n`;
  const number = { field: "reference_id", column: "No" };
  const noteOf = async (text: string, columns: object[]) => {
    const id = await upload(business_id, text);
    const { result } = await preview(id, { columns });
    const note = (result as { notes: string[] }).notes.find((one) => one.includes("recorded twice"));
    return { id, note };
  };
  const first = await noteOf(file, []);
  expect(first.note).toBeUndefined();
  await start(first.id);
  expect(await sold()).toEqual({ entries: 2, sum: 2240 });
  const note =
    "2 lines have the member, the day and the amount of a sale that is recorded, and no receipt number tells them apart. If they are the same sales, they would be recorded twice: import the file with the columns of the first time.";
  expect((await noteOf(file, [number])).note).toBe(note);
  expect((await noteOf(file, [{ field: "sold_time", column: "When" }])).note).toBe(note);
  expect((await noteOf(file, [])).note).toBeUndefined();
  // Sales with another receipt number are others.
  const later = file.replaceAll("2025-12-31", "2026-01-03").replaceAll("2026-01-02", "2026-01-04");
  const numbered = await noteOf(later, [number]);
  await start(numbered.id);
  expect((await noteOf(later.replaceAll(",R", ",A"), [number])).note).toBeUndefined();
});

/** What the audit log says of imports, the newest entry first. */
async function auditOf(business_id: number): Promise<Body[]> {
  const { data } = (await asOperator(world, "/op/audit/list", { business_id })).body;
  return (data as Body[]).filter(({ event }) => /^(?:import|sales)\./.test(String(event)));
}

it("a file is uploaded in parts, checked, imported, and leaves one entry in the audit log", async () => {
  const { business, business_id, contact_id, sold } = await shop();
  const text = `Card;Date;Summa;Note\r\n${contact_id};17/03/2026;"1.012,50";x\r\n${contact_id};31/03/2026;8,00;\r\n999;01/04/2026;1,00;\r\n`;
  const bytes = gzipSync(text);
  const first = { business_id, file_name: "März.csv", part: 0, content: base64(bytes.subarray(0, 40)) };
  const { import_id } = await operatorWrite(world, "/op/imports/upload", first);
  const id = { business_id, import_id };
  const wrong = await asOperator(world, "/op/imports/preview", {
    ...id,
    kind: "sales",
    idempotency_key: "early",
  });
  expect(wrong.body.error).toMatchObject({ code: "import_not_ready", details: { state: "uploading" } });
  const behind = { ...id, part: 2, content: base64("x"), idempotency_key: "behind" };
  expect((await asOperator(world, "/op/imports/upload", behind)).body.error.details.errors).toMatchObject([
    { field: "part", message: "part must be 1, the next one." },
  ]);
  const rest = { ...id, part: 1, content: base64(bytes.subarray(40)), last: true };
  expect(await operatorWrite(world, "/op/imports/upload", rest)).toEqual({ import_id, state: "uploaded" });

  // Without the columns, what is known of the file is seen.
  expect(await preview(id, { amount_unit: "major" })).toMatchObject({
    state: "failed",
    problem: expect.stringContaining(
      "There is no column for contact_id or phone_number or external_ref or card_code or email; for amount.",
    ),
    form: { header: ["Card", "Date", "Summa", "Note"], columns: [{ field: "sold_at", column: "Date" }] },
  });
  const columns = [
    { field: "contact_id", column: "Card" },
    { field: "sold_at", column: "Date" },
    { field: "amount", column: "Summa" },
  ];
  const checked = await preview(id, { amount_unit: "major", columns });
  expect(checked).toMatchObject({
    file_name: "März.csv",
    state: "checked",
    problem: null,
    lines_done: 3,
    form: {
      encoding: "utf-8",
      decimal: ",",
      date_formats: [{ field: "sold_at", format: "DD/MM/YYYY" }],
      columns: expect.arrayContaining(columns),
      unused: ["Note"],
    },
    result: {
      lines: 3,
      imported: 2,
      rejected: 1,
      sums: {
        lines: 2,
        amount: 102_050,
        smallest: 800,
        largest: 101_250,
        first_day: "2026-03-17",
        last_day: "2026-03-31",
      },
      reasons: [{ reason: "contact_id names no member.", lines: 1, first_lines: [4] }],
    },
  });
  expect((checked.form as Body & { sample: Body[] }).sample[0]).toEqual({
    line: 2,
    values: [
      { field: "contact_id", sample_value: String(contact_id) },
      { field: "sold_at", sample_value: "2026-03-17" },
      { field: "amount", sample_value: "1,012.50 EUR" },
    ],
  });
  expect(await sold()).toEqual({ entries: 0, sum: 0 });

  expect(await start(id)).toMatchObject({ state: "ended", result: { imported: 2, skipped: 0, rejected: 1 } });
  expect(await sold()).toEqual({ entries: 2, sum: 102_050 });
  const { lines, header } = (await asOperator(world, "/op/imports/rejected", id)).body.data;
  expect(Buffer.from(header, "base64").toString()).toBe("Card;Date;Summa;Note");
  expect(lines).toEqual([
    {
      line: 4,
      reasons: [{ field: "contact_id", message: "contact_id names no member." }],
      line_bytes: base64("999;01/04/2026;1,00;"),
    },
  ]);
  expect(await auditOf(business_id)).toMatchObject([
    {
      event: "sales.imported",
      actor_kind: "root",
      after: { import_id, file_name: "März.csv", imported: 2, skipped: 0, rejected: 1 },
    },
  ]);
  expect(await jobOf({ ...id, import_id: 1_000_000 })).toBe(undefined);
  const foreign = { business_id: world.away.businessId, import_id };
  expect((await asOperator(world, "/op/imports/get", foreign)).body.error.code).toBe("import_not_found");
  await expectValidLedger(business);
});

it("members are compared with those of the lines before, whose transaction has not ended", async () => {
  const { business, business_id } = await shop();
  const phone = (nth: number) => `+3466${String(nth).padStart(7, "0")}`;
  const lines = Array.from({ length: 2400 }, (_, nth) => `Ana,Ruiz,${phone(nth)},,`);
  // They name members of the chunk before.
  lines[1000] = `Eva,Sanz,${phone(999)},,`;
  lines[1001] = lines[998] as string;
  lines[2000] = "Eva,Sanz,+34661111111,E1,";
  lines[1999] = "Ana,Ruiz,+34662222222,E1,7";
  const text = ["first_name,last_name,phone_number,external_ref,wallet_balance", ...lines].join("\n");
  const id = await upload(business_id, text, "members.csv");
  const of = { lines: 2400, imported: 2397, skipped: 1, rejected: 2 };
  expect(await preview(id, { kind: "members" })).toMatchObject({ state: "checked", result: of });
  expect(await start(id)).toMatchObject({ state: "ended", result: of });
  const { lines: rejected } = (await asOperator(world, "/op/imports/rejected", id)).body.data;
  expect((rejected as Body[]).map(({ line }) => line)).toEqual([1002, 2002]);
  const [row] = await world.sql<{ members: number; balance: number }[]>`
    SELECT count(*) AS members, sum(balance)::bigint AS balance FROM account
    WHERE business_id = ${business_id} AND account = 'wallet'`;
  expect(row).toEqual({ members: 2398, balance: 7 });
  await expectValidLedger(business);
});

it.each(["checking", "importing"])(
  "members are imported once while the connections that look at the next lines are lost: %s",
  async (state) => {
    const { business, business_id } = await shop();
    let lost = 0;
    const loseAt = async (id: ImportId) => {
      while ((await jobOf(id)).state === state && lost < 5) {
        const { count } = await world.sql`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%external_ref_taken%'
          AND state <> 'idle'`;
        lost += count;
      }
    };
    // A job can be over before a connection is found.
    for (let round = 0; lost === 0; round++) {
      const phone = (nth: number) => `+34${660_000_000 + 6000 * round + nth}`;
      const lines = Array.from({ length: 6000 }, (_, nth) => `Ana,Ruiz,${phone(nth)}`);
      const text = ["first_name,last_name,phone_number", ...lines].join("\n");
      const id = await upload(business_id, text, "members.csv");
      await operatorWrite(world, "/op/imports/preview", { ...id, kind: "members", amount_unit: "minor" });
      await loseAt(id);
      expect((await ended(id)).state).toBe("checked");
      await operatorWrite(world, "/op/imports/start", id);
      await loseAt(id);
      const result = { imported: 6000, skipped: 0, rejected: 0 };
      expect(await ended(id)).toMatchObject({ state: "ended", result });
    }
    await expectValidLedger(business);
  },
);

describe("a job", () => {
  const linesOf = (contact_id: number, count: number) =>
    `contact_id,sold_at,amount\n${Array.from({ length: count }, (_, nth) => `${contact_id},2025-04-01,${nth + 1}\n`).join("")}`;

  it("that is cancelled between lines imports none of those under way, and goes on behind the others", async () => {
    const { business, business_id, contact_id, sold } = await shop();
    const id = await upload(business_id, linesOf(contact_id, 2500));
    await preview(id);
    await world.sql.begin(async (tx) => {
      await tx`SELECT FROM ledger WHERE business_id = ${business_id} FOR UPDATE`;
      await operatorWrite(world, "/op/imports/start", id);
      while ((await jobOf(id)).state !== "importing") await new Promise((go) => setTimeout(go, 10));
      expect(await operatorWrite(world, "/op/imports/cancel", id)).toEqual({
        import_id: id.import_id,
        state: "cancelled",
      });
    });
    expect(await ended(id)).toMatchObject({ state: "cancelled" });
    const before = (await sold())?.entries as number;
    const again = await start(id);
    expect(again).toMatchObject({ state: "ended", lines_done: 2500, result: { imported: 2500, skipped: 0 } });
    expect(before % 1000).toBe(0);
    expect(await sold()).toEqual({ entries: 2500, sum: (2500 * 2501) / 2 });
    expect(await auditOf(business_id)).toMatchObject([
      { event: "sales.imported", after: { state: "ended", imported: 2500 } },
      { event: "import.cancelled" },
      { event: "sales.imported", after: { state: "cancelled", imported: before } },
    ]);
    await expectValidLedger(business);
  });

  it("that imported nothing and does not run is deleted with its file when it is cancelled", async () => {
    const { business_id, contact_id } = await shop();
    const left = () => world.sql`
      SELECT (SELECT count(*) FROM import_part WHERE business_id = ${business_id}) AS parts,
        (SELECT count(*) FROM import_rejection WHERE business_id = ${business_id}) AS lines`;
    const id = await upload(business_id, `${linesOf(contact_id, 2)}999,2025-04-01,1\n`);
    expect(await preview(id)).toMatchObject({ state: "checked", result: { rejected: 1 } });
    expect(await left()).toEqual([{ parts: 1, lines: 1 }]);
    await operatorWrite(world, "/op/imports/cancel", id);
    expect(await left()).toEqual([{ parts: 0, lines: 0 }]);
    expect(await jobOf(id)).toMatchObject({ state: "cancelled", bytes: 0, form: null, result: null });
    for (const step of ["cancel", "start", "preview"]) {
      const body = { ...id, ...(step === "preview" && { kind: "sales" }), idempotency_key: step };
      const { error } = (await asOperator(world, `/op/imports/${step}`, body)).body;
      expect(error).toMatchObject({ code: "import_not_ready", details: { state: "cancelled" } });
    }
  });

  it("that is imported keeps its file when it is checked again, until that is cancelled", async () => {
    const { business_id, contact_id, sold } = await shop();
    const id = await upload(business_id, linesOf(contact_id, 2));
    await preview(id);
    await start(id);
    expect(
      (await asOperator(world, "/op/imports/cancel", { ...id, idempotency_key: "x" })).body.error,
    ).toMatchObject({ code: "import_not_ready", details: { state: "ended" } });
    expect(await preview(id)).toMatchObject({ state: "checked", result: { skipped: 2 } });
    await operatorWrite(world, "/op/imports/cancel", id);
    expect(await jobOf(id)).toMatchObject({ state: "cancelled", bytes: 0 });
    expect(await sold()).toMatchObject({ entries: 2 });
  });

  it("whose process is gone is taken over, and the first process can't store any more", async () => {
    const { business_id, contact_id, sold } = await shop();
    const id = await upload(business_id, linesOf(contact_id, 3000));
    await preview(id);
    const other = await world.sql.begin(async (tx) => {
      await tx`SELECT FROM ledger WHERE business_id = ${business_id} FOR UPDATE`;
      await operatorWrite(world, "/op/imports/start", id);
      const leased = () => world.sql<{ leased_by: string | null }[]>`
        SELECT leased_by FROM import_job WHERE business_id = ${business_id} AND import_id = ${id.import_id}`;
      while ((await leased())[0]?.leased_by === null) await new Promise((go) => setTimeout(go, 10));
      // As if the lease had ended while the process waits for the lock.
      await world.sql`
        UPDATE import_job SET leased_by = gen_random_uuid(), leased_until = now()
        WHERE business_id = ${business_id} AND import_id = ${id.import_id}`;
      return leased();
    });
    expect(other).toHaveLength(1);
    expect(await ended(id)).toMatchObject({ state: "ended", result: { lines: 3000, imported: 3000 } });
    expect(await sold()).toEqual({ entries: 3000, sum: (3000 * 3001) / 2 });
  });

  it("fails at a location that is gone meanwhile, and can be checked again", async () => {
    const { business_id, contact_id } = await shop();
    const id = await upload(business_id, linesOf(contact_id, 1));
    await preview(id);
    await world.sql`
      UPDATE import_job SET options = '{"request": {"location_id": 999999}}' WHERE import_id = ${id.import_id}`;
    expect(await start(id)).toMatchObject({
      state: "failed",
      problem: "No location of the business has this location_id.",
    });
    expect(await auditOf(business_id)).toMatchObject([
      { event: "sales.imported", after: { import_id: id.import_id, state: "failed", imported: 0 } },
    ]);
    expect(await preview(id)).toMatchObject({ state: "checked", problem: null });
  });

  /** Starts an import, whose first lines wait for the ledger meanwhile. */
  const meanwhile = (id: ImportId, work: (tx: Connection) => Promise<unknown>) =>
    world.sql.begin(async (tx) => {
      const { business_id, import_id } = id;
      await tx`SELECT FROM ledger WHERE business_id = ${business_id} FOR UPDATE`;
      await operatorWrite(world, "/op/imports/start", id);
      const leased = () => world.sql`
        SELECT FROM import_job WHERE business_id = ${business_id} AND import_id = ${import_id} AND leased_by IS NOT NULL`;
      while ((await leased()).length === 0) await new Promise((go) => setTimeout(go, 10));
      await work(tx);
    });

  it("imports nothing while its business moves, and goes on afterwards", async () => {
    const { business_id, contact_id, sold } = await shop();
    const id = await upload(business_id, linesOf(contact_id, 1500));
    await preview(id);
    // A move without a command that lives would end by itself.
    const mover = await world.sql.reserve();
    await holdMoveLock(mover, "pause", business_id);
    await meanwhile(
      id,
      (tx) => tx`
        UPDATE ledger SET move_state = 'leaving', move_database = gen_random_uuid() WHERE business_id = ${business_id}`,
    );
    const isFailed = {
      state: "failed",
      lines_done: 0,
      problem: expect.stringContaining("The business moves"),
    };
    const job = async () =>
      (
        await world.sql`SELECT state, lines_done, problem FROM import_job WHERE business_id = ${business_id}`
      )[0];
    while ((await job())?.state === "importing") await new Promise((go) => setTimeout(go, 10));
    expect(await job()).toMatchObject(isFailed);
    expect(await sold()).toMatchObject({ entries: 0 });
    mover.cut();
    await world.sql`
      UPDATE ledger SET move_state = NULL, move_database = NULL WHERE business_id = ${business_id}`;
    expect(await start(id)).toMatchObject({ state: "ended", result: { imported: 1500, skipped: 0 } });
    expect(await sold()).toMatchObject({ entries: 1500 });
  });

  it("ends with its business, also while it imports", async () => {
    const body = { name: "Gone", currency: "EUR", sandbox: true };
    const { business_id } = await operatorWrite(world, "/op/businesses/create", body);
    const members = "first_name,last_name,phone_number,external_ref\nAna,Vo,+34600000001,A\n";
    const people = await upload(business_id, members);
    await preview(people, { kind: "members" });
    await start(people);
    const sales = Array.from({ length: 2500 }, (_, nth) => `A,2025-04-01,${nth + 1}\n`).join("");
    const id = await upload(business_id, `external_ref,sold_at,amount\n${sales}`);
    await preview(id);
    let deleted: Promise<unknown> = Promise.resolve();
    await meanwhile(id, async () => {
      deleted = operatorWrite(world, "/op/businesses/delete", { sandbox_business_id: business_id });
    });
    await deleted;
    const [left] = await world.sql`
      SELECT (SELECT count(*) FROM import_part WHERE business_id = ${business_id}) AS parts,
        (SELECT count(*) FROM import_job WHERE business_id = ${business_id}) AS jobs,
        (SELECT count(*) FROM ledger_entry WHERE business_id = ${business_id}) AS entries`;
    expect(left).toEqual({ parts: 0, jobs: 0, entries: 0 });
    // The process works on other imports.
    const { business_id: other, contact_id } = await shop();
    const next = await upload(other, linesOf(contact_id, 3));
    await preview(next);
    expect(await start(next)).toMatchObject({ state: "ended", result: { imported: 3 } });
  });
});

describe("a file that is no CSV", () => {
  it.each([
    [
      "two files in an archive",
      zipSync({ "a.csv": strToU8("a"), "b.csv": strToU8("b") }),
      "The zip archive has several files, such as a.csv and b.csv.",
    ],
    ["a header alone", "contact_id,sold_at,amount\n", "The file has no line to import."],
    [
      "a quote without an end",
      'contact_id,sold_at,amount\n1,2025-01-01,"5\n',
      "A quote that begins in line 2 or later is not closed.",
    ],
  ])("is named: %s", async (_, content, problem) => {
    const id = await upload(world.home.businessId, content);
    expect(await preview(id)).toMatchObject({ state: "failed", problem: expect.stringContaining(problem) });
  });
});

it.each([
  ["a spreadsheet", zipSync({ "xl/workbook.xml": strToU8("<a/>") })],
  ["a picture", Buffer.from("\x89PNG\r\n", "latin1")],
  ["a picture", gzipSync(Buffer.from("\x89PNG\r\n", "latin1")).subarray(0, 26)],
])("a file that is %s is named when it begins to arrive", async (what, bytes) => {
  const body = { business_id: world.home.businessId, file_name: "a.csv", part: 0, content: base64(bytes) };
  const key = `${what} ${bytes.length}`;
  const { error } = (await asOperator(world, "/op/imports/upload", { ...body, idempotency_key: key })).body;
  expect(error.details.errors).toMatchObject([
    { field: "content", message: expect.stringContaining(`The file is ${what}, not a CSV file.`) },
  ]);
});

it("the files of a business have a limit together", async () => {
  const { business_id } = await shop();
  const large = await upload(business_id, "a\n");
  await world.sql`
    UPDATE import_job SET bytes = 4999999999 WHERE business_id = ${business_id} AND import_id = ${large.import_id}`;
  await upload(business_id, "a");
  const part = { business_id, file_name: "b.csv", part: 0, content: base64("b"), idempotency_key: "limit" };
  const { error } = (await asOperator(world, "/op/imports/upload", part)).body;
  expect(error.details.errors).toEqual([
    {
      field: "content",
      code: "too_long",
      message:
        "content takes the files of the business past 5 GB: each one is deleted 7 days after its last check or import.",
    },
  ]);
  expect(await world.sql`SELECT FROM import_job WHERE business_id = ${business_id}`).toHaveLength(2);
});

it("files are deleted with their lines and jobs when they are a week old", async () => {
  const { business_id, contact_id } = await shop();
  const old = await upload(business_id, `contact_id,sold_at,amount\n999,2025-01-01,5\n`);
  const recent = await upload(business_id, `contact_id,sold_at,amount\n${contact_id},2025-01-01,5\n`);
  await preview(old);
  await world.sql`
    UPDATE import_job SET ended_at = now() - interval '8 days'
    WHERE business_id = ${business_id} AND import_id = ${old.import_id}`;
  await sweepFiles(world.sql, { stopped: () => false });
  const left = await world.sql`
    SELECT import_id FROM import_job WHERE business_id = ${business_id}
    UNION SELECT import_id FROM import_part WHERE business_id = ${business_id}
    UNION SELECT import_id FROM import_rejection WHERE business_id = ${business_id}`;
  expect(left).toEqual([{ import_id: recent.import_id }]);
});
