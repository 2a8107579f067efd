/** The people and the scripts that may use the operator API, and who is signed in. */
import { Group, Stack, Title } from "@mantine/core";
import { useState } from "react";
import type { DataOf } from "../../api/declarations.ts";
import { basePath } from "../../api/place.ts";
import { OperationButton } from "../../forms/operation-dialog.tsx";
import { PageTitle } from "../../shell/page-title.tsx";
import { OperationTable } from "../../tables/operation-table.tsx";
import { texts } from "../../texts/en.ts";
import { SecretDialog } from "../integrations/secret-dialog.tsx";

type Operator = DataOf<"/op/operators/list">;

interface Shown {
  readonly title: string;
  readonly values: Readonly<Record<string, string>>;
}

const compact = { size: "compact-sm" } as const;
const none = {};
/** Businesses are chosen on the command line. */
const accountFields = ["name", "role", "limit_amount", "limit_points"];

export function AccountsPage() {
  const [shown, setShown] = useState<Shown>();
  const invite = ({ data }: { readonly data: { readonly invitation_token: string } }) =>
    setShown({
      title: texts.accounts.invitation,
      values: { invitation: `${location.origin}${basePath}/console/accept#token=${data.invitation_token}` },
    });
  const showKey = ({ data }: { readonly data: { readonly operator_key: string } }) =>
    setShown({ title: texts.accounts.newKey, values: { operator_key: data.operator_key } });
  return (
    <Stack gap="lg">
      <PageTitle title={texts.accounts.title}>
        <OperationButton path="/op/operators/create" fixed={none} show={accountFields} onDone={invite} />
        <OperationButton
          path="/op/operator-keys/create"
          fixed={none}
          show={["name", "role", "expires_in_days"]}
          onDone={showKey}
        />
      </PageTitle>
      <OperationTable
        path="/op/operators/list"
        request={none}
        columns={["name", "role", "status", "business_ids", "last_seen_at"]}
        rowKey={({ operator_id }) => operator_id}
        actions={(operator) => <OperatorButtons operator={operator} onInvite={invite} />}
        empty={texts.accounts.empty}
      />
      <Keys />
      <Sessions />
      {shown && <SecretDialog {...shown} onClose={() => setShown(undefined)} />}
    </Stack>
  );
}

function OperatorButtons({
  operator,
  onInvite,
}: {
  readonly operator: Operator;
  readonly onInvite: (answer: { readonly data: { readonly invitation_token: string } }) => void;
}) {
  const { operator_id, status } = operator;
  const fixed = { operator_id };
  const t = texts.accounts;
  const common = { fixed, button: compact };
  return (
    <Group gap="xs" justify="flex-end">
      <OperationButton
        path="/op/operators/update"
        {...common}
        show={accountFields}
        initial={operator}
        label={t.edit}
      />
      <OperationButton path="/op/operators/reset" {...common} label={t.reset} onDone={onInvite} />
      {status === "disabled" ? (
        <OperationButton path="/op/operators/enable" {...common} label={t.enable} />
      ) : (
        <OperationButton path="/op/operators/disable" {...common} label={t.disable} />
      )}
    </Group>
  );
}

function Keys() {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {texts.accounts.keys}
      </Title>
      <OperationTable
        path="/op/operator-keys/list"
        request={none}
        columns={["name", "role", "business_ids", "expires_at", "last_used_at"]}
        rowKey={({ key_id }) => key_id}
        actions={({ key_id }) => (
          <OperationButton
            path="/op/operator-keys/revoke"
            fixed={{ key_id }}
            label={texts.accounts.revoke}
            button={compact}
          />
        )}
        empty={texts.accounts.noKeys}
      />
    </section>
  );
}

function Sessions() {
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {texts.accounts.sessions}
      </Title>
      <OperationTable
        path="/op/sessions/list"
        request={none}
        columns={["name", "address", "last_seen_at", "expires_at"]}
        rowKey={({ session_id }) => session_id}
        actions={({ session_id }) => (
          <OperationButton
            path="/op/sessions/revoke"
            fixed={{ session_id }}
            label={texts.accounts.endSession}
            button={compact}
          />
        )}
        empty={texts.accounts.noSessions}
      />
    </section>
  );
}
