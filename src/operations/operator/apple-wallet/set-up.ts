import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { placeOfWallet } from "../../../credentials/keys.ts";
import { CertificateError, readPassCertificate } from "../../../credentials/pass-certificates.ts";
import { isEventsEnabled, setEventsEnabled } from "../../../database/events.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { putAppleWallet } from "../../../database/wallet-passes.ts";
import { appleWallet, appleWalletInput, auditedWallet, readAppleWallet } from "../../members/apple-wallet.ts";

export const setUpAppleWallet = writeOperation({
  path: "/op/apple-wallet/set-up",
  role: "manager",
  sensitive: true,
  event: "apple_wallet.set_up",
  summary: "Set up passes for Apple Wallet",
  message: "Passes for Apple Wallet set up.",
  description:
    "Stores the certificate that signs passes, encrypted. From then on, members' pages offer a pass, which shows the card, points, tier and " +
    "wallet, and follows their changes. If the business does not record events yet, they are switched on, because the passes follow them. " +
    "Send it again to renew the certificate. With another pass type, the passes on phones can't be updated any more.",
  input: { business_id: fields.businessId, ...appleWalletInput },
  output: Type.Object({
    ...appleWallet.properties,
    events_switched_on: fields.flag("Whether this switched on the events of the business.", false),
  }),
  errors: ["validation_failed"],
  async prepare({ input, services, reject }) {
    try {
      return await readPassCertificate(input, services.clock());
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      const errors = [fieldError(error.field, "not_allowed_value", error.message)];
      return reject("validation_failed", { errors });
    }
  },
  async write({ input: { pass_type, team }, tx, services, caller: { businessId }, audit, prepared }) {
    // The ledger is locked before other rows.
    await lockLedger(tx, businessId);
    const isOn = await isEventsEnabled(tx, businessId);
    const before = await readAppleWallet(tx, businessId, services);
    if (!isOn) await setEventsEnabled(tx, businessId, true);
    const { certificate, key, intermediate, subject, endsAt } = prepared;
    const sealed = services.seal(
      JSON.stringify({ certificate, key, intermediate }),
      placeOfWallet(businessId),
    );
    const made = { pass_type, team, subject, ends_at: endsAt.toISOString(), sealed };
    await putAppleWallet(tx, businessId, made);
    const after = await readAppleWallet(tx, businessId, services);
    audit({ before: auditedWallet(businessId, before), after: auditedWallet(businessId, after) });
    return { ...after, events_switched_on: !isOn };
  },
});
