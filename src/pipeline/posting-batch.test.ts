import { expect, it } from "vitest";
import { nextKey, useWorld } from "../../test/support/world.ts";
import { adjustWallet } from "../operations/partner/wallet/adjust.ts";
import { type PostingCommand, runBatch } from "./posting-batch.ts";

const world = useWorld();

it("records batches that several processes run at once on the same account one after the other", async () => {
  const contactId = await world.member();
  const command = (): PostingCommand => ({
    operation: adjustWallet,
    integrationId: world.home.everywhere.integrationId,
    key: nextKey(),
    fingerprint: "00".repeat(32),
    input: {
      contact_id: contactId,
      location_id: world.home.locationIds[0],
      amount: 1,
      adjustment_type: "credit",
    } as PostingCommand["input"],
  });
  // A queue runs one batch of a business at a time: only a second process makes two of them meet.
  const processes = Array.from({ length: 4 }, async () => {
    for (let batch = 0; batch < 25; batch++) {
      const outcomes = await runBatch(world.sql, world.home.businessId, [command(), command()], () => {});
      expect(outcomes).toMatchObject([{ status: 200 }, { status: 200 }]);
    }
  });
  await Promise.all(processes);
  const entries = await world.sql<{ entry_no: number; balance_after: number }[]>`
    SELECT entry_no, balance_after FROM ledger_entry
    WHERE business_id = ${world.home.businessId} AND contact_id = ${contactId} ORDER BY entry_no`;
  expect(entries.map((entry) => entry.entry_no)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
  expect(entries.map((entry) => entry.balance_after)).toEqual(
    Array.from({ length: 200 }, (_, index) => index + 1),
  );
});
