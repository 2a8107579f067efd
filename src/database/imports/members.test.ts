import { expect, it } from "vitest";
import { importTools, landed } from "../../../test/support/imports.ts";
import { asOperator, validMemberLine } from "../../../test/support/operator-requests.ts";
import { useWorld } from "../../../test/support/world.ts";

const world = useWorld();
const { businessWithMember, expectValidLedger, importLines } = importTools(world);

it("dates opening balances by the clock after that was far ahead, and the status says so", async () => {
  const { business } = await businessWithMember();
  const { businessId } = business;
  const importOne = async (line: number) =>
    expect(await importLines("members", business, [validMemberLine(line)])).toEqual(landed(1));
  await importOne(1);
  const { sql } = world;
  await sql`UPDATE ledger_entry SET created_at = created_at + interval '1 day' WHERE business_id = ${businessId}`;
  await sql`
    UPDATE ledger SET last_recorded_at = last_recorded_at + interval '1 day' WHERE business_id = ${businessId}`;

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
