/** The ledger of a member, newest first. An entry leads to its sale, whose refund takes it back; some others can be reversed. */
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { saleLink } from "../../values/sale-link.tsx";
import type { OfMember } from "./overview.tsx";

const reversal = { label: texts.timeline.reverse, explanation: () => texts.timeline.reverseHelp } as const;

export function Timeline({ member: { contact_id, wallet_balance } }: OfMember) {
  return (
    <OperationTable
      path="/op/transactions/list"
      request={{ contact_id }}
      filters={["event_types", "start_date", "end_date"]}
      columns={[
        ...["created_at", "event_type", "amount", "balance_after", "reference_id", "location_id"],
        "reason",
      ]}
      cells={{ reference_id: saleLink }}
      buttons={[
        {
          ...{ ...reversal, path: "/op/reward-points/reverse" },
          isFor: (entry) => entry.reversal === "reward_points",
          fixed: ({ entry_no }) => ({ redemption_id: entry_no }),
        },
        {
          ...{ ...reversal, path: "/op/wallet/reverse" },
          isFor: (entry) => entry.reversal === "wallet",
          // A top-up is taken back as a whole.
          obstacle: ({ amount }) => amount > wallet_balance && texts.timeline.spent,
          fixed: ({ entry_no }) => ({ movement_id: entry_no }),
        },
      ]}
      empty={texts.timeline.empty}
      noneFound={texts.transactions.noneFound}
    />
  );
}
