/** "Why these points?": the points by the sale that earned them, with their dates, and how the balance came about. */
import { Anchor, Checkbox, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { declarationOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { Words } from "../../values/value.tsx";
import type { OfMember } from "./overview.tsx";

/** The kinds of entries that change points. */
const pointsEvents = (declarationOf("/op/transactions/list").input.event_types?.items?.enum ?? []).filter(
  (event) => event.startsWith("reward_points"),
) as never;

export function PointsHistory({ member: { contact_id } }: OfMember) {
  const { business_id } = useBusiness();
  const [include_closed, setInclude] = useState(false);
  const t = texts.pointsHistory;
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t.lots}
        </Title>
        <Checkbox
          label={t.includeClosed}
          checked={include_closed}
          onChange={(event) => setInclude(event.currentTarget.checked)}
        />
      </Group>
      <OperationTable
        path="/op/reward-points/list"
        request={{ business_id, contact_id, include_closed }}
        perPage={10}
        columns={["origin", "earned_on", "points", "used", "left", "status", "matures_on", "valid_through"]}
        rowKey={(_lot, index) => index}
        cells={{
          origin: ({ sale_id, reference_id }) =>
            sale_id === null ? (
              t.byHand
            ) : (
              <Anchor component={Link} href={`/${business_id}/sales/${sale_id}`} inherit>
                <Words>{reference_id ?? String(sale_id)}</Words>
              </Anchor>
            ),
        }}
        empty={t.noLots}
      />
      <Title order={2} size="h4" mt="xl">
        {t.statement}
      </Title>
      <OperationTable
        path="/op/transactions/list"
        request={{ business_id, contact_id, event_types: pointsEvents }}
        perPage={10}
        columns={["created_at", "event_type", "amount", "balance_after", "reference_id", "reason"]}
        rowKey={({ entry_no }) => entry_no}
        empty={t.noEntries}
      />
      <Text size="sm" mt="md">
        {t.missing}{" "}
        <Anchor component={Link} href={`/${business_id}/sales`} inherit underline="always">
          {t.findReceipt}
        </Anchor>
      </Text>
    </>
  );
}
