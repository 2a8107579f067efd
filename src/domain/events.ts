/** Events tell partners what happened to members and balances. Each operation that changes them declares the type of its event. */

/** The types of events, with what each means. */
export const eventMeanings = {
  "sale.recorded": "A sale was recorded.",
  "sale.refunded": "A sale was refunded, in whole or in part.",
  "sales.imported": "Past sales were imported. A large import has several events.",
  "wallet.topped_up": "A wallet was topped up.",
  "wallet.paid": "A wallet paid for something that is no sale.",
  "wallet.reversed": "A top-up or a payment was reversed.",
  "wallet.adjusted": "A wallet was credited or debited by hand.",
  "reward_points.matured": "Pending points can be spent now.",
  "reward_points.redeemed": "Points were spent without a sale.",
  "reward_points.restored": "Points that had been spent without a sale were given back.",
  "reward_points.adjusted": "Points were credited or debited by hand.",
  "reward_points.expiring":
    "Points will expire soon, of up to 100 members. There is one notice for each member and last day.",
  "reward_points.expired": "Points expired, of up to 100 members.",
  "voucher.issued": "A member got a voucher.",
  "voucher.redeemed": "A voucher was used without a sale.",
  "voucher.reversed": "A used voucher was given back.",
  "voucher.expiring": "Vouchers will lapse soon. There is one notice for each member and last day.",
  "voucher.lapsed":
    "The last day of a voucher has passed. Only a sale of an earlier day that is recorded late can still use it.",
  "stamp_card.stamped": "Stamps were added to a member's card, or taken off: by a sale, a refund or by hand.",
  "stamp_card.completed": "A member's stamp card was full, and gave vouchers.",
  "stamp_card.expiring": "Stamps will lapse soon. There is one notice for each member and last day.",
  "stamp_card.lapsed": "The last day of the stamps on a card has passed.",
  "occasion.granted": "A member got points or a voucher on an occasion, such as its birthday.",
  "referral.created": "A member was brought by another one.",
  "referral.qualified":
    "The first sale of a member who was brought reached the minimum. Both get something when its goods were kept.",
  "referral.granted": "Both members of a referral got what the business gives for it.",
  "referral.lapsed":
    "Too little was bought or kept of the first sale, or the two members were merged, so neither gets anything.",
  "member.created": "A member was created.",
  "member.updated": "The personal data of a member changed.",
  "member.activated": "A member was activated.",
  "member.deactivated": "A member was deactivated.",
  "member.merged": "A member was merged into another one.",
  "member.erased": "The personal data of a member was erased, and its balances were written off.",
  "members.imported":
    "Members were imported, with their opening balances. A large import has several events.",
  "vouchers.imported": "Vouchers that members hold were imported. A large import has several events.",
  "card.created": "A member got a card.",
  "card.replaced": "A card was replaced by another one, such as a lost one.",
  "card.blocked": "A card was blocked: it no longer finds its member.",
  "card.issued": "An anonymous card was issued, with money or without.",
  "wallet.lapsed": "The money of a gift card lapsed, because its last day was over.",
  "card.claimed": "An anonymous card became that of a member, with what was on it.",
  "tier.upgraded": "A member reached a higher tier, by sales, by a merge or by hand.",
  "tier.renewed": "A tier was renewed, because the member still qualifies for it.",
  "tier.downgraded": "A member got a lower tier, or lost its tier.",
  "tier.expiring":
    "Tiers will end soon, of up to 100 members. There is one notice for each member and last day.",
  "sandbox.clock_advanced": "The clock of a sandbox was advanced.",
  "webhook_endpoint.disabled":
    "A webhook endpoint was disabled, because it has failed for five days or its receiver responded with 410.",
  "events.enabled": "The events of the business were switched on. Changes before are in no event.",
} as const;

export type EventName = keyof typeof eventMeanings;
export const eventNames = Object.keys(eventMeanings) as EventName[];

const all = "*";
const groupOf = (name: string) => `${name.slice(0, name.indexOf("."))}.*`;

/** What a filter can name: a type, a group of types such as sale.*, or all of them. */
export const eventPatterns: readonly string[] = [
  ...new Set([all, ...eventNames.map(groupOf)]),
  ...eventNames,
];

/** The types that patterns name. */
export function namesOf(patterns: readonly string[]): EventName[] {
  return eventNames.filter((name) =>
    patterns.some((pattern) => pattern === all || pattern === name || pattern === groupOf(name)),
  );
}

/** A ledger entry in an event. */
export interface EventEntry {
  readonly entry_no: number;
  readonly contact_id: number;
  readonly event_type: string;
  readonly amount: number;
  readonly balance_after: number;
  /** RFC 3339, in UTC. */
  readonly created_at: string;
  readonly day?: string | undefined;
  readonly lot_id?: number | undefined;
}

/** An event before it has a number. It has no names, phone numbers or e-mail addresses, because events are never changed. */
export interface NewEvent {
  readonly business_id: number;
  readonly type: EventName;
  /** As PostgreSQL writes times; the business's time now when null. */
  readonly occurred_at: string | null;
  /** The members that it is about. */
  readonly contact_ids: readonly number[];
  readonly location_id: number | null;
  readonly data: object;
  readonly entries: readonly EventEntry[];
}

/** The most characters of the data of an event, so that none is larger than the 20 KB that webhooks recommend. */
const mostCharacters = 17_000;

/** A part of an event that has too many entries for one. */
interface EventPart {
  readonly contact_ids: readonly number[];
  /** JSON. */
  readonly data: string;
}

/** Divides an event by its entries. Each entry is in one part. @returns at least one part */
export function partsOfEvent({ contact_ids, data, entries }: NewEvent): EventPart[] {
  const contact_id = contact_ids.length === 1 ? contact_ids[0] : null;
  const head = JSON.stringify({ contact_id, ...data }).slice(0, -1);
  const texts = entries.map((entry) => JSON.stringify(entry));
  const parts: EventPart[] = [];
  let first = 0;
  let size = head.length;
  const finish = (next: number) => {
    const isWhole = first === 0 && next === entries.length;
    const ofPart = [...new Set(entries.slice(first, next).map((entry) => entry.contact_id))];
    parts.push({
      contact_ids: isWhole ? contact_ids : ofPart,
      data: `${head},"entries":[${texts.slice(first, next).join(",")}]}`,
    });
    first = next;
    size = head.length;
  };
  for (const [index, text] of texts.entries()) {
    if (index > first && size + text.length > mostCharacters) finish(index);
    size += text.length + 1;
  }
  finish(entries.length);
  return parts;
}

export interface RecordedEvent {
  readonly event_no: number;
  readonly type: string;
  /** RFC 3339, in UTC. */
  readonly timestamp: string;
  readonly data: { readonly contact_id: number | null; readonly cause_sale_id?: number | null };
}

/** Who gets an event. */
export interface EventReader {
  readonly business_id: number;
  readonly sandbox: boolean;
  /** Whether it gets the events of some locations only. */
  readonly isLimited: boolean;
}

/**
 * An event as partners get it: an item of a list, and the body of a webhook. A tier has no location, so its event does not name the
 * sale to a reader who may not see the sales of all locations.
 */
export function eventForPartners(
  { business_id, sandbox, isLimited }: EventReader,
  { event_no: sequence, type, timestamp, data: { contact_id, ...data } }: RecordedEvent,
) {
  const hidden = isLimited && "cause_sale_id" in data ? { cause_sale_id: null } : {};
  return { type, timestamp, data: { business_id, sandbox, contact_id, sequence, ...data, ...hidden } };
}

/** A time as PostgreSQL writes it in UTC, in the form of RFC 3339. */
export function inRfc3339(time: string): string {
  return time.replace(" ", "T").replace(/\+00(:00)?$/, "Z");
}

/** The most members in one event about expired points. */
export const mostMembersInEvent = 100;
