/** The ledger of a member, newest first. Some entries can be reversed. */
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import type { OfMember } from "./overview.tsx";

export function Timeline({ member: { contact_id } }: OfMember) {
  const { business_id } = useBusiness();
  return (
    <OperationTable
      path="/op/transactions/list"
      request={{ business_id, contact_id }}
      columns={[
        "created_at",
        "event_type",
        "amount",
        "balance_after",
        "reference_id",
        "location_id",
        "reason",
      ]}
      rowKey={({ entry_no }) => entry_no}
      actions={({ entry_no, event_type, amount }) => (
        <Reverse entryNo={entry_no} eventType={event_type} isCredit={amount > 0} />
      )}
      empty={texts.timeline.empty}
    />
  );
}

interface ReverseProps {
  readonly entryNo: number;
  readonly eventType: string;
  readonly isCredit: boolean;
}

/** A redemption, a top-up and a payment have the number of their first entry. */
function Reverse({ entryNo, eventType, isCredit }: ReverseProps) {
  const { business_id } = useBusiness();
  const common = {
    label: texts.timeline.reverse,
    explanation: texts.timeline.reverseHelp,
    button: { size: "xs" },
  } as const;
  if (eventType === "reward_points_redeemed" && !isCredit) {
    return (
      <OperationButton
        path="/op/reward-points/reverse"
        fixed={{ business_id, redemption_id: entryNo }}
        {...common}
      />
    );
  }
  if ((eventType === "wallet_topup" && isCredit) || (eventType === "wallet_payment" && !isCredit)) {
    return (
      <OperationButton path="/op/wallet/reverse" fixed={{ business_id, movement_id: entryNo }} {...common} />
    );
  }
  return null;
}
