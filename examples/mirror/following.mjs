/** Reads what no webhook has brought: balances at the beginning, and events after a gap. */
import { ConflictError } from "loyalty-sdk";

const membersAtOnce = 8;

/**
 * Brings a copy up to date.
 * @param {import("loyalty-sdk").LoyaltyClient} client
 * @param {import("./book.mjs").Book} book
 * @param {(line: string) => void} say
 */
export async function catchUp(client, book, say) {
  if (book.next === undefined) await readBalances(client, book, say);
  for (;;) {
    try {
      const { events, next, last } = await client.events.list({ after: book.next });
      for (const event of events) await book.add(event);
      await book.reach(next);
      if (next === last) return;
    } catch (error) {
      if (!(error instanceof ConflictError) || !error.is("events_expired")) throw error;
      say("Events were deleted before they were read. All balances are read anew.");
      await readBalances(client, book, say);
    }
  }
}

/**
 * Reads all balances. The number of the last event is read first: an event after it comes again, and does no harm.
 * @param {import("loyalty-sdk").LoyaltyClient} client
 * @param {import("./book.mjs").Book} book
 * @param {(line: string) => void} say
 */
async function readBalances(client, book, say) {
  const { last, enabled } = await client.events.list({ limit: 1 });
  if (!enabled) throw new Error("This business records no events. Ask the operator to switch them on.");
  /** @type {Set<number>} */
  const active = new Set();
  for await (const { contact_id } of client.members.list({})) active.add(contact_id);
  /** @type {number[]} */
  const contactIds = [];
  for await (const { contact_id } of client.members.list({ include_inactive: true }))
    contactIds.push(contact_id);
  /** @type {import("./book.mjs").Row[]} */
  const rows = [];
  const queue = contactIds.values();
  const read = async () => {
    for (const contact_id of queue) {
      const found = await client.members.balances({ contact_id });
      // For a member that was merged, both responses are about the one that remains. It has nothing itself.
      const isMerged =
        !active.has(contact_id) && (await client.members.get({ contact_id })).contact_id !== contact_id;
      for (const account of /** @type {const} */ (["wallet", "points", "vouchers", "sales"])) {
        rows.push([contact_id, account, 0, isMerged ? 0 : found[account]]);
      }
    }
  };
  await Promise.all(Array.from({ length: membersAtOnce }, read));
  await book.begin(last, rows);
  say(`Read the balances of ${contactIds.length} members. Events follow after ${last}.`);
}
