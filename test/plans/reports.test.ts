/** Reports read the same number of pages in a ledger that is ten times as long. */
import { expect, it } from "vitest";
import { findLiabilities } from "../../src/database/engine/liabilities.ts";
import { listActivity } from "../../src/database/ledger/activity.ts";
import { buffersRead } from "../support/buffers.ts";
import { fillBusiness, makeEmptyBusiness } from "../support/bulk.ts";
import { useWorld } from "../support/world.ts";

const world = useWorld();

it("reads activity and liabilities from totals of days", { timeout: 120_000 }, async () => {
  const sizes = { members: 100, keys: 0, auditEntries: 0 };
  const [few, many] = [await makeEmptyBusiness(world.sql), await makeEmptyBusiness(world.sql)];
  await fillBusiness(world.sql, few, { ...sizes, entries: 10_000 });
  await fillBusiness(world.sql, many, { ...sizes, entries: 100_000 });
  const days = { from: "2024-01-01", through: "2024-01-03", by: "day" } as const;
  const pages = async ({ businessId }: { businessId: number }) => {
    const read = async () => {
      const page = { page: 1, perPage: 100 };
      const { rows } = await listActivity(world.sql, businessId, days, page);
      expect(rows.reduce((sum, { sales }) => sum + sales, 0)).toBeGreaterThan(1000);
      await findLiabilities(world.sql, businessId, "2024-01-03");
    };
    await read();
    return buffersRead({ sql: world.sql }, read);
  };
  const [ofFew, ofMany] = [await pages(few), await pages(many)];
  expect(ofMany).toBeLessThanOrEqual(2 * ofFew);
});
