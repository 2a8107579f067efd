/** What can be done with a member. */
import { Text } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { type DataOf, everyPart } from "../../api/index.ts";
import { writes } from "../../api/writes.ts";
import { useBusiness } from "../../business.tsx";
import { Details, Note, OperationButton, OperationMenu, Preview, Segments } from "../../components.ts";
import { download } from "../../files/download.ts";
import { decimalText, texts } from "../../texts/index.ts";
import type { Member, OfMember } from "./overview.tsx";

/** The amount comes first, so that it has the focus. */
const corrections = {
  points: { path: "/op/members/adjust-points", first: ["points", "adjustment_type", "reason"] },
  wallet: { path: "/op/members/adjust-wallet", first: ["amount", "adjustment_type", "reason"] },
} as const;

type Correction = Readonly<{ points?: number; amount?: number; adjustment_type?: string }>;

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
      title={t.titleOf(`${member.first_name} ${member.last_name}`)}
      explanation={
        <>
          <Segments fullWidth label={t.account} names={t.accounts} value={account} onChange={choose} />
          <Note my="sm">
            {t.balanceNow(balance(now))} {account === "points" && t.order}
          </Note>
        </>
      }
      fixed={{ contact_id: member.contact_id }}
      preview={(request) => {
        const { points, amount = points, adjustment_type } = request as Correction;
        const change = adjustment_type === "debit" ? -Number(amount) : Number(amount);
        return amount && <Text mt="md">{t.balanceAfter(balance(now + change))}</Text>;
      }}
    />
  );
}

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
        { path: "/op/reward-points/redeem", label: t.redeem, when, first: ["voucher_id"] },
        { path: "/op/wallet/topup", label: t.topUp, when, first: ["benefit_id", "amount"] },
        { path: "/op/members/settle", label: t.settle, when, explanation: t.settleHelp },
        { path: merge, label: t.merge, when, ...mergeForm(member) },
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
  const pages: DataOf<"/op/members/export">[] = [];
  for await (const { data } of everyPart("/op/members/export", { business_id, contact_id })) pages.push(data);
  download(`member-${contact_id}.json`, "application/json", JSON.stringify(pages, null, 2));
}

const merge = "/op/members/merge";
const fields = writes[merge].output.properties ?? {};

/** Merges another member into this one. It shows what both have together before anything is changed. */
const mergeForm = ({ first_name, last_name }: Member) => ({
  title: texts.merge.title,
  submitLabel: texts.merge.submit,
  explanation: texts.merge.explanation(`${first_name} ${last_name}`),
  preview: (request: object) => "from_contact_id" in request && <MergePreview request={request} />,
  canSubmit: (request: object) => "from_contact_id" in request,
});

function MergePreview({ request }: { readonly request: object }) {
  return (
    <Preview path={merge} request={{ ...request, dry_run: true } as never} title={texts.merge.preview}>
      {(both) => (
        <>
          <Details {...{ record: both, fields }} show={["balances", "merged"]} />
          <Text size="sm" mt="sm">
            {texts.merge.tier(both.tier.name ?? texts.member.noTier, both.tier.changed)}
          </Text>
        </>
      )}
    </Preview>
  );
}
