/** Whose sales earn by a program. */
import { useAll, useRead } from "../../api/queries.ts";
import { texts } from "../../texts/en.ts";

type ProgramUseProps = Readonly<{ programId: number; isRemoved?: boolean }>;

export function ProgramUse({ programId, isRemoved = false }: ProgramUseProps) {
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
