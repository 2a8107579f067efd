/** Counting beside what writes to the ledger: neither waits for the other, and nothing is counted twice or not at all. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { countNewEntries } from "../../src/database/ledger/counts.ts";
import { nameInSql } from "../../src/database/sql.ts";
import { importTools, landed } from "../support/imports.ts";
import { operatorWrite, validSaleLine } from "../support/operator-requests.ts";
import { usePostings } from "../support/postings.ts";
import { randomFrom } from "../support/random.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();
const { adjustment, run, balancesOf } = usePostings(world);
const { importLines, expectValidLedger } = importTools(world);

/** Does some work while another transaction holds a row of the home business. */
async function whileLocked(table: "ledger" | "ledger_count", work: () => Promise<unknown>): Promise<void> {
  await world.sql.begin(async (tx) => {
    await tx`SELECT FROM ${nameInSql(table)} WHERE business_id = ${world.home.businessId} FOR UPDATE`;
    await work();
  });
}

const rethrowAfter = (step: () => void) => (error: unknown) => {
  step();
  throw error;
};

it("lets postings go on while entries are being counted", async () => {
  const contactId = await world.member();
  await whileLocked("ledger_count", async () => {
    for (let group = 0; group < 2; group++) await run(adjustment(contactId, 1));
  });
  expect(await balancesOf(contactId)).toEqual([1, 2]);
});

it("counts while the ledger is locked", async () => {
  const contactId = await world.member();
  for (let batch = 0; batch < 11; batch++) {
    await run(...Array.from({ length: 100 }, () => adjustment(contactId, 1)));
  }
  await whileLocked("ledger", () => countNewEntries(world.sql, world.home.businessId));
  const [count] = await world.sql<{ counted_entries: number }[]>`
    SELECT counted_entries FROM ledger_count WHERE business_id = ${world.home.businessId}`;
  expect(count?.counted_entries).toBeGreaterThanOrEqual(1024);
  await expectValidLedger(world.home);
});

it("lists what is imported before the first entry, after a business with few entries got another time zone", async () => {
  const shop = await world.business("Few", "UTC");
  const { everywhere: as } = shop;
  const contact_id = await world.member({}, as);
  const sale = { contact_id, location_id: shop.locationIds[0], amount: 700 };
  await world.write("/sp/sales/record", sale, as);
  await operatorWrite(world, "/op/businesses/update", {
    business_id: shop.businessId,
    time_zone: "Europe/Madrid",
  });
  const lines = [validSaleLine(1, { contact_id, sold_at: "2024-01-01", amount: 500 })];
  expect(await importLines("sales", shop, lines)).toEqual(landed(1));
  for (const filter of [{}, { contact_id }, { event_types: ["sale"] }, { start_date: "2020-01-01" }]) {
    const { body } = await world.ask("/sp/transactions/list", filter, as);
    expect(body.data.map(({ amount }: { amount: number }) => amount)).toEqual([700, 500]);
    expect(body.meta.pagination.total).toBe(2);
  }
  await expectValidLedger(shop);
});

it("counts every entry once, beside postings and imports of history", async () => {
  const { businessId } = world.home;
  const contactId = await world.member();
  const { below: next } = randomFrom(20_261_122);
  let writing = true;
  const posting = async () => {
    for (let batch = 0; batch < 120; batch++) {
      const commands = Array.from({ length: 1 + next(200) }, () => adjustment(contactId, 1));
      // An import may hold the ledger for longer than a group waits.
      await vi.waitFor(() => run(...commands), { timeout: 60_000, interval: 1 });
    }
  };
  const importing = async () => {
    while (writing) {
      const lines = Array.from({ length: 1 + next(300) }, (_, line) => {
        const sold_at = `20${10 + next(16)}-0${1 + next(9)}-1${next(10)} 09:30:00`;
        return validSaleLine(line + 1, { contact_id: contactId, sold_at });
      });
      // An import counts all that waits: the others must have something to count, too.
      await sleep(next(200));
      expect(await importLines("sales", world.home, lines)).toEqual(landed(lines.length));
    }
  };
  /** Total and rows are of one snapshot, and no total is smaller than one before. */
  const reading = async () => {
    let seen = 0;
    while (writing) {
      const page = 1 + next(1 + seen / 100);
      const filter = { event_types: ["wallet_adjustment", "sale"], page, per_page: 100 };
      const { body } = await world.ask("/sp/transactions/list", filter);
      const { total } = body.meta.pagination;
      expect(body.data).toHaveLength(Math.max(0, Math.min(100, total - 100 * (page - 1))));
      expect(total).toBeGreaterThanOrEqual(seen);
      seen = total;
    }
    expect(seen).toBeGreaterThan(5000);
  };
  const counting = async () => {
    while (writing) await countNewEntries(world.sql, businessId);
  };
  const stop = () => {
    writing = false;
  };
  await Promise.all([
    posting().finally(stop),
    ...[counting(), counting(), importing(), reading(), reading()].map((other) =>
      other.catch(rethrowAfter(stop)),
    ),
  ]);
  await expectValidLedger(world.home);
});
