/** The programs of the business: how many points a sale earns. */
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";

export function ProgramsPage() {
  const t = texts.programs;
  return (
    <ListPage
      words={t}
      path="/op/programs/list"
      create="/op/programs/create"
      columns={[
        ...["membership_name", "earn_points", "earn_amount", "earn_minimum_amount"],
        "maximum_points_per_order",
      ]}
      buttons={[
        { path: "/op/programs/update", label: texts.edit, edits: true },
        {
          path: "/op/programs/delete",
          label: texts.remove,
          explanation: ({ membership_name }) => t.removeHelp(membership_name),
        },
      ]}
    />
  );
}
