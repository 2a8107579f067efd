import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { placeOfWallet } from "../../../credentials/keys.ts";
import { CertificateError, readPassCertificate } from "../../../credentials/pass-certificates.ts";
import {
  appleWallet,
  appleWalletInput,
  auditedAppleWallet,
  readAppleWallet,
} from "../../members/apple-wallet.ts";
import { eventsSwitchedOn, setUpWallet, switchesEventsOn } from "../../members/wallet-set-up.ts";

export const setUpAppleWallet = writeOperation({
  path: "/op/apple-wallet/set-up",
  role: "manager",
  sensitive: true,
  event: "apple_wallet.set_up",
  summary: "Set up passes for Apple Wallet",
  message: "Passes for Apple Wallet set up.",
  description:
    "Stores the certificate that signs passes, encrypted. From then on, members' pages offer a pass, which shows the card, points, tier and " +
    `wallet, and follows their changes. ${switchesEventsOn} ` +
    "Send it again to renew the certificate. With another pass type, the passes on phones can't be updated any more.",
  input: { business_id: fields.businessId, ...appleWalletInput },
  output: Type.Object({
    ...appleWallet.properties,
    events_switched_on: eventsSwitchedOn,
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
    const { certificate, key, intermediate, subject, endsAt } = prepared;
    const sealed = services.seal(
      JSON.stringify({ certificate, key, intermediate }),
      placeOfWallet(businessId, "apple"),
    );
    const ends_at = endsAt.toISOString();
    return setUpWallet(tx, {
      ...{ businessId, kind: "apple" },
      issuer: { issuer: pass_type, account: team, subject, ends_at, logo_url: null, sealed },
      read: () => readAppleWallet(tx, businessId, services),
      audit: ({ before, after }) =>
        audit({
          before: auditedAppleWallet(businessId, before),
          after: auditedAppleWallet(businessId, after),
        }),
    });
  },
});
