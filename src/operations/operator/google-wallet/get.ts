import { fields, readOperation } from "../../../contract/declare.ts";
import { googleWallet, readGoogleWallet } from "../../members/google-wallet.ts";

export const getGoogleWallet = readOperation({
  path: "/op/google-wallet/get",
  role: "viewer",
  summary: "Get the set-up of passes for Google Wallet",
  message: "Set-up of passes found.",
  description:
    "Returns with which account passes are sent to Google, whether Google accepts them, and how many passes there are.",
  input: { business_id: fields.businessId },
  output: googleWallet,
  read: ({ sql, services, caller }) => readGoogleWallet(sql, caller.businessId, services),
});
