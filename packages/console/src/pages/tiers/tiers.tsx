/** The tiers of the business. */
import { Group } from "@mantine/core";
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";

export function TiersPage() {
  const { business_id } = useBusiness();
  const t = texts.tiers;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation}>
        <OperationButton path="/op/tiers/create" fixed={{ business_id }} label={t.create} />
      </PageTitle>
      <OperationTable
        path="/op/tiers/list"
        request={{ business_id }}
        columns={["name", "qualifying_sales", "expiry", "expiry_period", "program_id"]}
        rowKey={({ tier_id }) => tier_id}
        actions={(tier) => {
          const fixed = { business_id, tier_id: tier.tier_id };
          const button = { size: "xs" };
          return (
            <Group gap="xs" justify="flex-end">
              <OperationButton
                path="/op/tiers/update"
                {...{ fixed, button }}
                initial={tier}
                label={texts.edit}
              />
              <OperationButton
                path="/op/tiers/delete"
                {...{ fixed, button }}
                label={texts.remove}
                explanation={t.removeHelp(tier.name)}
              />
            </Group>
          );
        }}
        empty={t.empty}
      />
    </>
  );
}
