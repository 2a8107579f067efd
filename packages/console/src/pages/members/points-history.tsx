/** "Why these points?": the points by the sale that earned them, with their dates, and how the balance came about. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import { declarationOf } from "../../api/declarations.ts";
import { Section } from "../../shell/section.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { decimalText } from "../../texts/decimals.ts";
import { texts } from "../../texts/en.ts";
import { saleLink } from "../../values/sale-link.tsx";
import type { OfMember } from "./overview.tsx";

/** The kinds of entries that change points. */
const pointsEvents = (declarationOf("/op/transactions/list").input.event_types?.items?.enum ?? []).filter(
  (event) => event.startsWith("reward_points"),
) as never;

export function PointsHistory({ member: { contact_id } }: OfMember) {
  const t = texts.pointsHistory;
  return (
    <>
      <Section title={t.lots}>
        <OperationTable
          path="/op/reward-points/list"
          request={{ contact_id }}
          filters={["include_closed"]}
          perPage={10}
          columns={["origin", "earned_on", "points", "used", "left", "status", "matures_on", "valid_through"]}
          rowKey={(_lot, index) => index}
          cells={{
            origin: (lot) => {
              if (lot.sale_id !== null) return saleLink(lot);
              return lot.earned_on === null ? t.byHand : t.imported;
            },
            // Of points without a recorded sale only those that are left are known.
            points: ({ earned_on, points }) => (earned_on === null ? null : decimalText(points, 0)),
            used: ({ earned_on, used }) => (earned_on === null ? null : decimalText(used, 0)),
          }}
          empty={t.noLots}
        />
      </Section>
      <Section title={t.statement}>
        <OperationTable
          path="/op/transactions/list"
          request={{ contact_id, event_types: pointsEvents }}
          perPage={10}
          columns={["created_at", "event_type", "amount", "balance_after", "reference_id", "reason"]}
          cells={{ reference_id: saleLink }}
          empty={t.noEntries}
        />
      </Section>
      <Text size="sm" mt="md">
        {t.missing}{" "}
        <Anchor component={Link} href={`/sales?contact_id=${contact_id}`} inherit underline="always">
          {t.findReceipt}
        </Anchor>
      </Text>
    </>
  );
}
