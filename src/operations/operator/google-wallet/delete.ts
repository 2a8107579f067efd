import { writeOperation } from "../../../contract/declare.ts";
import { googleWalletKind } from "../../members/google-wallet.ts";
import { deletesWallet } from "../../members/wallet-set-up.ts";

export const deleteGoogleWallet = writeOperation({
  path: "/op/google-wallet/delete",
  role: "manager",
  sensitive: true,
  event: "google_wallet.deleted",
  summary: "Stop passes for Google Wallet",
  message: "Set-up of passes deleted.",
  description:
    "Deletes the key of the service account, if there is one. Pages offer no passes for Google Wallet any more, and passes on phones " +
    "don't change any more.",
  ...deletesWallet(googleWalletKind),
});
