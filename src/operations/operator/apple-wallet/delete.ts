import { writeOperation } from "../../../contract/declare.ts";
import { appleWalletKind } from "../../members/apple-wallet.ts";
import { deletesWallet } from "../../members/wallet-set-up.ts";

export const deleteAppleWallet = writeOperation({
  path: "/op/apple-wallet/delete",
  role: "manager",
  sensitive: true,
  event: "apple_wallet.deleted",
  summary: "Stop passes for Apple Wallet",
  message: "Set-up of passes deleted.",
  description:
    "Deletes the certificate, if there is one, and the registrations of phones. Pages offer no passes any more, and passes on phones don't " +
    "change any more.",
  ...deletesWallet(appleWalletKind),
});
