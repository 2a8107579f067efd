/** Merges another member into this one. It shows what both have together before anything is changed. */
import { Text } from "@mantine/core";
import { outputOf } from "../../api/declarations.ts";
import { DryRun } from "../../forms/dry-run.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import type { Member } from "./overview.tsx";

const path = "/op/members/merge";
const { balances, merged } = outputOf(path);
const t = texts.merge;

export const mergeForm = ({ first_name, last_name }: Member) => ({
  show: ["from_contact_id"],
  title: t.title,
  submitLabel: t.submit,
  explanation: t.explanation(`${first_name} ${last_name}`),
  preview: (request: object) => "from_contact_id" in request && <Preview request={request} />,
  canSubmit: (request: object) => "from_contact_id" in request,
});

function Preview({ request }: { readonly request: object }) {
  return (
    <DryRun path={path} request={request} title={t.preview}>
      {(both) => (
        <>
          <Details record={both.balances} fields={balances?.properties ?? {}} />
          <Text size="sm" fw={500} mt="sm">
            {t.from}
          </Text>
          <Details record={both.merged} fields={merged?.properties ?? {}} />
          <Text size="sm" mt="sm">
            {t.tier(both.tier.name ?? texts.member.noTier, both.tier.changed)}
          </Text>
        </>
      )}
    </DryRun>
  );
}
