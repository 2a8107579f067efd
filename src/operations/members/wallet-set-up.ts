/** What the operations on passes for all wallets do. */
import { fields, Type } from "../../contract/declare.ts";
import type { WriteOperation } from "../../contract/operation.ts";
import type { Services } from "../../contract/services.ts";
import { placeOfWallet } from "../../credentials/keys.ts";
import type { Connection } from "../../database/connection.ts";
import { isEventsEnabled, setEventsEnabled } from "../../database/events.ts";
import { lockLedger } from "../../database/ledger/ledger.ts";
import {
  deleteWallet,
  putWallet,
  type WalletIssuer,
  type WalletKind,
} from "../../database/wallets/issuers.ts";

export const eventsSwitchedOn = fields.flag("Whether this switched on the events of the business.", false);

/** For the description of a set-up. */
export const switchesEventsOn =
  "If the business does not record events yet, this switches them on, because passes follow them: see `events_switched_on`.";

/** A kind of wallet. `Shown` is what operators see of its set-up. */
interface Wallet<Shown> {
  readonly kind: WalletKind;
  readonly read: (sql: Connection, businessId: number, services: Services) => Promise<Shown>;
  /** The fields that are written to the audit log. */
  readonly audited: readonly (keyof Shown)[];
}

type Writing = Pick<Parameters<WriteOperation["write"]>[0], "tx" | "services" | "caller" | "audit">;

const auditedOf = <Shown>({ audited }: Wallet<Shown>, business_id: number, shown: Shown) => ({
  business_id,
  ...Object.fromEntries(audited.map((field) => [field, shown[field]])),
});

/** Stores a set-up. @param secret is encrypted @returns what it is like afterwards */
export async function setUpWallet<Shown extends object>(
  { tx, services, caller: { businessId }, audit }: Writing,
  wallet: Wallet<Shown>,
  { secret, ...issuer }: Omit<WalletIssuer, "sealed"> & { readonly secret: object },
) {
  const sealed = services.seal(JSON.stringify(secret), placeOfWallet(businessId, wallet.kind));
  // The ledger is locked before other rows.
  await lockLedger(tx, businessId);
  const isOn = await isEventsEnabled(tx, businessId);
  const before = await wallet.read(tx, businessId, services);
  if (!isOn) await setEventsEnabled(tx, businessId, true);
  await putWallet(tx, businessId, wallet.kind, { ...issuer, sealed });
  const after = await wallet.read(tx, businessId, services);
  audit({ before: auditedOf(wallet, businessId, before), after: auditedOf(wallet, businessId, after) });
  return { ...after, events_switched_on: !isOn };
}

/** The parts of the operation that deletes a set-up. */
export const deletesWallet = <Shown>(wallet: Wallet<Shown>) => ({
  confirm:
    "This can't be undone. Passes on phones stay as they are, and can't be updated any more, also after another set-up.",
  input: { business_id: fields.businessId },
  output: Type.Object({ deleted: fields.flag("Always true.", true) }),
  async write({ tx, services, caller: { businessId }, audit }: Writing) {
    const before = await wallet.read(tx, businessId, services);
    await deleteWallet(tx, businessId, wallet.kind);
    audit({ before: auditedOf(wallet, businessId, before), after: null });
    return { deleted: true };
  },
});
