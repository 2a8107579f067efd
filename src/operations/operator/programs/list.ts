import { fields, listOperation } from "../../../contract/declare.ts";
import { programs } from "../../../database/catalog.ts";
import { program } from "../../catalog-fields.ts";

export const listProgramsOperation = listOperation({
  path: "/op/programs/list",
  summary: "List reward programs",
  description: "The reward programs of a business, in the order they were made.",
  message: "Reward programs listed.",
  input: { business_id: fields.businessId },
  output: program,
  list: ({ sql, caller, page }) => programs.page(sql, caller.businessId, page),
});
