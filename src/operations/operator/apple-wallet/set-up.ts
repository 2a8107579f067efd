import { fields, Type, writeOperation, wrongValue } from "../../../contract/declare.ts";
import { CertificateError, readPassCertificate } from "../../../credentials/pass-certificates.ts";
import { appleWallet, appleWalletInput, appleWalletKind } from "../../members/apple-wallet.ts";
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
      const errors = [wrongValue(error.field, error.message)];
      return reject("validation_failed", { errors });
    }
  },
  write(context) {
    const { pass_type: issuer, team: account } = context.input;
    const { certificate, key, intermediate, subject, endsAt } = context.prepared;
    const secret = { certificate, key, intermediate };
    const ends_at = endsAt.toISOString();
    return setUpWallet(context, appleWalletKind, {
      issuer,
      account,
      subject,
      ends_at,
      logo_url: null,
      secret,
    });
  },
});
