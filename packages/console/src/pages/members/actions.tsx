/** What can be done with a member besides correcting a balance. */
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { useBusiness } from "../../business.tsx";
import { download } from "../../files/download.ts";
import { OperationMenu } from "../../forms/operation-menu.tsx";
import { texts } from "../../texts/en.ts";
import { mergeForm } from "./merge.tsx";
import type { OfMember } from "./overview.tsx";

const rest = ["location_id", "reference_id", "reason"];

export function MemberActions({ member }: OfMember) {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const { contact_id, active: when, merged_into, tier_id } = member;
  const t = texts.memberActions;
  return (
    <OperationMenu
      label={t.more}
      fixed={{ contact_id }}
      actions={[
        { path: "/op/members/assign-tier", label: t.assignTier, when, suggested: { tier_id } },
        { path: "/op/vouchers/issue", label: t.issueVoucher, when },
        { path: "/op/reward-points/redeem", label: t.redeem, when, show: ["points", ...rest] },
        { path: "/op/wallet/topup", label: t.topUp, when, show: ["amount", ...rest] },
        { path: "/op/members/settle", label: t.settle, when, explanation: t.settleHelp },
        { path: "/op/members/merge", label: t.merge, when, ...mergeForm(member) },
        { path: "/op/members/export", label: t.export, run: () => exportMember(business_id, contact_id) },
        { path: "/op/members/activate", label: t.activate, when: !when && merged_into === null },
        { path: "/op/members/deactivate", label: t.deactivate, when, isDangerous: true },
        {
          ...{ path: "/op/members/erase", label: t.erase, explanation: t.eraseHelp, isDangerous: true },
          onDone: () => navigate("/members"),
        },
      ]}
    />
  );
}

/** Gives the person all that the service stores about a member, as a file. */
async function exportMember(business_id: number, contact_id: number): Promise<void> {
  const request = { business_id, contact_id };
  let { data } = await call("/op/members/export", request);
  const pages = [data];
  while (data.next_after_entry_no !== null) {
    const next = { ...request, after_entry_no: data.next_after_entry_no };
    ({ data } = await call("/op/members/export", next));
    pages.push(data);
  }
  download(`member-${contact_id}.json`, "application/json", JSON.stringify(pages, null, 2));
}
