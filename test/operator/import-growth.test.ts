/** What an import leaves behind for the planner: without it, a business that is new to it takes ever longer. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { turnAutovacuumOff } from "../support/buffers.ts";
import { importTools, landed } from "../support/imports.ts";
import { holdsOnce } from "../support/measurements.ts";
import { validMemberLine, validSaleLine } from "../support/operator-requests.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { businessWithMember, importLines } = importTools(world);
beforeAll(() => turnAutovacuumOff(world.sql));
const count = 1500;
const lines = Array.from({ length: count }, (_, at) => at + 2);

/** Of which businesses the planner knows how many rows they have. */
async function knownBusinesses(table: string): Promise<number[]> {
  const [row] = await world.sql<{ known: number[] }[]>`
    SELECT most_common_vals::text::bigint[] AS known FROM pg_stats
    WHERE tablename = ${table} AND attname = 'business_id'`;
  return row?.known ?? [];
}

it("the planner knows a business that grew at once, beside others that it knew before", async () => {
  const first = await businessWithMember();
  const firstMembers = lines.map((line) => validMemberLine(line));
  await importLines("members", first.business, firstMembers);
  await world.sql`ANALYZE`;
  expect(await knownBusinesses("member")).toContain(first.business.businessId);

  const { business } = await businessWithMember();
  const members = lines.map((line) => validMemberLine(line));
  expect(await importLines("members", business, members)).toEqual(landed(count));
  for (const table of ["member", "account", "imported_line"]) {
    expect(await knownBusinesses(table), table).toContain(business.businessId);
  }
});

it("the planner knows a business whose ledger grew at once", async () => {
  const { business, contact_id } = await businessWithMember();
  const sales = lines.map((line) => validSaleLine(line, { contact_id }));
  expect(await importLines("sales", business, sales)).toEqual(landed(count));
  expect(await knownBusinesses("ledger_entry")).toContain(business.businessId);
});

/** Holds what a vacuum of the ledger holds, while something is done. */
async function duringVacuum(work: () => Promise<unknown>): Promise<void> {
  await world.sql.begin(async (tx) => {
    await tx`LOCK TABLE ledger_entry IN SHARE UPDATE EXCLUSIVE MODE`;
    await work();
  });
}

/** Waits until a statement waits for the ledger, or the import has ended without this being seen. */
async function someoneWaitsForTheLedger(importing: Promise<unknown>) {
  let hasEnded = false;
  void importing.finally(() => {
    hasEnded = true;
  });
  const waiting = () =>
    world.sql`
    SELECT FROM pg_locks WHERE relation = 'ledger_entry'::regclass AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  while (!hasEnded && (await waiting()).length === 0) await sleep(10);
}

it("the planner waits for a vacuum to end before it looks at a ledger that grew", async () => {
  const waitsForVacuum = async () => {
    const { business, contact_id } = await businessWithMember();
    const sales = lines.map((line) => validSaleLine(line, { contact_id }));
    let importing: Promise<unknown> | undefined;
    await duringVacuum(() => {
      importing = importLines("sales", business, sales);
      return someoneWaitsForTheLedger(importing);
    });
    expect(await importing).toEqual(landed(count));
    return (await knownBusinesses("ledger_entry")).includes(business.businessId);
  };
  // It waits for two seconds, which may pass on a slow machine.
  expect(await holdsOnce(waitsForVacuum)).toBe(true);
});

it("an import lands though the ledger is being vacuumed for long", async () => {
  const { business, contact_id } = await businessWithMember();
  const sales = lines.map((line) => validSaleLine(line, { contact_id }));
  await duringVacuum(async () => {
    expect(await importLines("sales", business, sales)).toEqual(landed(count));
    expect(await knownBusinesses("ledger_entry")).not.toContain(business.businessId);
    expect(await knownBusinesses("imported_line")).toContain(business.businessId);
  });
});
