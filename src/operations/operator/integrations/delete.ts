import { fields, Type, writeOperation } from "../../../contract/declare.ts";
import { deleteIntegration, lockIntegration } from "../../../database/access/integrations.ts";
import { deleteRequests } from "../../../database/requests.ts";

export const deleteIntegrationOperation = writeOperation({
  path: "/op/integrations/delete",
  role: "manager",
  sensitive: true,
  event: "integration.deleted",
  summary: "Delete an integration",
  message: "Integration deleted.",
  description:
    "Deletes an integration and its secrets. Within five seconds, its tokens are rejected. Records that it wrote stay.",
  confirm: "This can't be undone.",
  input: { business_id: fields.businessId, integration_id: fields.integrationId },
  output: Type.Object({
    integration_id: fields.integrationId,
    deleted: fields.flag("Always true.", true),
  }),
  errors: ["integration_not_found"],
  async write({ input: { integration_id }, tx, caller, audit, reject }) {
    const before = await lockIntegration(tx, caller, integration_id);
    if (before === undefined) return reject("integration_not_found");
    await deleteIntegration(tx, caller.businessId, integration_id);
    await deleteRequests(tx, caller.businessId, integration_id);
    audit({ before, after: null });
    return { integration_id, deleted: true };
  },
});
