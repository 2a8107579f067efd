/** The programs of the business: how many points a sale earns. */
import { useAll, useRead } from "../../api/queries.ts";
import { ListPage } from "../../tables/list-page.tsx";
import { texts } from "../../texts/en.ts";
import { usePreview } from "../rules/preview.tsx";

const earning = ["membership_name", "earn_points", "earn_amount", "earn_minimum_amount"];

export function ProgramsPage() {
  const t = texts.programs;
  const change = usePreview("/op/programs/update");
  return (
    <ListPage
      words={t}
      path="/op/programs/list"
      create="/op/programs/create"
      creation={usePreview("/op/programs/create", t.previewNew)}
      columns={[...earning, "maximum_points_per_order"]}
      buttons={[
        {
          ...{ path: "/op/programs/update", label: texts.edit, edits: true, ...change },
          explanation: ({ program_id }) => <ProgramUse programId={program_id} />,
        },
        {
          path: "/op/programs/delete",
          label: texts.remove,
          explanation: ({ program_id, membership_name }) => (
            <>
              {t.removeHelp(membership_name)} <ProgramUse programId={program_id} isRemoved />
            </>
          ),
        },
      ]}
    />
  );
}

type ProgramUseProps = Readonly<{ programId: number; isRemoved?: boolean }>;

/** Whose sales earn by a program. */
function ProgramUse({ programId, isRemoved = false }: ProgramUseProps) {
  const rules = useRead("/op/reward-settings/rules/get", {}).data?.data;
  const tiers = useAll("/op/tiers/list", { count_members: true }).data?.data;
  if (rules === undefined || tiers === undefined) return null;
  const t = texts.programs;
  const isUsual = rules.default_program_id === programId;
  const own = tiers.filter(({ program_id }) => program_id === programId);
  const members = own.reduce((sum, tier) => sum + (tier.members ?? 0), 0);
  const words = [
    isUsual && t.usual,
    isUsual && isRemoved && t.withoutUsual,
    own.length > 0 && t.ofTiers(own.map(({ name }) => name).join(", "), members),
    own.length > 0 && isRemoved && t.withoutOfTiers,
  ].filter(Boolean);
  return words.length === 0 ? t.unused : words.join(" ");
}
