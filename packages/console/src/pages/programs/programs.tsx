/** The programs of the business: how many points a sale earns. */
import { Group } from "@mantine/core";
import { useBusiness } from "../../business.tsx";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";

export function ProgramsPage() {
  const { business_id } = useBusiness();
  const t = texts.programs;
  return (
    <>
      <PageTitle title={t.title} subtitle={t.explanation}>
        <OperationButton path="/op/programs/create" fixed={{ business_id }} label={t.create} />
      </PageTitle>
      <OperationTable
        path="/op/programs/list"
        request={{ business_id }}
        columns={[
          "membership_name",
          "earn_points",
          "earn_amount",
          "earn_minimum_amount",
          "maximum_points_per_order",
        ]}
        rowKey={({ program_id }) => program_id}
        actions={(program) => {
          const fixed = { business_id, program_id: program.program_id };
          const button = { size: "xs" };
          return (
            <Group gap="xs" justify="flex-end">
              <OperationButton
                path="/op/programs/update"
                {...{ fixed, button }}
                initial={program}
                label={texts.edit}
              />
              <OperationButton
                path="/op/programs/delete"
                {...{ fixed, button }}
                label={texts.remove}
                explanation={t.removeHelp(program.membership_name)}
              />
            </Group>
          );
        }}
        empty={t.empty}
      />
    </>
  );
}
