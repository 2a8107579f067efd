import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteWallet } from "../../../database/wallets/issuers.ts";
import { auditedGoogleWallet, readGoogleWallet } from "../../members/google-wallet.ts";

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
  confirm:
    "This can't be undone. Passes on phones stay as they are, and can't be updated any more, also after another set-up.",
  input: { business_id: fields.businessId },
  output: Type.Object({ deleted: fields.flag("Always true.", true) }),
  async write({ tx, services, caller: { businessId }, audit }) {
    const before = await readGoogleWallet(tx, businessId, services);
    await deleteWallet(tx, businessId, "google");
    audit({ before: auditedGoogleWallet(businessId, before), after: null });
    return { deleted: true };
  },
});
