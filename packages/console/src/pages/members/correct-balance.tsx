/** Corrects the points or the wallet of a member, with the reason. */
import { Button, SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { declarationOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { Dialog } from "../../feedback/dialog.tsx";
import { notify } from "../../feedback/notices.tsx";
import { OperationForm } from "../../forms/operation-form.tsx";
import { useSession } from "../../session/session.tsx";
import { decimalText } from "../../texts/decimals.ts";
import { texts } from "../../texts/en.ts";
import { doneText } from "../../texts/labels.ts";
import type { OfMember } from "./overview.tsx";

/** The amount comes first, so that it has the focus. */
const corrections = {
  points: { path: "/op/members/adjust-points", show: ["points", "adjustment_type", "reason"] },
  wallet: { path: "/op/members/adjust-wallet", show: ["amount", "adjustment_type", "reason"] },
} as const;
const accounts = ["points", "wallet"] as const;

export function CorrectBalance({ member }: OfMember) {
  const { money } = useBusiness();
  const { may } = useSession();
  const [isOpen, setOpen] = useState(false);
  const [account, setAccount] = useState<(typeof accounts)[number]>("points");
  const { path, show } = corrections[account];
  const t = texts.correction;
  const balance = account === "points" ? decimalText(member.points_balance, 0) : money(member.wallet_balance);
  if (!may(path)) return null;
  const close = () => setOpen(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.title}</Button>
      {isOpen && (
        <Dialog title={t.title} onClose={close}>
          <SegmentedControl
            fullWidth
            aria-label={t.account}
            data={accounts.map((value) => ({ value, label: t[value] }))}
            value={account}
            onChange={setAccount}
          />
          <Text size="sm" c="dimmed" my="sm">
            {t.balanceNow(balance)}
          </Text>
          <OperationForm
            key={account}
            path={path}
            fixed={{ contact_id: member.contact_id }}
            show={show}
            submitLabel={t.submit}
            onCancel={close}
            onDone={() => {
              notify(doneText(path, declarationOf(path)));
              close();
            }}
          />
        </Dialog>
      )}
    </>
  );
}
