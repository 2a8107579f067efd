/** Merges another member into this one. It shows what both have together before anything is changed. */
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { outputOf } from "../../api/declarations.ts";
import { useBusiness } from "../../business.tsx";
import { FailureAlert } from "../../feedback/failure.tsx";
import { Loading } from "../../feedback/loading.tsx";
import { OperationDialog } from "../../forms/operation-dialog.tsx";
import { Details } from "../../tables/details.tsx";
import { texts } from "../../texts/en.ts";
import type { Member } from "./overview.tsx";

export function MergeDialog({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { business_id } = useBusiness();
  const { contact_id, first_name, last_name } = member;
  return (
    <OperationDialog
      path="/op/members/merge"
      fixed={{ business_id, contact_id }}
      show={["from_contact_id"]}
      title={texts.merge.title}
      label={texts.merge.submit}
      explanation={texts.merge.explanation(`${first_name} ${last_name}`)}
      preview={({ from_contact_id }) =>
        from_contact_id && <MergePreview {...{ business_id, contact_id, from_contact_id }} />
      }
      canSubmit={({ from_contact_id }) => from_contact_id !== undefined}
      onClose={onClose}
    />
  );
}

interface MergePreviewProps {
  readonly business_id: number;
  readonly contact_id: number;
  readonly from_contact_id: number;
}

function MergePreview(members: MergePreviewProps) {
  const request = { ...members, dry_run: true };
  const read = useQuery({
    queryKey: ["/op/members/merge", request],
    queryFn: ({ signal }) =>
      call("/op/members/merge", request, { signal, idempotencyKey: crypto.randomUUID() }),
    retry: false,
    gcTime: 0,
  });
  if (read.isPending) return <Loading />;
  if (read.error) return <FailureAlert error={read.error} />;
  const { balances, merged, tier } = read.data.data;
  const fields = outputOf("/op/members/merge");
  return (
    <Alert mt="md" variant="light" title={texts.merge.preview}>
      <Details record={balances} fields={fields.balances?.properties ?? {}} />
      <Text size="sm" fw={500} mt="sm">
        {texts.merge.from}
      </Text>
      <Details record={merged} fields={fields.merged?.properties ?? {}} />
      <Text size="sm" mt="sm">
        {texts.merge.tier(tier.name ?? texts.member.noTier, tier.changed)}
      </Text>
    </Alert>
  );
}
