import { fieldError, fields, Type, writeOperation } from "../../../contract/declare.ts";
import { readGoogleKey } from "../../../credentials/google-keys.ts";
import { placeOfWallet } from "../../../credentials/keys.ts";
import {
  auditedGoogleWallet,
  googleWallet,
  googleWalletInput,
  readGoogleWallet,
} from "../../members/google-wallet.ts";
import { eventsSwitchedOn, setUpWallet, switchesEventsOn } from "../../members/wallet-set-up.ts";

export const setUpGoogleWallet = writeOperation({
  path: "/op/google-wallet/set-up",
  role: "manager",
  sensitive: true,
  event: "google_wallet.set_up",
  summary: "Set up passes for Google Wallet",
  message: "Passes for Google Wallet set up.",
  description:
    "Stores the key of a service account, encrypted, and sends Google what all passes show: the name, the color and the logo. Google answers " +
    "after the response: `/op/google-wallet/get` says whether it accepts the key, the issuer and the logo. Then members' pages offer a pass, which " +
    `follows their changes. ${switchesEventsOn} Send it again to renew the key. With another issuer, the passes on phones can't be updated any more.`,
  input: { business_id: fields.businessId, ...googleWalletInput },
  output: Type.Object({ ...googleWallet.properties, events_switched_on: eventsSwitchedOn }),
  errors: ["validation_failed"],
  async write({ input, tx, services, caller: { businessId }, audit, reject }) {
    const { service_account_key, issuer_id, pass_logo_url: logo_url } = input;
    const key = readGoogleKey(service_account_key);
    if (typeof key === "string")
      return reject("validation_failed", {
        errors: [fieldError("service_account_key", "not_allowed_value", key)],
      });
    // Classes can't be deleted at Google, so those of another installation with this issuer need other names.
    const class_id = `${issuer_id}.${services.pageToken(`class of passes ${businessId}`)}`;
    const sealed = services.seal(JSON.stringify({ ...key, class_id }), placeOfWallet(businessId, "google"));
    const account = key.client_email;
    return setUpWallet(tx, {
      ...{ businessId, kind: "google" },
      issuer: { issuer: issuer_id, account, subject: null, ends_at: null, logo_url, sealed },
      read: () => readGoogleWallet(tx, businessId, services),
      audit: ({ before, after }) =>
        audit({
          before: auditedGoogleWallet(businessId, before),
          after: auditedGoogleWallet(businessId, after),
        }),
    });
  },
});
