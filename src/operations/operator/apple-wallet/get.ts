import { fields, readOperation } from "../../../contract/declare.ts";
import { appleWallet, readAppleWallet } from "../../members/apple-wallet.ts";

export const getAppleWallet = readOperation({
  path: "/op/apple-wallet/get",
  role: "viewer",
  summary: "Get the set-up of passes for Apple Wallet",
  message: "Set-up of passes found.",
  description:
    "Returns with which certificate passes are signed, when it ends, and how many passes there are.",
  input: { business_id: fields.businessId },
  output: appleWallet,
  read: ({ sql, services, caller }) => readAppleWallet(sql, caller.businessId, services),
});
