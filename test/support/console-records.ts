/** Records for every page of the console, in the states in which each of their forms can be opened. */
import { vi } from "vitest";
import { holdBackgroundWrites } from "./background-writes.ts";
import type { ConsoleWorld } from "./console.ts";
import { googleSetUp } from "./google-wallet.ts";
import { makeBulkGrant } from "./operator-requests.ts";
import { inviteOperator, makeKey } from "./operators.ts";
import { walletSetUp } from "./pass-certificates.ts";

/** The number of a record, by the parameter of its page. */
export type ConsoleRecords = Readonly<Record<string, number>>;
type Made = Readonly<Record<string, number>>;

/**
 * Makes the records. The service does not change them, because its writes in the background wait.
 * @returns those of the pages of one record, and `new`, `sandbox`, `inactive`, `stopped`: a business without records, a sandbox, a
 * member who was deactivated, and an integration that was disabled
 */
export async function makeConsoleRecords(world: ConsoleWorld): Promise<ConsoleRecords> {
  // The service would send an event, end a bulk grant, and change what the pages show.
  await holdBackgroundWrites(world.sql);
  const { business_id, contact_ids, integration_id } = world.demo;
  const contact_id = world.priya;
  let writes = 0;
  const write = (path: string, body: object) => {
    writes += 1;
    return world.call<Made>(path, { idempotency_key: `record ${writes}`, business_id, ...body });
  };
  const first = async (path: string, id: string) => {
    const [record] = await world.call<Made[]>(path, { business_id });
    return { [id]: record?.[id] as number };
  };
  const named = { name: `Café ${"of a long name ".repeat(15)}`, currency: "EUR" };
  const made = await world.call<Made>("/op/businesses/create", { idempotency_key: "new", ...named });
  const trial = { ...named, idempotency_key: "sandbox", name: "Trial", sandbox: true };
  const sandbox = await world.call<Made>("/op/businesses/create", trial);
  const voucher = await first("/op/vouchers/list", "voucher_id");
  const name = "Paused for now";
  const { promotion_id } = await write("/op/promotions/create", { name, multiply: 200 });
  await write("/op/promotions/pause", { promotion_id });
  const { stamp_card_id } = await write("/op/stamp-cards/create", {
    name,
    counts: "visit",
    stamps_needed: 9,
    ...voucher,
  });
  await write("/op/stamp-cards/pause", { stamp_card_id });
  await write("/op/occasions/pause", await first("/op/occasions/list", "occasion_id"));
  const inactive = contact_ids[7] as number;
  await write("/op/members/deactivate", { contact_id: inactive });
  const stopped = await write("/op/integrations/create", {
    name: "Old till",
    scopes: ["wa.members.read"],
    all_locations: true,
  });
  await write("/op/integrations/disable", { integration_id: stopped.integration_id });
  const location = await first("/op/locations/list", "location_id");
  const atCounter = { contact_id, ...location, reason: "At the counter" };
  await write("/op/wallet/topup", { ...atCounter, amount: 500 });
  await write("/op/reward-points/redeem", { ...atCounter, points: 20 });
  const { held_voucher_id } = await write("/op/vouchers/issue", { ...atCounter, ...voucher });
  await write("/op/vouchers/redeem", { ...atCounter, held_voucher_id });
  await write("/op/cards/issue", { ...location, kind: "gift", card_count: 1, amount: 500, reason: "Sold" });
  await write("/op/apple-wallet/set-up", walletSetUp());
  await write("/op/google-wallet/set-up", googleSetUp());
  await segmentAndGrant(write);
  await makeBulkGrant(world, business_id, "running");
  await makeKey(world);
  const { operator_id } = await inviteOperator(world);
  await world.call("/op/operators/disable", { idempotency_key: "operator", operator_id });
  return {
    contact_id,
    integration_id,
    ...(await first("/op/sales/list", "sale_id")),
    ...(await first("/op/promotions/list", "promotion_id")),
    ...(await first("/op/stamp-cards/list", "stamp_card_id")),
    ...(await failingEndpoint(world, write)),
    ...(await checkedImport(world, write)),
    new: made.business_id as number,
    sandbox: sandbox.business_id as number,
    ...{ inactive, stopped: stopped.integration_id as number },
  };
}

type Write = (path: string, body: object) => Promise<Made>;

/** Makes an endpoint with a long address, and an event that it has not got. */
async function failingEndpoint(world: ConsoleWorld, write: Write) {
  const { business_id, contact_ids } = world.demo;
  const url = `https://example.com/${"long-path/".repeat(190)}`;
  const { endpoint_id } = await write("/op/webhook-endpoints/create", { url, types: ["*"] });
  const correction = { contact_id: contact_ids[0], points: 5, adjustment_type: "credit", reason: "Sorry" };
  await write("/op/members/adjust-points", correction);
  await world.sql`
    INSERT INTO webhook_attempt (business_id, endpoint_id, event_no, attempt, kind, started_at, milliseconds, succeeded,
      response_status, error, response_body)
    VALUES (${business_id}, ${endpoint_id as number}, 2, 1, 'delivery', now(), 84, false, 500, 'HTTP 500', ${"x".repeat(1000)})`;
  await world.sql`
    UPDATE webhook_endpoint SET status = 'failing', failing_since = now() WHERE endpoint_id = ${endpoint_id as number}`;
  return { endpoint_id: endpoint_id as number };
}

/** Saves filters, and gives the members something, which stops at once. */
async function segmentAndGrant(write: Write) {
  const filters = { least_visits: 1, least_sales: 100, joined_from: "2020-01-01", has_email: true };
  const name = "Friends ".repeat(7);
  await write("/op/segments/create", { name, ...filters });
  const gift = { name, points: 5, joined_from: "2020-01-01" };
  const { occasion_id } = await write("/op/bulk-grants/start", gift);
  await write("/op/bulk-grants/cancel", { occasion_id });
}

/** Uploads a file with a long name, of which some lines would be rejected. */
async function checkedImport(world: ConsoleWorld, write: Write) {
  const { business_id } = world.demo;
  const lines = [
    "first_name,last_name,phone_number,tier",
    "Ana,López,+34600111999,",
    `Ben,Smith,${"x".repeat(200)},Gold`,
  ];
  const { import_id } = await write("/op/imports/upload", {
    file_name: `${"a-long-name-of-a-file-".repeat(11)}.csv`,
    part: 0,
    content: Buffer.from(lines.join("\n")).toString("base64"),
    last: true,
  });
  await write("/op/imports/preview", { import_id, kind: "members" });
  const isChecked = async () =>
    (await world.call<{ state: string }>("/op/imports/get", { business_id, import_id })).state === "checked";
  await vi.waitUntil(isChecked, { timeout: 60_000, interval: 100 });
  return { import_id: import_id as number };
}
