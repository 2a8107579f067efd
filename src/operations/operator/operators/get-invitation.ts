import { sessionOperation, Type } from "../../../contract/declare.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { findInvited } from "../../../database/access/operators.ts";
import { invitationToken, operatorName } from "../../access/operators.ts";

export const getInvitation = sessionOperation({
  path: "/op/operators/get-invitation",
  summary: "Show whose invitation it is",
  description:
    "Returns the name of the account whose password the token of an invitation sets, so that the person knows the name to sign in " +
    "with. The invitation stays valid.",
  message: "The invitation is valid.",
  input: { token: invitationToken },
  output: Type.Object({ name: operatorName }),
  errors: ["invitation_not_valid"],
  async change({ input, services, reject }) {
    const operator = await findInvited(services.lookUps, hashSecret(input.token));
    return operator === undefined ? reject("invitation_not_valid") : { data: { name: operator.name } };
  },
});
