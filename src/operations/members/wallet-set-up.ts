/** What the set-ups of all wallets do. */
import { fields } from "../../contract/declare.ts";
import type { Connection } from "../../database/connection.ts";
import { isEventsEnabled, setEventsEnabled } from "../../database/events.ts";
import { lockLedger } from "../../database/ledger/ledger.ts";
import { putWallet, type WalletIssuer, type WalletKind } from "../../database/wallets/issuers.ts";

export const eventsSwitchedOn = fields.flag("Whether this switched on the events of the business.", false);

/** For the description of a set-up. */
export const switchesEventsOn =
  "If the business does not record events yet, this switches them on, because passes follow them: see `events_switched_on`.";

interface SetUp<Shown> {
  readonly businessId: number;
  readonly kind: WalletKind;
  readonly issuer: WalletIssuer;
  readonly read: () => Promise<Shown>;
  readonly audit: (change: { readonly before: Shown; readonly after: Shown }) => void;
}

/** Stores a set-up. @returns what it is like afterwards */
export async function setUpWallet<Shown extends object>(
  tx: Connection,
  { businessId, kind, issuer, read, audit }: SetUp<Shown>,
) {
  // The ledger is locked before other rows.
  await lockLedger(tx, businessId);
  const isOn = await isEventsEnabled(tx, businessId);
  const before = await read();
  if (!isOn) await setEventsEnabled(tx, businessId, true);
  await putWallet(tx, businessId, kind, issuer);
  const after = await read();
  audit({ before, after });
  return { ...after, events_switched_on: !isOn };
}
