import { sessionOperation } from "../../../contract/declare.ts";
import { hashSecret } from "../../../credentials/keys.ts";
import { acceptInvitation, findInvited } from "../../../database/access/operators.ts";
import { currentSession, invitationToken, openSession, password } from "../../access/operators.ts";
import { checkPassword } from "../../members/members.ts";

export const acceptInvitationOperation = sessionOperation({
  path: "/op/operators/accept",
  summary: "Accept an invitation",
  description:
    "Sets the password of an account with the token of its invitation, which is valid once, and signs its person in.",
  message: "Password set.",
  input: { token: invitationToken, password },
  output: currentSession,
  errors: ["invitation_not_valid", "validation_failed"],
  check: ({ password }) => checkPassword("password", password, []),
  async change({ input, sql, services, session, address, reject }) {
    const invitation = hashSecret(input.token);
    const operator = await findInvited(services.lookUps, invitation);
    if (operator === undefined) return reject("invitation_not_valid");
    const errors = checkPassword("password", input.password, [operator.name], "the name of the account");
    if (errors.length > 0) return reject("validation_failed", { errors });
    const hash = await services.passwords.hash("operators", input.password);
    return sql.begin(async (tx) => {
      if (!(await acceptInvitation(tx, invitation, hash))) return reject("invitation_not_valid");
      const opened = await openSession(tx, operator.operator_id, session, address);
      return { ...opened, operator, event: "operator_account.accepted" };
    });
  },
});
