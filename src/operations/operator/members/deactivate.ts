import { setsActive } from "../../members.ts";

export const deactivateMember = setsActive(false, {
  path: "/op/members/deactivate",
  event: "member.deactivated",
  summary: "Deactivate a member",
  description: "Makes a member inactive: its balances stay, and partners can neither adjust nor update it.",
  message: "Member deactivated.",
});
