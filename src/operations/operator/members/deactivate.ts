import { setsActive } from "../../members/members.ts";

export const deactivateMember = setsActive(false, {
  path: "/op/members/deactivate",
  role: "support",
  event: "member.deactivated",
  emits: "member.deactivated",
  summary: "Deactivate a member",
  message: "Member deactivated.",
  description:
    "Makes a member inactive. Its balances stay, but partners can't adjust them. They can still update the member.",
  confirm: "The member gets and uses no points, money or vouchers until you activate it again.",
});
