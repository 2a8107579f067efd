import { forOperators } from "../../for-operators.ts";
import { findMemberOperation } from "../../partner/members/find.ts";

export const findMemberForOperator = forOperators(findMemberOperation, {
  path: "/op/members/find",
  role: "viewer",
  summary: "Find a member by phone, e-mail or card",
  description:
    "Returns the member who has this phone number, e-mail address or external reference, such as the number of a card, " +
    "active or not. To search for a part of a name or number, use /op/members/list.",
});
