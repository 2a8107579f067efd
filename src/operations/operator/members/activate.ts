import { setsActive } from "../../members/members.ts";

export const activateMember = setsActive(true, {
  path: "/op/members/activate",
  role: "support",
  event: "member.activated",
  emits: "member.activated",
  summary: "Activate a member",
  message: "Member activated.",
  description: "Makes a member active: partners can adjust its balances again.",
});
