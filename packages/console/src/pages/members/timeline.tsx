/** The ledger of a member, newest first. Some entries can be reversed. */
import { OperationTable } from "../../tables/operation-table.tsx";
import type { RecordButton } from "../../tables/record-buttons.tsx";
import { texts } from "../../texts/en.ts";
import type { OfMember } from "./overview.tsx";

interface Entry {
  readonly entry_no: number;
  readonly event_type: string;
  readonly amount: number;
}

const reversal = {
  label: texts.timeline.reverse,
  explanation: () => texts.timeline.reverseHelp,
} as const;

/** A redemption, a top-up and a payment have the number of their first entry. */
const buttons: readonly RecordButton<Entry>[] = [
  {
    ...reversal,
    path: "/op/reward-points/reverse",
    isFor: ({ event_type, amount }) => event_type === "reward_points_redeemed" && amount < 0,
    fixed: ({ entry_no }) => ({ redemption_id: entry_no }),
  },
  {
    ...reversal,
    path: "/op/wallet/reverse",
    isFor: ({ event_type, amount }) =>
      (event_type === "wallet_topup" && amount > 0) || (event_type === "wallet_payment" && amount < 0),
    fixed: ({ entry_no }) => ({ movement_id: entry_no }),
  },
];

export function Timeline({ member: { contact_id } }: OfMember) {
  return (
    <OperationTable
      path="/op/transactions/list"
      request={{ contact_id }}
      filters={["event_types", "start_date", "end_date"]}
      columns={[
        ...["created_at", "event_type", "amount", "balance_after", "reference_id", "location_id"],
        "reason",
      ]}
      buttons={buttons}
      empty={texts.timeline.empty}
      noneFound={texts.transactions.noneFound}
    />
  );
}
