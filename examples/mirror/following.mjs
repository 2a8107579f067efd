/** Reads what no webhook has brought: balances at the beginning, and events after a gap. */
import { ConflictError } from "loyalty-sdk";

const membersAtOnce = 8;

/**
 * Brings a copy up to date.
 * @param {import("loyalty-sdk").LoyaltyClient} client
 * @param {import("./book.mjs").Book} book
 * @param {{ say: (line: string) => void, signal?: AbortSignal }} options the signal ends it between any two requests, or in one
 */
export async function catchUp(client, book, options) {
  const { say, signal } = options;
  if (book.next === undefined) await readBalances(client, book, options);
  for (;;) {
    try {
      const { events, next, last } = await client.events.list({ after: book.next }, { signal });
      for (const event of events) await book.add(event);
      await book.reach(next);
      if (next === last) return;
    } catch (error) {
      if (!(error instanceof ConflictError) || !error.is("events_expired")) throw error;
      say("Events were deleted before they were read. All balances are read anew.");
      await readBalances(client, book, options);
    }
  }
}

/**
 * Reads all balances. The number of the last event is read first: an event after it comes again, and does no harm.
 * @param {import("loyalty-sdk").LoyaltyClient} client
 * @param {import("./book.mjs").Book} book
 * @param {{ say: (line: string) => void, signal?: AbortSignal }} options
 */
async function readBalances(client, book, { say, signal }) {
  const { last, enabled } = await client.events.list({ limit: 1 }, { signal });
  if (!enabled) throw new Error("This business records no events. Ask the operator to switch them on.");
  /** @type {Set<number>} */
  const active = new Set();
  for await (const { contact_id } of client.members.list({}, { signal })) active.add(contact_id);
  /** @type {number[]} */
  const contactIds = [];
  for await (const { contact_id } of client.members.list({ include_inactive: true }, { signal }))
    contactIds.push(contact_id);
  /** @type {import("./book.mjs").Row[]} */
  const rows = [];
  const queue = contactIds.values();
  const read = async () => {
    for (const contact_id of queue) {
      const found = await client.members.balances({ contact_id }, { signal });
      // For a member that was merged, both responses are about the one that remains. It has nothing itself.
      const isMerged =
        !active.has(contact_id) &&
        (await client.members.get({ contact_id }, { signal })).contact_id !== contact_id;
      for (const account of /** @type {const} */ (["wallet", "points", "vouchers", "sales"])) {
        rows.push([contact_id, account, 0, isMerged ? 0 : found[account]]);
      }
    }
  };
  await Promise.all(Array.from({ length: membersAtOnce }, read));
  await book.begin(last, rows);
  say(`Read the balances of ${contactIds.length} members. Events follow after ${last}.`);
}
