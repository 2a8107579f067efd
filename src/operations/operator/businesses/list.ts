import { listOperation } from "../../../contract/declare.ts";
import { listBusinesses } from "../../../database/access/businesses.ts";
import { business } from "../../access/businesses.ts";

export const listBusinessesOperation = listOperation({
  path: "/op/businesses/list",
  role: "viewer",
  summary: "List businesses",
  message: "Businesses listed.",
  description: "Lists the businesses of the service that you may use, newest first.",
  columns: ["business_id", "name", "currency", "country", "time_zone", "sandbox"],
  input: {},
  output: business,
  list: ({ sql, caller, page }) => listBusinesses(sql, caller.operator?.business_ids ?? null, page),
});
