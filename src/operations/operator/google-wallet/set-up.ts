import { fields, Type, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { readGoogleKey } from "../../../credentials/google-keys.ts";
import { googleWallet, googleWalletInput, googleWalletKind } from "../../members/google-wallet.ts";
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
  async write(context) {
    const { input, services, caller, reject } = context;
    const { service_account_key, issuer_id: issuer, pass_logo_url: logo_url } = input;
    const key = readGoogleKey(service_account_key);
    if (typeof key === "string")
      return reject("validation_failed", { errors: [wrongValue("service_account_key", key)] });
    // Classes can't be deleted at Google, so those of another installation with this issuer need other names.
    const class_id = `${issuer}.${services.pageToken(`class of passes ${caller.businessId}`)}`;
    const [account, secret] = [key.client_email, { ...key, class_id }];
    const wallet = { issuer, account, subject: null, ends_at: null, logo_url, secret };
    return setUpWallet(context, googleWalletKind, wallet);
  },
});
