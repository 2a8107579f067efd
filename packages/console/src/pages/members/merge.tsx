/** Merges another member into this one. It shows what both have together before anything is changed. */
import { Text } from "@mantine/core";
import { outputOf } from "../../api/declarations.ts";
import { DryRun } from "../../forms/dry-run.tsx";
import { OperationDialog } from "../../forms/operation-dialog.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import type { Member } from "./overview.tsx";

const path = "/op/members/merge";

export function MergeDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { contact_id, first_name, last_name } = member;
  const fields = outputOf(path);
  return (
    <OperationDialog
      path={path}
      fixed={{ contact_id }}
      show={["from_contact_id"]}
      title={texts.merge.title}
      label={texts.merge.submit}
      explanation={texts.merge.explanation(`${first_name} ${last_name}`)}
      preview={(request) =>
        request.from_contact_id && (
          <DryRun path={path} request={request} title={texts.merge.preview}>
            {({ balances, merged, tier }) => (
              <>
                <Details record={balances} fields={fields.balances?.properties ?? {}} />
                <Text size="sm" fw={500} mt="sm">
                  {texts.merge.from}
                </Text>
                <Details record={merged} fields={fields.merged?.properties ?? {}} />
                <Text size="sm" mt="sm">
                  {texts.merge.tier(tier.name ?? texts.member.noTier, tier.changed)}
                </Text>
              </>
            )}
          </DryRun>
        )
      }
      canSubmit={({ from_contact_id }) => from_contact_id !== undefined}
      onClose={onClose}
    />
  );
}
