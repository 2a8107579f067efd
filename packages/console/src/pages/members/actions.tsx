/** What can be done with a member besides correcting a balance. */
import { useLocation } from "wouter";
import type { WritePath } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { type OperationButtonProps, OperationDialog } from "../../forms/operation-dialog.tsx";
import { type MenuAction, OperationMenu } from "../../forms/operation-menu.tsx";
import { texts } from "../../texts/en.ts";
import { exportMember } from "./export.ts";
import { MergeDialog } from "./merge.tsx";
import type { Member, OfMember } from "./overview.tsx";

/** An item that opens the form of a write. */
function formAction<P extends WritePath>(
  path: P,
  label: string,
  props: Omit<OperationButtonProps<P>, "path" | "label">,
  isDangerous = false,
): MenuAction {
  const dialog = (close: () => void) => (
    <OperationDialog {...props} path={path} label={label} onClose={close} />
  );
  return { path, label, isDangerous, dialog };
}

export function MemberActions({ member }: OfMember) {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const { contact_id, active, merged_into } = member;
  const t = texts.memberActions;
  const fixed = { business_id, contact_id };
  const ofActive = active ? actionsOfActive(member, business_id) : [];
  const others: MenuAction[] = [
    ...ofActive,
    { path: "/op/members/export", label: t.export, run: () => exportMember(business_id, contact_id) },
    ...(active || merged_into !== null ? [] : [formAction("/op/members/activate", t.activate, { fixed })]),
    ...(active ? [formAction("/op/members/deactivate", t.deactivate, { fixed }, true)] : []),
    formAction(
      "/op/members/erase",
      t.erase,
      { fixed, explanation: t.eraseHelp, onDone: () => navigate(`/${business_id}/members`) },
      true,
    ),
  ];
  return <OperationMenu label={t.more} actions={others} />;
}

function actionsOfActive(member: Member, business_id: number): MenuAction[] {
  const { contact_id, tier_id } = member;
  const fixed = { business_id, contact_id };
  const t = texts.memberActions;
  return [
    formAction("/op/members/assign-tier", t.assignTier, { fixed, suggested: { tier_id } }),
    formAction("/op/vouchers/issue", t.issueVoucher, { fixed }),
    formAction("/op/reward-points/redeem", t.redeem, {
      fixed,
      show: ["points", "location_id", "reference_id", "reason"],
    }),
    formAction("/op/wallet/topup", t.topUp, {
      fixed,
      show: ["amount", "location_id", "reference_id", "reason"],
    }),
    formAction("/op/members/settle", t.settle, { fixed, explanation: t.settleHelp }),
    {
      path: "/op/members/merge",
      label: t.merge,
      dialog: (close) => <MergeDialog member={member} onClose={close} />,
    },
  ];
}
