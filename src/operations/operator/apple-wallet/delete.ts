import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteWallet } from "../../../database/wallets/issuers.ts";
import { auditedAppleWallet, readAppleWallet } from "../../members/apple-wallet.ts";

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
  confirm:
    "This can't be undone. Passes on phones stay as they are, and can't be updated any more, also after another set-up.",
  input: { business_id: fields.businessId },
  output: Type.Object({ deleted: fields.flag("Always true.", true) }),
  async write({ tx, services, caller: { businessId }, audit }) {
    const before = await readAppleWallet(tx, businessId, services);
    await deleteWallet(tx, businessId, "apple");
    audit({ before: auditedAppleWallet(businessId, before), after: null });
    return { deleted: true };
  },
});
