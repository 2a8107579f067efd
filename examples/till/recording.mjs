/** Finds out what the service does not have yet, and records that. */
import { byMember } from "./agreement.mjs";
import { creditsOf, phonePrefix } from "./purchases.mjs";

/** @typedef {import("./api.mjs").Api} Api */
/** @typedef {import("./purchases.mjs").Customer} Customer */

/** Every kind of entry that moves a points balance. */
const pointsEvents = [
  "reward_points_adjustment",
  "reward_points_earned",
  "reward_points_redeemed",
  "reward_points_expired",
];

/**
 * @typedef {object} Missing
 * @property {number} members
 * @property {number} credits
 * @property {Customer[]} customers customers with missing purchases, and these purchases
 * @property {Map<string, number>} contactIds by phone number; grows as members are made
 */

/**
 * Asks the service what it has. The idempotency keys alone would keep a second run from writing anything twice,
 * but the service forgets keys after some weeks, while the ledger forgets nothing.
 * @param {Api} api
 * @param {Customer[]} customers
 * @returns {Promise<Missing>}
 */
export async function findMissing(api, customers) {
  const contactIds = await findMembers(api);
  const ledger = await readLedger(api);
  const recorded = new Set([...ledger.values()].flatMap(({ entries }) => entries.map(nameOf)));
  const todo = customers
    .map((customer) => {
      const contactId = contactIds.get(customer.phoneNumber);
      const purchases = creditsOf(customer).filter(
        ({ reference }) => !recorded.has(nameOf({ contact_id: contactId, reference_id: reference })),
      );
      return { ...customer, purchases };
    })
    .filter(({ phoneNumber, purchases }) => !contactIds.has(phoneNumber) || purchases.length > 0);
  return {
    members: todo.filter(({ phoneNumber }) => !contactIds.has(phoneNumber)).length,
    credits: todo.reduce((sum, { purchases }) => sum + purchases.length, 0),
    customers: todo,
    contactIds,
  };
}

/** @param {{ contact_id: number | undefined, reference_id: string }} entry */
function nameOf({ contact_id, reference_id }) {
  return `${contact_id} ${reference_id}`;
}

/** The members of tills, by phone number. @param {Api} api */
export async function findMembers(api) {
  /** @type {Map<string, number>} */
  const contactIds = new Map();
  // With the inactive ones: theirs is the phone number too, and no second member can have it.
  for await (const member of api.list("/sp/members/list", { search: phonePrefix, include_inactive: true })) {
    contactIds.set(member.phone_number, member.contact_id);
  }
  return contactIds;
}

/** What the business's ledger says of points. @param {Api} api */
export function readLedger(api) {
  return byMember(api.list("/sp/transactions/list", { event_types: pointsEvents }));
}

/**
 * Records what is missing: several customers at once, but the purchases of one in their order.
 * @param {Api} api
 * @param {Missing} missing
 * @param {number} atOnce
 * @param {() => void} onDone called after each request
 */
export async function recordAll(api, missing, atOnce, onDone) {
  const queue = missing.customers.values();
  let failed = false;
  const work = async () => {
    for (const customer of queue) {
      if (failed) return;
      try {
        await recordCustomer(api, customer, missing.contactIds, onDone);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

/**
 * @param {Api} api
 * @param {Customer} customer
 * @param {Map<string, number>} contactIds
 * @param {() => void} onDone
 */
async function recordCustomer(api, customer, contactIds, onDone) {
  const { id, phoneNumber, purchases } = customer;
  let contactId = contactIds.get(phoneNumber);
  if (contactId === undefined) {
    const { data } = await api.call("/sp/members/create", {
      idempotency_key: `till-member-${Number(id)}`,
      first_name: "Customer",
      last_name: String(Number(id)),
      phone_number: phoneNumber,
    });
    contactId = /** @type {number} */ (data.contact_id);
    contactIds.set(phoneNumber, contactId);
    onDone();
  }
  for (const { reference, points, reason } of purchases) {
    await api.call("/sp/reward-points/adjust", {
      idempotency_key: reference,
      contact_id: contactId,
      points,
      adjustment_type: "credit",
      reason,
      reference_id: reference,
    });
    onDone();
  }
}
