import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { lockBusiness } from "../../../database/access/businesses.ts";
import { closeSandbox, deleteBusiness } from "../../../database/engine/sandbox.ts";
import { lockLedger } from "../../../database/ledger/ledger.ts";
import { OverloadedError } from "../../../domain/fair-queue.ts";
import { retryWhileMoving } from "../../../domain/moving.ts";

export const deleteBusinessOperation = writeOperation({
  path: "/op/businesses/delete",
  role: "owner",
  sensitive: true,
  event: "business.deleted",
  summary: "Delete a sandbox business",
  description:
    "Deletes a sandbox business with its members, its ledger and its integrations, which are disabled first. You can't " +
    "undo this. The audit log keeps its entries. Only a sandbox can be deleted.",
  confirm: "This can't be undone.",
  rejects: ({ sandbox }) => (sandbox === true ? undefined : "not_a_sandbox"),
  message: "Business deleted.",
  input: { sandbox_business_id: fields.businessId },
  output: Type.Object({
    sandbox_business_id: fields.businessId,
    deleted: fields.flag("Always true.", true),
  }),
  errors: ["business_not_found", "not_a_sandbox"],
  // This is committed before the deletion waits for requests under way.
  prepare: ({ input, sql }) => closeSandbox(sql, input.sandbox_business_id),
  async write({ input: { sandbox_business_id }, tx, audit, reject }) {
    const ledger = await lockLedger(tx, sandbox_business_id);
    if ((ledger?.move_state ?? null) !== null) throw new OverloadedError(retryWhileMoving(Math.random()));
    const before = await lockBusiness(tx, sandbox_business_id);
    if (before === undefined) return reject("business_not_found");
    if (!before.sandbox) return reject("not_a_sandbox");
    await deleteBusiness(tx, sandbox_business_id);
    audit({ before, after: null, businessId: sandbox_business_id });
    return { sandbox_business_id, deleted: true };
  },
});
