/** What can be done with a member. */
import { useState } from "react";
import { useLocation } from "wouter";
import type { DataOf } from "../../components.ts";
import { everyPart, Note, OperationButton, OperationMenu, Segments, useBusiness } from "../../components.ts";
import { download } from "../../files/download.ts";
import { decimalText, texts } from "../../texts/index.ts";
import type { OfMember } from "./overview.tsx";

/** The amount comes first, so that it has the focus. */
const corrections = {
  points: { path: "/op/members/adjust-points", first: ["points", "adjustment_type", "reason"] },
  wallet: { path: "/op/members/adjust-wallet", first: ["amount", "adjustment_type", "reason"] },
} as const;

/** Corrects the points or the wallet of a member, with the reason. */
export function CorrectBalance({ member }: OfMember) {
  const { money } = useBusiness();
  const [account, choose] = useState<keyof typeof corrections>("points");
  const t = texts.correction;
  const now = account === "points" ? member.points_balance : member.wallet_balance;
  const balance = (value: number) => (account === "points" ? decimalText(value, 0) : money(value));
  return (
    <OperationButton
      {...corrections[account]}
      {...{ label: t.title, submitLabel: t.submit, button: { variant: "filled" } }}
      explanation={
        <>
          <Segments fullWidth label={t.account} names={t.accounts} value={account} onChange={choose} />
          <Note
            {...{ my: "sm", children: [t.balanceNow(balance(now)), account === "points" && ` ${t.order}`] }}
          />
        </>
      }
    />
  );
}

export function MemberActions({ member }: OfMember) {
  const { business_id } = useBusiness();
  const [, navigate] = useLocation();
  const { contact_id, active, merged_into, tier_id } = member;
  const t = texts.memberActions;
  return (
    <OperationMenu
      label={t.more}
      actions={[
        active && { path: "/op/members/assign-tier", suggested: { tier_id } },
        active && "/op/vouchers/issue",
        active && { path: "/op/reward-points/redeem", first: ["voucher_id"] },
        active && { path: "/op/wallet/topup", first: ["benefit_id", "amount"] },
        active && "/op/wallet/pay",
        active && "/op/members/page-link",
        active && "/op/members/settle",
        { path: "/op/members/export", label: t.export, run: () => exportMember(business_id, contact_id) },
        !active && merged_into === null && "/op/members/activate",
        active && { path: "/op/members/merge", submitLabel: texts.merge.submit },
        active && "/op/members/deactivate",
        { path: "/op/members/erase", onDone: () => navigate("/members") },
      ]}
    />
  );
}

/** Gives the person all that the service stores about a member, as a file. */
async function exportMember(business_id: number, contact_id: number): Promise<void> {
  const pages: DataOf<"/op/members/export">[] = [];
  for await (const { data } of everyPart("/op/members/export", { business_id, contact_id })) pages.push(data);
  download(`member-${contact_id}.json`, "application/json", JSON.stringify(pages, null, 2));
}
