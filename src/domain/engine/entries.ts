/** The entries that decisions add to the ledger. */
import type { EntryDraft } from "../decision.ts";
import type { EventType } from "../ledger.ts";
import type { Sale } from "../records.ts";

/** An entry; none when the amount is 0. @param sale for the sales account, the sale that it is about */
export function entryOf(
  event_type: EventType,
  amount: number,
  sale?: Pick<Sale, "sold_on" | "location_id">,
): EntryDraft[] {
  if (amount === 0) return [];
  return [{ event_type, amount, sold: sale && soldIn(sale, amount) }];
}

/** The part of an entry of the sales account that belongs to the day and the location of its sale: all of it. */
export function soldIn(
  { sold_on, location_id = 0 }: { readonly sold_on: string; readonly location_id?: number | undefined },
  net: number,
) {
  return [{ day: sold_on, location_id, net, sales: 0 }];
}
