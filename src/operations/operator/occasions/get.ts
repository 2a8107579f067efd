import { fields, readOperation } from "../../../contract/declare.ts";
import { occasions } from "../../../database/occasions.ts";
import { occasion } from "../../occasions.ts";
import { pick } from "../../records.ts";

export const getOccasion = readOperation({
  path: "/op/occasions/get",
  role: "viewer",
  summary: "Get an occasion",
  message: "Occasion found.",
  description: "Returns one occasion, also one that has ended.",
  input: { business_id: fields.businessId, occasion_id: fields.occasionId },
  output: occasion,
  errors: ["occasion_not_found"],
  async read({ services: { lookUps }, caller: { businessId }, input, reject }) {
    const found = await occasions.find(lookUps, businessId, input.occasion_id);
    return found === undefined ? reject("occasion_not_found") : pick(found, occasion);
  },
});
